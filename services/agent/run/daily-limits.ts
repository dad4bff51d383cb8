/**
 * The most that the runs of a wallet may take of a coin on a UTC day, in base units, by coin type; `*` is for coins
 * that are not named. No entry: no limit.
 */
export type DailyLimits = Readonly<Record<string, bigint>>;

/** Null: no limit. */
export function dailyMaxOf(limits: DailyLimits, coinType: string): bigint | null {
  return limits[coinType] ?? limits['*'] ?? null;
}

/** Seconds until the next UTC day, when limits begin anew. */
export function secondsOfDayLeft(now: Date): number {
  const dayMs = 86_400_000;
  return Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000);
}
