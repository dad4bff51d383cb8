/** Rounds of trying; each makes the failing input shorter, and most end well before. */
const MAX_ROUNDS = 12;

/** Shorter lists of decisions: without a part, and with a part set to the first options. */
function smaller(numbers: readonly number[]): number[][] {
  const candidates: number[][] = [];
  for (const parts of [2, 4, 8, 16]) {
    const size = Math.ceil(numbers.length / parts);
    for (let from = 0; from < numbers.length; from += size) {
      candidates.push(numbers.toSpliced(from, size));
      const cleared = numbers.with(from, 0).fill(0, from, from + size);
      if (cleared.some((number, i) => number !== numbers[i])) candidates.push(cleared);
    }
  }
  return candidates;
}

/**
 * The list of decisions with the least `weight` that still fails, found by trying many smaller ones at once.
 * `failing` answers the positions of those that fail.
 */
export async function shrink(
  numbers: number[],
  weight: (numbers: readonly number[]) => number,
  failing: (candidates: number[][]) => Promise<number[]>,
): Promise<number[]> {
  let current = numbers;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const candidates = smaller(current).filter((each) => weight(each) < weight(current));
    if (candidates.length === 0) break;
    const failed = (await failing(candidates)).map((i) => candidates[i]!);
    if (failed.length === 0) break;
    current = failed.toSorted((a, b) => weight(a) - weight(b))[0]!;
  }
  return current;
}
