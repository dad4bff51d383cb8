import type { ClientBase, Pool } from 'pg';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { transact } from '../../transaction.ts';
import { buildNextPositionSql } from './runs.ts';

const openColumns = readColumns(
  tables.agentRuns,
  [
    'network',
    'walletId',
    'action',
    'agent',
    'transaction',
    'signatures',
    'digest',
    'bounds',
    'signedCheckpoint',
  ],
  { run: 'id' },
);

export interface OpenRun extends Row<typeof openColumns> {
  state: 'running' | 'signed';
  nextPosition: number;
  /** Last active step. */
  step: string;
}

/** Takes the lock that shows other workers that this one is alive, for as long as the connection is open. */
export async function holdWorkerLock(client: ClientBase, worker: number): Promise<void> {
  await client.query('select pg_advisory_lock($1::bigint)', [worker]);
}

const adoptSql = `update agent_runs set worker = $2 where worker = $1 and state in ('running', 'signed')`;

/**
 * Assigns the open runs of dead workers to `worker`. `client` is the connection that holds the worker's own lock.
 */
export async function adoptOrphans(client: ClientBase, worker: number): Promise<void> {
  const { rows } = await client.query<{ worker: number }>(
    `select distinct worker from agent_runs where state in ('running', 'signed') and worker <> $1`,
    [worker],
  );
  for (const { worker: other } of rows) {
    // The transaction releases the dead worker's lock even if it fails, so that another worker can take its runs over.
    await transact(client, async () => {
      const locked = await client.query<{ dead: boolean }>(
        'select pg_try_advisory_xact_lock($1::bigint) as dead',
        [other],
      );
      if (locked.rows[0]?.dead) await client.query(adoptSql, [other, worker]);
    });
  }
}

/** Ids of the open runs of a worker. */
export async function readOwnRuns(db: Pool, worker: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'agent-own-runs',
    text: `select id from agent_runs where worker = $1 and state in ('running', 'signed')`,
    values: [worker],
  });
  return rows.map(({ id }) => id);
}

const openSql = `
select ${openColumns.select('r')}, r.state,
  ${buildNextPositionSql('r.id')} as "nextPosition",
  (select s.step from agent_run_steps s where s.run = r.id order by s.position desc limit 1) as step
from agent_runs r where r.id = any($1) and r.worker = $2 and r.state in ('running', 'signed')`;

/** Reads runs with their progress. Leaves out those that have ended or belong to another worker. */
export async function readOpenRuns(db: Pool, worker: number, runs: readonly number[]): Promise<OpenRun[]> {
  if (runs.length === 0) return [];
  return (await db.query<OpenRun>({ name: 'agent-open-runs', text: openSql, values: [runs, worker] })).rows;
}

/**
 * Calls `work` while this process holds the advisory lock of the name. If the connection breaks, `work` goes on while
 * another process may take the lock, so its writes must be correct then too. A failed unlock does not change the
 * result: the connection is closed then, which releases the lock too.
 */
export async function withAdvisoryLock<T>(db: Pool, name: string, work: () => Promise<T>): Promise<T> {
  const client = await db.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
  } catch (error) {
    client.release(true);
    throw error;
  }
  try {
    return await work();
  } finally {
    const unlocked = await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).then(
      () => true,
      () => false,
    );
    client.release(!unlocked);
  }
}
