import type { Pool } from 'pg';
import { z } from 'zod';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { type Page, toPage } from '../page.ts';

/** A run as its wallet's callers see it. Times are milliseconds since the epoch. */
export interface Run {
  id: string;
  network: string;
  walletId: string;
  owner: string;
  action: string;
  request: Record<string, unknown>;
  requestId: string | null;
  state: string;
  digest: string | null;
  code: string | null;
  startedMs: number;
  endedMs: number | null;
  reserved: { coinType: string; amount: string }[];
  steps: (RunStep & { atMs: number })[];
}

interface RunRow extends Omit<Run, 'id' | 'startedMs' | 'endedMs' | 'steps' | 'reserved'> {
  id: number;
  started_at: Date;
  ended_at: Date | null;
  reserved: Run['reserved'] | null;
  steps: { step: RunStep['step']; status: RunStep['status']; detail?: string; digest?: string; at: string }[];
}

export interface RunsQuestion {
  network: string;
  walletId: string;
  limit: number;
  cursor?: string | undefined;
}

const listSql = `
select r.*, v.reserved, s.steps from (
  select id, network, wallet_id as "walletId", owner, action, request, request_id as "requestId", state, digest, code,
    started_at, ended_at
  from agent_runs where network = $1 and wallet_id = $2 and ($4::bigint is null or id < $4)
  order by id desc limit $3::int + 1
) r
left join lateral (
  select json_agg(json_strip_nulls(json_build_object('step', step, 'status', status, 'detail', detail,
    'digest', digest, 'at', at)) order by place) as steps
  from agent_run_steps where run = r.id
) s on true
left join lateral (
  select json_agg(json_build_object('coinType', measure, 'amount', amount::text) order by measure) as reserved
  from agent_reservations where run = r.id and subject = 'wallet:' || r."walletId" and measure like '%::%'
) v on true
order by r.id desc`;

/**
 * Runs of a wallet, the newest first.
 * @throws BadCursorError
 */
export async function readRuns(
  db: Pool,
  { network, walletId, limit, cursor }: RunsQuestion,
): Promise<Page<Run>> {
  const before = cursor === undefined ? null : decodeCursor(cursor, z.tuple([z.int().min(1)]))[0];
  const { rows } = await db.query<RunRow>({
    name: 'agent-runs',
    text: listSql,
    values: [network, walletId, limit, before],
  });
  return toPage(rows, limit, toRun, (row) => encodeCursor([row.id]));
}

function toRun({ id, started_at, ended_at, reserved, steps, ...row }: RunRow): Run {
  return {
    id: String(id),
    ...row,
    startedMs: started_at.getTime(),
    endedMs: ended_at?.getTime() ?? null,
    reserved: reserved ?? [],
    steps: (steps ?? []).map(({ at, ...step }) => ({ ...step, atMs: Date.parse(at) })),
  };
}
