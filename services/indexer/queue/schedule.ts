const [second, minute, hour, day] = [1, 60, 3_600, 86_400];

/** Seconds between the first, second, ... attempt and the next: about a fortnight in all. */
const delays = [5 * second, minute, 10 * minute, hour, 6 * hour, ...Array<number>(12).fill(day)];

/** Returns the seconds until the next attempt, give or take a tenth; `null` after the last. */
export function computeRetrySeconds(attempts: number, random = Math.random): number | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : delay * (0.9 + 0.2 * random());
}

/** Returns the seconds until a known answer is checked again: a day, a quarter more or less, to spread them. */
export function computeRecheckSeconds(random = Math.random): number {
  return day * (0.75 + 0.5 * random());
}
