import { type InputObject, listOwnedObjects, unwrapAnswer } from '@adaptor-marketplace/adaptor/chain';
import {
  allowlist as allowlistCalls,
  bearerCap as bearerCaps,
  policy,
  scopedCap as scopedCaps,
  walletRules,
} from '@adaptor-marketplace/adaptor/transactions';
import { readCapsMintedFor } from '../../db/queries/wallets/caps.ts';
import { type Policies, type Policy, readPolicies } from '../../db/queries/wallets/policies.ts';
import type { ActionStep } from '../../lib/actions/request.ts';
import {
  buildAuthRule,
  type Cap,
  capTypes,
  decodeCap,
  describeRevocation,
  listAncestors,
  listCaveats,
} from '../../lib/chain/caps.ts';
import { readHeldCaps } from '../../lib/chain/held-caps.ts';
import {
  buildGrantCall,
  type Call,
  type DraftStep,
  type NetworkDependencies,
  refusal,
  resolveCalledPackage,
  timeoutMs,
} from './draft-step.ts';

/** Caps with which a sender can spend from one wallet, and the wallet's policies. */
interface SpendableCaps {
  caps: Cap[];
  /** Objects of the caps that the node listed, by id. */
  known: ReadonlyMap<string, InputObject>;
  policies: Policies;
}

/** Maximum pages to read for each kind of cap: anyone can send the agent any number of caps. */
const pagesMax = 10;

/** Maximum number of caps to read by their ids if the list is longer than `pagesMax`. */
const mintedMax = 50;

interface CapHolder {
  sender: string;
  walletId: string;
  /** Ids of the caps that the request names. */
  requestedIds: readonly string[];
}

type CapsDependencies = Pick<NetworkDependencies, 'network' | 'walletPackageId' | 'client' | 'db'>;

/** Reads what the sender holds from the node: caps change hands without an event. @throws ProblemError 502 or 504 */
export async function readCaps(
  dependencies: CapsDependencies,
  { sender, walletId, requestedIds }: CapHolder,
): Promise<SpendableCaps> {
  const list = async (kind: Cap['kind']) => {
    const type = `${dependencies.walletPackageId}::${capTypes[kind]}`;
    const owned = await listOwnedObjects(dependencies.client, { owner: sender, type, pagesMax, timeoutMs });
    const { objects = [], truncated = false } = unwrapAnswer(owned) ?? {};
    // Holders of caps can send some as party objects, which the agent uses for no spend.
    const usable = objects.filter((object) => object.known !== undefined);
    const known = usable.flatMap((object) => object.known ?? []);
    return { caps: usable.map(({ contents }) => decodeCap(kind, contents)), known, truncated };
  };
  const lists = await Promise.all([list('scoped'), list('bearer')]);
  const listed = lists.flatMap((one) => one.caps);
  const unlisted = lists.some(({ truncated }) => truncated)
    ? await readByIds(dependencies, { sender, walletId, requestedIds })
    : [];
  const byId = new Map([...listed, ...unlisted].map((cap) => [cap.id, cap]));
  const caps = [...byId.values()].filter((cap) => cap.walletId === walletId);
  const policies = await readPolicies(dependencies.db, {
    network: dependencies.network,
    walletIds: [walletId],
    capIds: [...new Set(caps.flatMap((cap) => [cap.id, ...listAncestors(cap)]))],
  });
  const known = new Map(lists.flatMap((one) => one.known).map((object) => [object.objectId, object]));
  return { caps, known, policies };
}

/** Reads caps that the truncated list may lack: the requested ones, and those that the index knows were minted for the sender. */
async function readByIds(
  { network, walletPackageId, client, db }: CapsDependencies,
  { sender, walletId, requestedIds }: CapHolder,
): Promise<Cap[]> {
  const minted = await readCapsMintedFor(db, { network, walletId, recipient: sender, limit: mintedMax });
  return await readHeldCaps(client, {
    walletPackageId,
    holder: sender,
    ids: [...requestedIds, ...minted],
    timeoutMs,
  });
}

export type SpendStep = Extract<ActionStep, { action: 'spend' }>;

interface ChosenCap {
  cap: Cap;
  /** The allowlist that must stamp the request; undefined if the policy requires none. */
  allowlistId: string | undefined;
  /** The reason why a spend with this cap would fail according to the read model. */
  doubt: DraftStep['doubt'];
}

export interface CapChoice {
  dependencies: Pick<NetworkDependencies, 'walletPackageId' | 'allowlist'>;
  held: SpendableCaps;
  step: SpendStep;
  sender: string;
  /** Amount that earlier steps of the transaction take from the budget of each cap, by the id of the cap. */
  spent: ReadonlyMap<string, bigint>;
}

/**
 * Returns the cap that the step names, else the first without a doubt, else the first: scoped caps, which are narrower,
 * come before bearer caps. @throws ProblemError 422 without a cap
 */
export function chooseCap(choice: CapChoice): ChosenCap {
  const { held, step } = choice;
  const judgedCaps = held.caps
    .filter((cap) => step.capId === undefined || cap.id === step.capId)
    .filter((cap) => cap.kind === 'bearer' || cap.coin === step.coinType)
    .map((cap) => judgeCap(choice, cap));
  const chosen = judgedCaps.find(({ doubt }) => !doubt) ?? judgedCaps[0];
  if (chosen) return chosen;
  const missing = step.capId === undefined ? 'holds no cap' : `does not hold the cap ${step.capId}`;
  throw createCapMissing(choice, `It ${missing} for this wallet and coin.`);
}

function createCapMissing({ step, sender }: CapChoice, reason: string) {
  const grant = { kind: 'cap', coinType: step.coinType, amount: step.amount } as const;
  const message = buildGrantCall(grant, sender);
  return refusal('cap_missing', `${reason} Missing: ${message}.`, [{ path: grant.kind, message }]);
}

function judgeCap(choice: CapChoice, cap: Cap): ChosenCap {
  const { dependencies, held, spent, step } = choice;
  const walletPolicy = held.policies.policies.get(cap.walletId);
  const auth = buildAuthRule(cap.kind, dependencies.walletPackageId);
  const caveats = listCaveats(walletPolicy, auth);
  const needsAllowlist =
    dependencies.allowlist !== undefined && caveats.includes(dependencies.allowlist.rule);
  const left = cap.kind === 'scoped' ? BigInt(cap.remaining) - (spent.get(cap.id) ?? 0n) : undefined;
  const revocation = describeRevocation(cap, auth, {
    policy: walletPolicy,
    revokedCaps: held.policies.revokedCaps,
  });
  const shortcoming =
    (!walletPolicy && 'The index has no policy of the wallet.') ||
    (revocation !== undefined && `Cap ${cap.id}: ${revocation}.`) ||
    (caveats.length === 0 &&
      `The policy sets no condition for ${cap.kind} caps, so they authorize nothing.`) ||
    (left !== undefined && left < BigInt(step.amount) && `The budget of ${cap.id} has ${left} left.`) ||
    (cap.kind === 'bearer' &&
      caveats.includes(walletRules(dependencies.walletPackageId).scopedBudget) &&
      'The policy requires a budget, which only scoped caps have.');
  const doubt = shortcoming
    ? createCapMissing(choice, shortcoming)
    : (findUnmetCaveat(dependencies, caveats) ??
      (needsAllowlist ? findUnlistedRecipient(choice, walletPolicy) : undefined));
  return { cap, allowlistId: needsAllowlist ? walletPolicy?.allowlist?.allowlistId : undefined, doubt };
}

/** Returns the refusal for a caveat that this service cannot satisfy, if there is one. */
function findUnmetCaveat(
  { walletPackageId, allowlist }: CapChoice['dependencies'],
  caveats: readonly string[],
): DraftStep['doubt'] {
  const known = [walletRules(walletPackageId).scopedBudget, allowlist?.rule];
  const other = caveats.find((rule) => !known.includes(rule));
  return other === undefined ? undefined : refusal('caveat_not_supported', `It is ${other}.`);
}

function findUnlistedRecipient(
  { held, step, sender }: CapChoice,
  policy: Policy | undefined,
): DraftStep['doubt'] {
  const { allowlist, walletId = '' } = policy ?? {};
  // The entries of a list that is too long to read are known to the chain only.
  if (held.policies.tooLong.has(walletId) || allowlist?.recipients.includes(step.recipient)) return undefined;
  const grant = { kind: 'recipient', recipient: step.recipient } as const;
  const errors = [{ path: grant.kind, message: buildGrantCall(grant, sender) }];
  return refusal('recipient_not_allowed', allowlist ? undefined : 'The wallet has no allowlist yet.', errors);
}

/**
 * Drafts a spend with one of the sender's caps and the stamp of every caveat that applies to it. @throws ProblemError
 * 422, 502 or 504
 */
export async function draftSpendStep(
  dependencies: NetworkDependencies,
  wallet: string,
  choice: CapChoice,
): Promise<DraftStep> {
  const { step } = choice;
  const chosen = chooseCap(choice);
  const { cap, allowlistId, doubt } = chosen;
  const [objects, packageId, rulesPackageId] = await Promise.all([
    readObjects(dependencies, choice.held.known, chosen),
    resolveCalledPackage(dependencies.versions, dependencies.walletPackageId),
    allowlistId !== undefined &&
      resolveCalledPackage(dependencies.versions, dependencies.allowlist!.packageId),
  ]);
  const target = { packageId, wallet };
  const terms = { coinType: step.coinType, amount: BigInt(step.amount), recipient: step.recipient };
  const append: Call['append'] = (tx) => {
    const request = policy.beginSpend(tx, target, terms);
    const stamp = { capId: cap.id, request };
    if (cap.kind === 'scoped') scopedCaps.spend(tx, packageId, stamp);
    else bearerCaps.prove(tx, packageId, stamp);
    if (allowlistId !== undefined && rulesPackageId) {
      allowlistCalls.enforceAllowlist(tx, rulesPackageId, { listId: allowlistId, request });
    }
    policy.confirmSpend(tx, target, { coinType: step.coinType, request });
  };
  return {
    action: 'spend',
    slot: null,
    adaptor: null,
    spends: [{ coinType: terms.coinType, amount: terms.amount }],
    receives: [],
    recipient: step.recipient,
    capId: cap.id,
    about: null,
    call: { append, objects, mutable: [wallet] },
    bounds: undefined,
    opening: undefined,
    grants: [],
    doubt,
  };
}

async function readObjects(
  { objects }: NetworkDependencies,
  known: SpendableCaps['known'],
  { cap, allowlistId }: ChosenCap,
): Promise<InputObject[]> {
  const ids = [cap.id, ...(allowlistId === undefined ? [] : [allowlistId])];
  const read = await objects.read(ids.filter((id) => !known.has(id)));
  return ids.map((id) => {
    const object = known.get(id) ?? read.get(id);
    if (!object) throw refusal('cap_missing', `${id} no longer exists.`);
    return object;
  });
}
