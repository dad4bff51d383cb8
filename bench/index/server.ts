import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';

/** Clock ticks per second on Linux. */
const ticksPerSecond = 100;

/** Processor time of a PostgreSQL server on this machine, with all its processes, those that ended included. */
async function serverCpuSeconds(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`);
  const postmaster = Number.parseInt(rows[0]!.file, 10);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process may end between the two looks.
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  let ticks = 0;
  for (const stat of stats) {
    // The name in brackets may contain anything. After it come state, parent, ..., own user and system time, and the
    // times of ended children.
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, childUser, childSystem] = fields.slice(9, 13).map(Number);
    const isPostmaster = Number.parseInt(stat, 10) === postmaster;
    if (isPostmaster) ticks += user! + system! + childUser! + childSystem!;
    else if (Number(parent) === postmaster) ticks += user! + system!;
  }
  return ticks / ticksPerSecond;
}

/** Bytes of write-ahead log that the server has written so far. */
async function walBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
  );
  return Number(rows[0]!.bytes);
}

export interface Cost {
  seconds: number;
  /** Processor time of this process and the server. */
  cpuSeconds: number;
  clientCpuSeconds: number;
  walBytes: number;
}

/** Measures the cost of work on the server, for this process and the server. */
export async function measureCost<T>(pool: Pool, work: () => Promise<T>): Promise<Cost & { result: T }> {
  await pool.query('checkpoint');
  const [wal, server, own, begun] = [
    await walBytes(pool),
    await serverCpuSeconds(pool),
    process.cpuUsage(),
    performance.now(),
  ];
  const result = await work();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(own);
  const clientCpuSeconds = (user + system) / 1e6;
  const cpuSeconds = clientCpuSeconds + (await serverCpuSeconds(pool)) - server;
  return { result, seconds, cpuSeconds, clientCpuSeconds, walBytes: (await walBytes(pool)) - wal };
}

/** Bytes on disk by the name of the table or the index, of those with rows. */
export async function sizes(pool: Pool): Promise<{ name: string; isIndex: boolean; bytes: number }[]> {
  const { rows } = await pool.query(
    `select relname as name, relkind = 'i' as "isIndex",
        case relkind when 'i' then pg_relation_size(oid) else pg_table_size(oid) end as bytes
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and pg_relation_size(oid) > 0
      order by bytes desc`,
  );
  return rows;
}
