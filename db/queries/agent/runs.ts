import type { ClientBase, Pool } from 'pg';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import { type Item, type Row, readColumns } from '../../rows.ts';
import type { RunBounds } from '../../schema/agent-runs.ts';
import * as tables from '../../schema/index.ts';
import { decodeIdCursor, type Page, toIdPage } from '../page.ts';

/** The channel that receives `<id> <position behind the last line>` whenever a run has new lines, and ` ended` after its last. */
export const runsChannel = 'agent_runs';

/** A run and the worker that drives it. Nothing is written for a run that another worker has taken over. */
export interface RunLease {
  run: number;
  worker: number;
}

/** A signed transaction, in the form in which it is sent. */
export interface SignedTransaction {
  transaction: Uint8Array;
  /** Base64 signatures: the sender's, then the gas payer's if that is another address. */
  signatures: string[];
  digest: string;
  /** Limits of its effect on the wallet. Null if it was signed before bounds were recorded. */
  bounds: RunBounds | null;
  /** The node's newest checkpoint, read before the signature was made. Null: not recorded. */
  signedCheckpoint: number | null;
}

/** Lines to add to a run, the first at `position`. */
export interface NewLines {
  position: number;
  lines: readonly RunStep[];
  at: Date;
}

/** Returns the parameters of `buildLinesSql`, in its order. */
export const buildLineParams = ({ position, lines, at }: NewLines) => [
  position,
  lines.map(({ step }) => step),
  lines.map(({ status }) => status),
  // A node or the tool service can write U+0000, which PostgreSQL does not store.
  lines.map(({ detail }) => detail?.replaceAll('\0', '\ufffd') ?? null),
  lines.map(({ digest }) => digest ?? null),
  at,
];

/**
 * Common table expression that adds lines to the run in the row of `source` (with an `id`). The lines are parameters
 * from `$first` on. If `source` is empty, nothing is added.
 */
export const buildLinesSql = (source: string, first: number) => `
  insert into agent_run_steps (run, position, step, status, detail, digest, at)
  select ${source}.id, $${first}::int + line.nth - 1, line.step, line.status, line.detail, line.digest,
    $${first + 5}::timestamptz
  from ${source}, unnest($${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[],
    $${first + 4}::text[]) with ordinality as line (step, status, detail, digest, nth)`;

/**
 * SQL expression for the position behind the last line of a run. It can exceed the number of lines: a database that crashed
 * may have lost earlier ones.
 */
export const buildNextPositionSql = (run: string) =>
  `(select coalesce(max(s.position) + 1, 0) from agent_run_steps s where s.run = ${run})`;

/**
 * SQL expression that notifies the followers of the run of the position behind the lines in the parameters of `buildLinesSql`.
 */
export const buildNotifySql = (first: number, { ended = false } = {}) =>
  `pg_notify('${runsChannel}', id::text || ' ' || ($${first}::int + cardinality($${first + 1}::text[]))${ended ? " || ' ended'" : ''})`;

/**
 * SQL expression that lets the transaction commit before it is on disk. In a run, only the signature waits for the
 * disk, and it flushes everything before it. Everything after it can be recovered by the digest. So no transaction
 * waits for the disk while it locks limits that runs of other wallets share.
 */
export const unsyncedSql = `set_config('synchronous_commit', 'off', true)`;

const addSql = `
with run as (
  select id from agent_runs where id = $1 and worker = $2 and state in ('running', 'signed') for update
), added as (${buildLinesSql('run', 3)} on conflict (run, position) do nothing returning position)
select ${buildNotifySql(3)}, ${unsyncedSql}, (select count(*) from added)::int as added from run`;

/**
 * Adds lines idempotently. The answer to a committed try may be lost, and only the one worker adds lines. `again`: the
 * lines were already stored. `lost`: another worker drives the run, or the run has ended.
 */
export async function addLines(
  db: Pool | ClientBase,
  { run, worker }: RunLease,
  lines: NewLines,
): Promise<'added' | 'again' | 'lost'> {
  const values = [run, worker, ...buildLineParams(lines)];
  const { rows } = await db.query<{ added: number }>({ name: 'agent-add-lines', text: addSql, values });
  if (!rows[0]) return 'lost';
  return rows[0].added === lines.lines.length ? 'added' : 'again';
}

/**
 * SQL expression for the code of a line `s` of a run `r`, if all lines from some position on are selected. A run's code
 * is that of its last error. An error that another line follows belongs to a run that an operator settled later.
 */
const codeSql = `
  case when s.status = 'error' then
    case when s.position = max(s.position) over (partition by s.run) then r.code else 'unknown' end
  end`;

const endedSql = `r.state in ('done', 'failed', 'unknown')`;

const readSql = `
select ${endedSql} as ended, s.position, s.step, s.status, s.detail, s.digest, ${codeSql} as code
from agent_runs r left join agent_run_steps s on s.run = r.id and s.position >=
  case when ${endedSql} then least($2, (select max(l.position) from agent_run_steps l where l.run = r.id)) else $2 end
where r.id = $1 order by s.position`;

/**
 * Reads the lines of a run from a position on, the position behind them, and its state: ended, waiting for an operator, or
 * neither. If it has ended, its last line is among them: a database that crashed may have lost lines which a follower has,
 * and those that came afterwards have their positions.
 */
export async function readLines(
  db: Pool,
  run: number,
  from: number,
): Promise<{ ended: boolean; next: number; lines: RunStep[] }> {
  const { rows } = await db.query<{
    ended: boolean;
    position: number | null;
    step: RunStep['step'] | null;
    status: RunStep['status'];
    detail: string | null;
    digest: string | null;
    code: string | null;
  }>({ name: 'agent-read-lines', text: readSql, values: [run, from] });
  const lines = rows.flatMap(({ step, status, detail, digest, code }) => {
    if (step === null) return [];
    const about = { ...(detail !== null && { detail }), ...(digest !== null && { digest }) };
    return { step, status, ...(code !== null && { code }), ...about };
  });
  const last = rows.at(-1)?.position ?? null;
  return { ended: rows[0]?.ended ?? true, next: last === null ? from : last + 1, lines };
}

const runColumns = readColumns(
  tables.agentRuns,
  [
    'network',
    'walletId',
    'owner',
    'action',
    'request',
    'requestId',
    'attempt',
    'state',
    'digest',
    'code',
    'gasCharged',
    'settledNote',
  ],
  { startedMs: 'startedAt', endedMs: 'endedAt' },
);

/** A run as its wallet's callers see it. Times are milliseconds since the epoch. */
export interface Run extends Item<typeof runColumns> {
  id: string;
  reserved: { coinType: string; amount: string }[];
  steps: (RunStep & { atMs: number })[];
}

type RunRow = Row<typeof runColumns> & {
  id: number;
  reserved: Run['reserved'] | null;
  steps: (RunStep & { at: string })[] | null;
};

interface RunsQuery {
  network: string;
  walletId: string;
  /** Limits the runs to the attempts of this request. */
  requestId?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** SQL that selects runs; `chosen` is the rest of the statement. */
const buildRunsSql = (chosen: string) => `
select r.id, ${runColumns.select('r')}, v.reserved, s.steps
from (select * from agent_runs ${chosen}) r
left join lateral (
  select json_agg(json_strip_nulls(json_build_object('step', l.step, 'status', l.status, 'code', l.code,
    'detail', l.detail, 'digest', l.digest, 'at', l.at)) order by l.position) as steps
  from (select s.*, ${codeSql} as code from agent_run_steps s where s.run = r.id) l
) s on true
left join lateral (
  select json_agg(json_build_object('coinType', measure, 'amount', amount::text) order by measure) as reserved
  from agent_reservations where run = r.id and subject = 'wallet:' || r.wallet_id and measure like '%::%'
) v on true
order by r.id desc`;

const listSql = buildRunsSql(
  `where network = $1 and wallet_id = $2 and id < $4::bigint order by id desc limit $3::int + 1`,
);
// The attempts of a request have the order of their ids, and the index of requests has them in this order.
const attemptsSql = buildRunsSql(
  `where network = $1 and wallet_id = $2 and request_id = $5 and id < $4::bigint
  order by attempt desc limit $3::int + 1`,
);

/**
 * Reads the runs of a wallet, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function readRuns(
  db: Pool,
  { network, walletId, requestId, limit, cursor }: RunsQuery,
): Promise<Page<Run>> {
  const values = [network, walletId, limit, decodeIdCursor(cursor)];
  const { rows } = await db.query<RunRow>(
    requestId === undefined
      ? { name: 'agent-runs', text: listSql, values }
      : { name: 'agent-runs-of-request', text: attemptsSql, values: [...values, requestId] },
  );
  return toIdPage(rows, limit, toRun);
}

/**
 * Filters for the operator's list of runs. `unknown`: runs that wait for the operator. `open`: these and all others
 * that have not ended.
 */
export const runFilters = ['all', 'open', 'unknown'] as const;
type RunFilter = (typeof runFilters)[number];

// The states are literals, so that the partial index of open runs applies.
const conditionByFilter: Record<RunFilter, string> = {
  all: 'true',
  open: `state in ('running', 'signed', 'unknown')`,
  unknown: `state = 'unknown'`,
};
const buildHostSql = (filter: RunFilter) =>
  buildRunsSql(`where ${conditionByFilter[filter]} and id < $2::bigint order by id desc limit $1::int + 1`);

/**
 * Reads the runs of all wallets, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function readHostRuns(
  db: Pool,
  { filter, limit, cursor }: { filter: RunFilter; limit: number; cursor?: string | undefined },
): Promise<Page<Run>> {
  const { rows } = await db.query<RunRow>({
    name: `agent-host-runs-${filter}`,
    text: buildHostSql(filter),
    values: [limit, decodeIdCursor(cursor)],
  });
  return toIdPage(rows, limit, toRun);
}

const oneSql = buildRunsSql('where id = $1');

export async function readRun(db: Pool, id: number): Promise<Run | undefined> {
  const { rows } = await db.query<RunRow>({ name: 'agent-run', text: oneSql, values: [id] });
  return rows[0] && toRun(rows[0]);
}

function toRun(row: RunRow): Run {
  return {
    id: String(row.id),
    ...runColumns.toItem(row),
    reserved: row.reserved ?? [],
    steps: (row.steps ?? []).map(({ at, ...step }) => ({ ...step, atMs: Date.parse(at) })),
  };
}
