import { walletRules } from '@adaptor-marketplace/adaptor/calls/policy';
import type { Policy } from '../../../db/queries/wallets/policies.ts';
import type { ActionStep } from '../../../lib/actions/request.ts';
import { authRuleOf, caveatsOf, revocationOf, type Cap } from '../../../lib/chain/caps.ts';
import type { ProblemError } from '../../../lib/errors/index.ts';
import type { HeldCaps } from './caps.ts';
import { callOfGrant } from './grants.ts';
import type { DraftNetwork } from './host.ts';
import { refusal } from './refusal.ts';

export type SpendStep = Extract<ActionStep, { action: 'spend' }>;

/** A cap to spend by. */
export interface ChosenCap {
  cap: Cap;
  /** The list that must stamp the request; undefined where the policy asks for none. */
  allowlistId: string | undefined;
  /** What the read model has against it. */
  doubt: ProblemError | undefined;
}

/** A spend by whoever holds these caps. */
export interface CapChoice {
  host: Pick<DraftNetwork, 'walletPackageId' | 'allowlist'>;
  held: HeldCaps;
  step: SpendStep;
  sender: string;
  /** By cap, what earlier steps of the transaction take of its budget. */
  spent: ReadonlyMap<string, bigint>;
}

/**
 * The cap that the step names, or the first that nothing speaks against: scoped caps, which are narrower, stand before
 * bearer caps. Where something speaks against all of them, the first.
 * @throws ProblemError 422 where the sender holds none for it
 */
export function chooseCap(choice: CapChoice): ChosenCap {
  const { held, step } = choice;
  const judged = held.caps
    .filter((cap) => step.capId === undefined || cap.id === step.capId)
    .filter((cap) => cap.kind === 'bearer' || cap.coin === step.coinType)
    .map((cap) => judge(choice, cap));
  const chosen = judged.find(({ doubt }) => !doubt) ?? judged[0];
  if (chosen) return chosen;
  throw capMissing(choice, 'It holds none of this wallet and coin.');
}

function capMissing({ step, sender }: CapChoice, reason: string): ProblemError {
  const grant = { kind: 'cap', coinType: step.coinType, amount: step.amount } as const;
  const message = callOfGrant(grant, sender);
  return refusal('cap_missing', `${reason} Missing: ${message}.`, [{ path: grant.kind, message }]);
}

function judge(choice: CapChoice, cap: Cap): ChosenCap {
  const { host, held, spent, step } = choice;
  const policy = held.policies.policies.get(cap.walletId);
  const auth = authRuleOf(cap.kind, host.walletPackageId);
  const caveats = caveatsOf(policy, auth);
  const listed = host.allowlist !== undefined && caveats.includes(host.allowlist.rule);
  const left = cap.kind === 'scoped' ? BigInt(cap.remaining) - (spent.get(cap.id) ?? 0n) : undefined;
  const revocation = revocationOf(cap, auth, { policy, revokedCaps: held.policies.revokedCaps });
  const shortcoming =
    (!policy && 'The index knows no policy of the wallet.') ||
    (revocation !== undefined && `Of ${cap.id}: ${revocation}.`) ||
    (caveats.length === 0 && `The policy sets no condition for ${cap.kind} caps, so they open nothing.`) ||
    (left !== undefined && left < BigInt(step.amount) && `Of the budget of ${cap.id}, ${left} is left.`) ||
    (cap.kind === 'bearer' &&
      caveats.includes(walletRules(host.walletPackageId).scopedBudget) &&
      'The policy asks for a budget, which only scoped caps have.');
  const doubt = shortcoming
    ? capMissing(choice, shortcoming)
    : (unmetCaveat(host, caveats) ?? (listed ? unlisted(choice, policy) : undefined));
  return { cap, allowlistId: listed ? policy?.allowlist?.allowlistId : undefined, doubt };
}

/** A caveat that none of our calls stamps. */
function unmetCaveat(
  { walletPackageId, allowlist }: CapChoice['host'],
  caveats: readonly string[],
): ProblemError | undefined {
  const known = [walletRules(walletPackageId).scopedBudget, allowlist?.rule];
  const other = caveats.find((rule) => !known.includes(rule));
  return other === undefined ? undefined : refusal('caveat_not_supported', `It is ${other}.`);
}

function unlisted({ held, step, sender }: CapChoice, policy: Policy | undefined): ProblemError | undefined {
  const { allowlist, walletId = '' } = policy ?? {};
  // The names on a list too long to be read are known to the chain alone.
  if (held.policies.tooLong.has(walletId) || allowlist?.recipients.includes(step.recipient)) return undefined;
  const grant = { kind: 'recipient', recipient: step.recipient } as const;
  const errors = [{ path: grant.kind, message: callOfGrant(grant, sender) }];
  return refusal('recipient_not_allowed', allowlist ? undefined : 'There is no such list yet.', errors);
}
