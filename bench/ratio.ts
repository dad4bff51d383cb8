import { median } from './measure.ts';

/** Values between which a median lies, with at least this confidence. */
interface Interval {
  low: number;
  high: number;
  confidence: number;
}

/**
 * A confidence interval of the median of what the values are drawn from, whatever its distribution. Its ends are two of
 * the values. Each value is below the median with a probability of one half, so the confidence follows from the ranks.
 * The median is between the lowest and the highest of seven values with 98.4 %.
 */
export function medianInterval(values: readonly number[], wanted = 0.95): Interval {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const computeConfidence = (rank: number) => 1 - 2 * belowOrAt(rank - 1, n);
  if (n === 0 || computeConfidence(1) < wanted) {
    throw new RangeError(`${n} values are too few for a confidence of ${wanted}`);
  }
  let rank = 1;
  while (2 * (rank + 1) <= n && computeConfidence(rank + 1) >= wanted) rank++;
  return { low: sorted[rank - 1]!, high: sorted[n - rank]!, confidence: computeConfidence(rank) };
}

/** The probability of at most `most` heads in `n` throws of a fair coin. */
function belowOrAt(most: number, n: number): number {
  let [ways, sum] = [1, 0];
  for (let heads = 0; heads <= most; heads++) {
    sum += ways;
    ways = (ways * (n - heads)) / (heads + 1);
  }
  return sum / 2 ** n;
}

const rounds = 7;

/**
 * Measures a path and its limit in turn, seven times each, and returns how many times the limit the path costs. Both of a
 * round meet the same load of the machine, and the order changes with each round.
 */
export async function compare(path: () => Promise<number>, limit: () => Promise<number>) {
  const ratios: number[] = [];
  await path();
  await limit();
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? await path() : await limit();
    const second = round % 2 === 0 ? await limit() : await path();
    ratios.push(round % 2 === 0 ? first / second : second / first);
  }
  return { ratios, ...medianInterval(ratios) };
}

/** A path that may cost a number of times its limit. Both are measured in one run, so that the machine's speed cancels out. */
export interface RatioCheck {
  name: string;
  path: () => Promise<number>;
  limit: () => Promise<number>;
  most: number;
}

/**
 * Measures a check, and prints what it found. A path misses its limit if the whole confidence interval lies beyond it in two
 * measurements in a row: one can be the doing of another process of the machine.
 */
export async function holdsRatio(check: RatioCheck, print: (line: string) => void): Promise<boolean> {
  return (await measure(check, print)) || (await measure(check, print));
}

async function measure({ name, path, limit, most }: RatioCheck, print: (line: string) => void) {
  const { ratios, low, high } = await compare(path, limit);
  const isHeld = low <= most;
  const figures = `${median(ratios).toFixed(2)} times (${low.toFixed(2)} to ${high.toFixed(2)}, at most ${most})`;
  print(`${isHeld ? 'held' : 'missed'}: ${name}: ${figures}`);
  return isHeld;
}
