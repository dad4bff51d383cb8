import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions';
import type { Claim, LimitExcess, OpenRunLimit } from '../../../db/queries/agent/open-run.ts';
import type { KeyScope } from '../../../db/schema/agent-access.ts';
import { describeExcess, findCoinExcess } from '../../../lib/agent/key-scope.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import type { Config } from '../../../lib/config/index.ts';
import { gasBase } from '../chain/gas.ts';

export type RunLimits = Pick<Config, 'dailyLimits' | 'gasLimits' | 'runsDaily'>;

/** The subjects whose limits a run counts towards. */
export interface RunAccount {
  walletId: string;
  owner: string;
  key?: { id: string; scope: KeyScope };
  /** `true` if the operator vouches for the caller: by a plan, by its key, or as a service of this deployment. */
  planned: boolean;
}

/** Returns the claims of a run on the limits for coins: the wallet's, and the executor key's own. */
function buildCoinClaims(
  { walletId, key }: RunAccount,
  amounts: ReadonlyMap<string, bigint>,
  limits: RunLimits['dailyLimits'],
): Claim[] {
  return [...amounts].flatMap(([measure, amount]) => {
    const dailyMax = limits[measure] ?? limits['*'] ?? null;
    const ofWallet = { subject: `wallet:${walletId}`, measure, amount, dailyMax };
    if (key === undefined) return [ofWallet];
    const { maxPerDay } = key.scope;
    // Amounts count without a limit too: a limit that is set later on the day includes what was taken before.
    const keyMax = maxPerDay === undefined ? null : BigInt(maxPerDay[measure] ?? 0);
    return [ofWallet, { subject: `key:${key.id}`, measure, amount, dailyMax: keyMax }];
  });
}

const unplanned = 'unplanned';

/** Maximum open runs of unplanned callers, of all and of one owner: each reserves gas, and a gas coin. */
export const unplannedOpenMax: OpenRunLimit = { subject: unplanned, ofAll: 16, ofOwner: 4 };

/** Returns the claims of a run on the limits for gas: the wallet's, the owner's, and that of all unplanned callers. */
function buildGasClaims(
  { walletId, owner, planned }: RunAccount,
  amount: bigint,
  limits: RunLimits['gasLimits'],
): Claim[] {
  const bounds: [string, bigint][] = [
    [`wallet:${walletId}`, limits.wallet],
    [`owner:${owner}`, limits.owner],
  ];
  if (!planned) bounds.push([unplanned, limits.unplanned]);
  return bounds.map(([subject, dailyMax]) => ({ subject, measure: 'gas', amount, dailyMax }));
}

/**
 * Returns the claims when a run opens: the run itself, the amounts of the coins that the request names, and the minimum
 * of its gas. So a used-up limit for gas refuses a run before anything is drafted.
 */
export function buildOpeningClaims(
  account: RunAccount,
  named: ReadonlyMap<string, bigint>,
  { dailyLimits, gasLimits, runsDaily }: RunLimits,
): Claim[] {
  const run = { subject: `wallet:${account.walletId}`, measure: 'runs', amount: 1n, dailyMax: runsDaily };
  return [
    run,
    ...buildGasClaims(account, gasBase, gasLimits),
    ...buildCoinClaims(account, named, dailyLimits),
  ];
}

/** Returns the further claims before a run is signed: unnamed coins, and the rest of its gas budget. */
export function buildSigningClaims(
  account: RunAccount,
  unnamed: ReadonlyMap<string, bigint>,
  gasBudget: bigint,
  { dailyLimits, gasLimits }: RunLimits,
): Claim[] {
  return [
    ...buildGasClaims(account, gasBudget - gasBase, gasLimits),
    ...buildCoinClaims(account, unnamed, dailyLimits),
  ];
}

/**
 * Checks the total of an action, which its draft shows, against its executor key. @throws RunFailedError `out_of_scope`
 */
export function requireWithinKey({ key }: RunAccount, takes: readonly CoinAmount[]): void {
  const taken = new Map(takes.map(({ coinType, amount }) => [coinType, amount]));
  const excess = key && findCoinExcess(key.scope, taken);
  if (excess) {
    throw new RunFailedError(
      'out_of_scope',
      `Out of the executor key's scope: ${describeExcess(excess)}. Nothing was sent.`,
    );
  }
}

/** Returns the seconds until the next UTC day, when the daily limits start again. */
export function countSecondsLeftToday(now: Date): number {
  const dayMs = 86_400_000;
  return Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000);
}

export function toLimitCode({ measure }: LimitExcess): 'daily_limit' | 'gas_limit' | 'run_limit' {
  if (measure === 'gas') return 'gas_limit';
  return measure === 'runs' ? 'run_limit' : 'daily_limit';
}

const subjectWords: Record<string, string> = {
  wallet: 'this wallet',
  owner: "this owner's wallets together",
  key: 'this executor key',
  unplanned: 'all callers without a plan together',
};

export function describeLimitExcess({ subject, measure, dailyMax, taken }: LimitExcess): string {
  const [kind = ''] = subject.split(':', 1);
  const whose = subjectWords[kind] ?? subject;
  const remedy =
    kind === 'unplanned'
      ? ' Runs with a plan, or with an executor key issued by the operator, do not count towards it.'
      : '';
  const used = `${taken} of ${dailyMax}`;
  if (measure === 'runs') return `Daily limit of runs for ${whose} reached: ${used} used today.`;
  if (measure === 'gas') {
    return `Daily limit of gas for ${whose} reached: ${used} MIST used or set aside today.${remedy}`;
  }
  return `Daily limit of ${measure} for ${whose} exceeded: ${used} base units already used today.`;
}
