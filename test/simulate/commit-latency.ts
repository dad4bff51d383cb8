import type { Database } from '../../db/client.ts';
import { inTransaction } from '../../db/transaction.ts';

/** Median milliseconds of a commit of one row, if it waits for the replica, and if it waits only for the primary's disk. */
export interface CommitLatency {
  on: number;
  local: number;
}

const commits = 200;

/** Measures commits of both kinds in turns, so that other work slows both. */
export async function measureCommits(db: Database): Promise<CommitLatency> {
  await db.pool.query('create table if not exists commit_latency (id int)');
  const times = { on: [] as number[], local: [] as number[] };
  for (let n = 0; n < commits; n += 1) {
    for (const kind of ['on', 'local'] as const) {
      const startedMs = performance.now();
      await inTransaction(db.pool, async (client) => {
        await client.query(`set local synchronous_commit = ${kind}`);
        await client.query('insert into commit_latency values (1)');
      });
      times[kind].push(performance.now() - startedMs);
    }
  }
  await db.pool.query('drop table commit_latency');
  return { on: findMedian(times.on), local: findMedian(times.local) };
}

const findMedian = (values: number[]): number => {
  const middle = values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
  return Math.round(middle * 100) / 100;
};
