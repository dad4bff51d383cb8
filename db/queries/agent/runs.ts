import type { Pool } from 'pg';
import { z } from 'zod';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { type Page, toPage } from '../page.ts';
import { codeSql } from './steps.ts';

/** A run as its wallet's callers see it. Times are milliseconds since the epoch. */
export interface Run {
  id: string;
  network: string;
  walletId: string;
  owner: string;
  action: string;
  request: Record<string, unknown>;
  requestId: string | null;
  attempt: number;
  state: string;
  digest: string | null;
  code: string | null;
  /** In MIST, less rebates; null until it is known. */
  gasCharged: string | null;
  settledNote: string | null;
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
  steps: (RunStep & { at: string })[];
}

export interface RunsQuestion {
  network: string;
  walletId: string;
  limit: number;
  cursor?: string | undefined;
}

/** Runs, the newest first, as the rest of a statement chooses them. */
const runsSql = (chosen: string) => `
select r.id, r.network, r.wallet_id as "walletId", r.owner, r.action, r.request, r.request_id as "requestId", r.attempt,
  r.state, r.digest, r.code, r.gas_charged::text as "gasCharged", r.settled_note as "settledNote", r.started_at,
  r.ended_at, v.reserved, s.steps
from (select * from agent_runs ${chosen}) r
left join lateral (
  select json_agg(json_strip_nulls(json_build_object('step', l.step, 'status', l.status, 'code', l.code,
    'detail', l.detail, 'digest', l.digest, 'at', l.at)) order by l.place) as steps
  from (select s.*, ${codeSql} as code from agent_run_steps s where s.run = r.id) l
) s on true
left join lateral (
  select json_agg(json_build_object('coinType', measure, 'amount', amount::text) order by measure) as reserved
  from agent_reservations where run = r.id and subject = 'wallet:' || r.wallet_id and measure like '%::%'
) v on true
order by r.id desc`;

const listSql = runsSql(
  `where network = $1 and wallet_id = $2 and ($4::bigint is null or id < $4) order by id desc limit $3::int + 1`,
);

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

const oneSql = runsSql('where id = $1');

/** The run of this id. */
export async function readRun(db: Pool, id: number): Promise<Run | undefined> {
  const { rows } = await db.query<RunRow>({ name: 'agent-run', text: oneSql, values: [id] });
  return rows[0] && toRun(rows[0]);
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
