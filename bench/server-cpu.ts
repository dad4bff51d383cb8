import { readdir, readFile } from 'node:fs/promises';
import type { QueryResult } from 'pg';

/** Returns a function that reads the processor seconds of a PostgreSQL server so far. The role may read its files. */
export async function openServerCpu(db: {
  query(sql: string): Promise<QueryResult>;
}): Promise<() => Promise<number>> {
  const { rows } = await db.query(`select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid`);
  const read = () => readTreeCpuSeconds(rows[0].pid);
  // A process that ends after its parent was read is missed by that reading, and not by the next.
  return async () => Math.max(await read(), await read());
}

/** Clock ticks a second in `/proc`. */
const ticks = 100;

/** Processor seconds of a process, of its ended children and of its running children. */
export async function readTreeCpuSeconds(pid: string): Promise<number> {
  let sum = 0;
  for (const one of await readdir('/proc')) {
    if (!/^\d+$/.test(one)) continue;
    const stat = await readFile(`/proc/${one}/stat`, 'utf8').catch(() => '');
    const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, userOfEnded, systemOfEnded] = rest.slice(9, 13).map(Number);
    if (one === pid) sum += user! + system! + userOfEnded! + systemOfEnded!;
    else if (parent === pid) sum += user! + system!;
  }
  return sum / ticks;
}
