const [second, minute, hour, day] = [1, 60, 3_600, 86_400];

/** Seconds after the first, second, ... attempt until the next: about a fortnight in all. */
const delays = [5 * second, minute, 10 * minute, hour, 6 * hour, ...Array<number>(12).fill(day)];

/**
 * Seconds until the attempt after this many, give or take a tenth; null when enough was tried. A new
 * announcement on the chain starts anew.
 */
export function retryAfterSeconds(attempts: number, random = Math.random): number | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : delay * (0.9 + 0.2 * random());
}

/** Seconds until a known answer is asked for anew: a day, and up to a quarter more or less, so that one history's listings spread out. */
export function recheckAfterSeconds(random = Math.random): number {
  return day * (0.75 + 0.5 * random());
}
