/** The median time of some work, in milliseconds, once it was compiled and planned. */
export async function timed(times: number, work: () => Promise<unknown>): Promise<number> {
  const warm = Math.ceil(times / 4);
  const taken: number[] = [];
  for (let n = -warm; n < times; n++) {
    const before = performance.now();
    await work();
    if (n >= 0) taken.push(performance.now() - before);
  }
  const median = taken.sort((a, b) => a - b)[Math.floor(times / 2)]!;
  return Math.round(median * 1_000) / 1_000;
}
