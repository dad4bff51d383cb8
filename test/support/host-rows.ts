import type { Pool } from 'pg';
import { address } from './read-model.ts';

/** Stores a run as the agent service does. */
export async function addRun(
  pool: Pool,
  { state = 'done', wallet = 0xb1 }: { state?: string; wallet?: number } = {},
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into agent_runs (network, wallet_id, owner, action, request, request_hash, caller, agent, state, worker,
        digest, code, started_at)
      values ('testnet', $1, $2, 'spend', '{"action":"spend"}', 'h', 'internal', $2, $3, 1, 'D1gest', $4, now())
      returning id`,
    [address(wallet), address(0xa1), state, state === 'unknown' ? 'unknown' : null],
  );
  const { id } = rows[0]!;
  await pool.query(
    `insert into agent_run_steps (run, position, step, status, at) values ($1, 0, 'validate', 'done', now())`,
    [id],
  );
  return String(id);
}
