import type { ClientBase } from 'pg';
import type { RunBounds } from '../../schema/agent-runs.ts';

/** A run that is open, as far as it got. */
export interface OpenRun {
  run: number;
  network: string;
  walletId: string;
  action: string;
  agent: string;
  state: 'running' | 'signed';
  transaction: Buffer | null;
  signatures: string[] | null;
  digest: string | null;
  bounds: RunBounds | null;
  signedCheckpoint: number | null;
  /** Lines that were told of it. */
  places: number;
  /** The step that was active last. */
  step: string;
}

/** Takes the lock by which others know that the worker lives, for as long as the connection stands. */
export async function holdWorkerLock(client: ClientBase, worker: number): Promise<void> {
  await client.query('select pg_advisory_lock($1::bigint)', [worker]);
}

const adoptSql = `
update agent_runs set worker = $2 where worker = $1 and state in ('running', 'signed') returning id`;

const openSql = `
select r.id as run, r.network, r.wallet_id as "walletId", r.action, r.agent, r.state, r.transaction, r.signatures,
  r.digest, r.bounds, r.signed_checkpoint::float8 as "signedCheckpoint",
  (select count(*)::int from agent_run_steps s where s.run = r.id) as places,
  (select s.step from agent_run_steps s where s.run = r.id order by s.place desc limit 1) as step
from agent_runs r where r.id = any($1)`;

/** Takes over the open runs of workers that live no more. The connection is that which holds the own lock. */
export async function adoptOrphans(client: ClientBase, worker: number): Promise<OpenRun[]> {
  const { rows } = await client.query<{ worker: number }>(
    `select distinct worker from agent_runs where state in ('running', 'signed') and worker <> $1`,
    [worker],
  );
  const adopted: OpenRun[] = [];
  for (const { worker: other } of rows) {
    const locked = await client.query<{ dead: boolean }>('select pg_try_advisory_lock($1::bigint) as dead', [
      other,
    ]);
    if (!locked.rows[0]?.dead) continue;
    const taken = await client.query<{ id: number }>(adoptSql, [other, worker]);
    // A statement of the dead worker's may have been under way: what it wrote is seen only now.
    const ids = taken.rows.map(({ id }) => id);
    adopted.push(...(await client.query<OpenRun>(openSql, [ids])).rows);
    await client.query('select pg_advisory_unlock($1::bigint)', [other]);
  }
  return adopted;
}
