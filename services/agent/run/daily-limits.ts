import type { Claim } from '../../../db/queries/agent/reserve.ts';

/**
 * The most that the runs of a wallet may take of a coin on a UTC day, in base units, by coin type; `*` is for coins
 * that are not named. No entry: no limit.
 */
export type DailyLimits = Readonly<Record<string, bigint>>;

/** What a run takes of a wallet's limits, by coin type. */
export function claimsOf(walletId: string, taken: ReadonlyMap<string, bigint>, limits: DailyLimits): Claim[] {
  return [...taken].map(([measure, amount]) => {
    return {
      subject: `wallet:${walletId}`,
      measure,
      amount,
      dailyMax: limits[measure] ?? limits['*'] ?? null,
    };
  });
}

/** Seconds until the next UTC day, when limits begin anew. */
export function secondsOfDayLeft(now: Date): number {
  const dayMs = 86_400_000;
  return Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000);
}
