import type { Signed } from './workload.ts';

/** Calls under way at once. */
export const clients = 32;

/** Transactions per second of a list that is executed once. */
export async function perSecond(
  list: Signed[],
  execute: (transaction: Signed) => Promise<void>,
): Promise<number> {
  const waiting = list.values();
  const client = async () => {
    for (const each of waiting) await execute(each);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return (list.length * 1_000) / (performance.now() - started);
}
