import type { Network } from '@adaptor-marketplace/adaptor';
import { type CoinUnit, describeAmount, formatUnits } from '@adaptor-marketplace/adaptor/chain';
import { allowlistRule, walletRules } from '@adaptor-marketplace/adaptor/transactions';
import { z } from 'zod';
import { type Policy, readPolicies, recipientsMax, rulesMax } from '../../../db/queries/wallets/policies.ts';
import {
  buildAuthRule,
  type Cap,
  describeRevocation,
  listAncestors,
  listCaveats,
  type ScopedCap,
} from '../../../lib/chain/caps.ts';
import { formatTypeLabel } from '../../../lib/chain/labels.ts';
import { addressParameter, id, networkName, networkParameter, sui, walletId } from '../openapi/parts.ts';
import type { CapChain, SpendGuards } from './cap-chain.ts';
import { createReadRoute, type ReadDependencies, requirePackage } from './read.ts';

const delegation = z
  .object({
    capId: z.string(),
    kind: z.enum(['bearer', 'scoped']),
    walletId: z.string(),
    revoked: z.boolean(),
    policyVersion: z.int().min(0).meta({ description: 'Policy version of the cap.' }),
    vaultVersion: z
      .int()
      .min(0)
      .meta({ description: "Policy version of the wallet; 0 until the index has the wallet's policy." }),
    coin: z.string().optional(),
    remaining: z.string().optional().meta({ description: 'Base units.' }),
    remainingHuman: z
      .string()
      .optional()
      .meta({ description: 'The same in units of the coin; absent where its decimals are not known.' }),
    depth: z.int().min(0).optional(),
    maxDepth: z.int().min(0).optional(),
    canSubdelegate: z.boolean(),
    conditions: z.array(z.string()).meta({ description: 'What a spend must satisfy, one sentence each.' }),
    allowlist: z.array(z.string()).nullable().meta({ description: 'Recipients on the list in force.' }),
    allowlistId: z.string().nullable(),
    enforcesAllowlist: z.boolean().meta({ description: 'Whether money can go only to those recipients.' }),
    summary: z.string(),
  })
  .meta({ id: 'MyDelegation', description: 'A cap that the address holds, and what it allows.' });

export type Delegation = z.infer<typeof delegation>;

/** Facts about a cap that its own object does not contain. */
export interface CapFacts {
  walletPackageId: string;
  /** Type of the recipient allowlist's witness; undefined if the service does not index the allowlist. */
  allowlistRule: string | undefined;
  guards: SpendGuards;
  /** Policy of the wallet; undefined if the read model does not have it. */
  policy: Policy | undefined;
  /** Caps that were revoked one by one. */
  revokedCaps: ReadonlySet<string>;
  unit: CoinUnit | undefined;
}

export function describeCap(cap: Cap, facts: CapFacts): Delegation {
  const { policy, unit } = facts;
  const auth = buildAuthRule(cap.kind, facts.walletPackageId);
  const revocation = describeRevocation(cap, auth, facts);
  const caveats = listCaveats(policy, auth);
  const listed = facts.allowlistRule !== undefined && caveats.includes(facts.allowlistRule);
  const obstacles = revocation ? [`because ${revocation}`] : describeObstacles(cap, caveats, facts);
  const blocked = obstacles.map((reason) => `Nothing may be spent ${reason}.`);
  const terms = blocked.length > 0 ? blocked : describeTerms(caveats, facts);
  const hasBudget = cap.kind === 'scoped' && blocked.length === 0;
  const budget = hasBudget ? [`At most ${describeRemaining(cap, unit)} may be spent.`] : [];
  const canSubdelegate =
    cap.kind === 'scoped' && !revocation && cap.depth < cap.maxDepth && cap.remaining !== '0';
  return {
    capId: cap.id,
    kind: cap.kind,
    walletId: cap.walletId,
    revoked: revocation !== undefined,
    policyVersion: cap.policyVersion,
    vaultVersion: policy?.version ?? 0,
    ...(cap.kind === 'scoped' && {
      coin: cap.coin,
      remaining: cap.remaining,
      ...(unit && { remainingHuman: formatUnits(cap.remaining, unit.decimals) }),
      depth: cap.depth,
      maxDepth: cap.maxDepth,
    }),
    canSubdelegate,
    conditions: [...budget, ...terms],
    allowlist: policy?.allowlist?.recipients ?? null,
    allowlistId: policy?.allowlist?.allowlistId ?? null,
    enforcesAllowlist: listed && !mayTakeCoin(facts),
    summary: [
      revocation ? `Revoked: ${revocation}.` : describeOpening(cap, unit, blocked.length > 0),
      ...(revocation ? [] : terms),
      ...(canSubdelegate ? [describeHandingOn(cap)] : []),
    ].join(' '),
  };
}

/** Returns the reasons why nothing may be spent. Each completes the sentence "Nothing may be spent …". */
function describeObstacles(cap: Cap, caveats: readonly string[], facts: CapFacts): string[] {
  const { policy, allowlistRule, walletPackageId } = facts;
  if (!policy) return [];
  const obstacles: string[] = [];
  if (policy.walletPaused) obstacles.push('while the owner has the wallet paused');
  if (cap.kind === 'scoped' && cap.remaining === '0') obstacles.push('because the budget is used up');
  if (caveats.length === 0 && facts.guards.caveatsRequired) {
    obstacles.push(`before the owner sets a condition for ${cap.kind} caps`);
  }
  if (allowlistRule !== undefined && caveats.includes(allowlistRule)) {
    if (!policy.allowlist) obstacles.push('before the owner makes a list of recipients');
    else if (policy.allowlist.recipients.length === 0) {
      obstacles.push("because the owner's list of recipients is empty");
    }
  }
  if (cap.kind === 'bearer' && caveats.includes(getBudgetRule(walletPackageId))) {
    obstacles.push('because the policy asks for a budget, which only scoped caps have');
  }
  return obstacles;
}

/** Returns the terms of a cap that nothing blocks, one sentence each. */
function describeTerms(caveats: readonly string[], facts: CapFacts): string[] {
  const { policy, allowlistRule, walletPackageId } = facts;
  if (!policy) return ['Its terms are not known yet: the index has not reached the policy of the wallet.'];
  const terms: string[] = [];
  const others = caveats.filter(
    (caveat) => caveat !== allowlistRule && caveat !== getBudgetRule(walletPackageId),
  );
  const listed = allowlistRule !== undefined && caveats.includes(allowlistRule);
  const free = !listed && others.length === 0;
  if (listed) terms.push(describeRecipients(policy));
  else if (free) terms.push('Money may go to anyone.');
  for (const caveat of others) terms.push(`The rule "${formatTypeLabel(caveat)}" must agree to each spend.`);
  if (mayTakeCoin(facts)) {
    const unchecked = free ? '' : ', where no recipient is checked';
    terms.push(`It may also be used within the same transaction${unchecked}.`);
  }
  if (policy.rules.length >= rulesMax) terms.push('More rules may apply than are listed here.');
  return terms;
}

/** `true` if the transaction of a spend gets the coin itself, and can send it anywhere. */
const mayTakeCoin = ({ policy, guards }: CapFacts) => !guards.spendIntoGuarded || policy?.spendInto === true;

const getBudgetRule = (walletPackageId: string) => walletRules(walletPackageId).scopedBudget;

function describeRecipients({ allowlist }: Policy): string {
  const count = allowlist?.recipients.length ?? 0;
  return `Money may go only to the ${count === 1 ? 'one recipient' : `${count} recipients`} on the owner's list.`;
}

const describeRemaining = ({ coin, remaining }: ScopedCap, unit: CoinUnit | undefined) =>
  describeAmount(coin, remaining, unit);

function describeOpening(cap: Cap, unit: CoinUnit | undefined, blocked: boolean): string {
  const wallet = `wallet ${cap.walletId.slice(0, 6)}…${cap.walletId.slice(-4)}`;
  if (blocked) return `Opens nothing in ${wallet} now.`;
  const what = cap.kind === 'scoped' ? `at most ${describeRemaining(cap, unit)}` : 'any amount of any coin';
  return `Its holder may spend ${what} from ${wallet}.`;
}

function describeHandingOn(cap: Cap): string {
  const levels = cap.kind === 'scoped' ? cap.maxDepth - cap.depth : 0;
  return `Parts of it may be given to others, ${levels} ${levels === 1 ? 'level' : 'levels'} deep.`;
}

export interface DelegationDependencies extends ReadDependencies {
  /** Cap readers by network, for the networks whose wallets are indexed. */
  capChains: ReadonlyMap<Network, CapChain>;
}

export const delegationsBody = z
  .object({
    address: z.string(),
    network: networkName,
    active: z.array(delegation),
    revoked: z.array(delegation),
    truncated: z.boolean().meta({
      description: 'Whether the address holds more caps than were read, or their lists were too long.',
    }),
  })
  .meta({ id: 'Delegations' });

/**
 * Lists the caps of an address. The node's index of owned objects returns the caps, because they are transferred
 * without an event. The read model has what each of them allows.
 */
export const listDelegations = createReadRoute({
  path: '/api/delegations',
  query: z.object({
    network: networkParameter,
    address: addressParameter.meta({ description: 'The address that holds the caps.' }),
    walletId: addressParameter.optional().meta({
      description:
        'Only the caps of this wallet. Those of other wallets, which anyone can send, do not displace them.',
    }),
  }),
  needs: ['walletPackageId'],
  also: ['rules'],
  body: delegationsBody,
  operation: {
    operationId: 'listDelegations',
    summary: 'List the caps of an address, and what each allows',
    description:
      "Caps are transferred without an event, so the holder is read from the network's node. The terms come from the " +
      'index.',
    refusals: ['node_unavailable', 'node_busy', 'node_timeout'],
    example: {
      query: { address: id('4') },
      answer: {
        address: id('4'),
        network: 'testnet',
        active: [
          {
            capId: id('5'),
            kind: 'scoped',
            walletId,
            revoked: false,
            policyVersion: 1,
            vaultVersion: 1,
            coin: sui,
            remaining: '1900000000',
            remainingHuman: '1.9',
            depth: 0,
            maxDepth: 3,
            canSubdelegate: true,
            conditions: ['At most 1.9 SUI may be spent.', 'Money may go to anyone.'],
            allowlist: null,
            allowlistId: null,
            enforcesAllowlist: false,
            summary: `Its holder may spend at most 1.9 SUI from wallet ${walletId}. Money may go to anyone.`,
          },
        ],
        revoked: [],
        truncated: false,
      },
    },
  },
  async answer(
    { query: { address, walletId }, network, settings, db },
    { capChains }: DelegationDependencies,
  ) {
    const { caps, truncated, units, guards } = await capChains.get(network)!.fetchHoldings(address, walletId);
    const { policies, revokedCaps, tooLong } = await readPolicies(db, {
      network,
      walletIds: [...new Set(caps.map((cap) => cap.walletId))],
      capIds: [...new Set(caps.flatMap((cap) => [cap.id, ...listAncestors(cap)]))],
    });
    const walletPackageId = requirePackage(settings, 'walletPackageId');
    const allowlistPackageId = settings.allowlistPackageId ?? settings.rulesPackageId;
    const described = caps
      .filter((cap) => !tooLong.has(cap.walletId))
      .map((cap) =>
        describeCap(cap, {
          walletPackageId,
          allowlistRule: allowlistPackageId && allowlistRule(allowlistPackageId),
          guards,
          policy: policies.get(cap.walletId),
          revokedCaps,
          unit: cap.kind === 'scoped' ? units.get(cap.coin) : undefined,
        }),
      );
    const shown = trimToBounds(described);
    return {
      address,
      network,
      active: shown.filter(({ revoked }) => !revoked),
      revoked: shown.filter(({ revoked }) => revoked),
      truncated: truncated || shown.length < caps.length,
    } satisfies z.infer<typeof delegationsBody>;
  },
});

/** Leaves out the caps with the longest lists if all are too long together. Each shows its wallet's whole list. */
function trimToBounds(delegations: readonly Delegation[]): Delegation[] {
  const countRecipients = ({ allowlist }: Delegation) => allowlist?.length ?? 0;
  const shown: Delegation[] = [];
  let recipients = 0;
  for (const delegation of delegations.toSorted((a, b) => countRecipients(a) - countRecipients(b))) {
    recipients += countRecipients(delegation);
    if (recipients > recipientsMax) break;
    shown.push(delegation);
  }
  return shown.sort((a, b) => (a.capId < b.capId ? -1 : 1));
}
