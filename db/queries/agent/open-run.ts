import type { ClientBase, Pool } from 'pg';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { buildLineParams, buildLinesSql, type NewLines, unsyncedSql } from './runs.ts';

export interface NewRun {
  network: string;
  walletId: string;
  owner: string;
  action: string;
  request: Record<string, unknown>;
  requestId: string | null;
  /** From 1. A later attempt starts only after the previous one failed with nothing signed. */
  attempt: number;
  requestHash: string;
  caller: string;
  agent: string;
  worker: number;
  startedAt: Date;
  /** Claims that are known when the run opens. */
  claims: readonly Claim[];
  /** Maximum number of similar runs that are open at the same time. Absent: no limit. */
  openMax?: OpenRunLimit | undefined;
  lines: NewLines['lines'];
}

/** Maximum number of open runs on a network that reserve part of the limits of one subject. */
export interface OpenRunLimit {
  subject: string;
  ofAll: number;
  ofOwner: number;
}

/** The latest attempt of the request id. */
interface PreviousRun {
  kind: 'known';
  run: number;
  attempt: number;
  requestHash: string;
  /** The run failed and nothing was signed: the same request may be attempted again. */
  repeatable: boolean;
}

/** Another run of the wallet is open. */
interface BusyWallet {
  kind: 'busy';
  /** The worker that drives the open run. */
  worker: number;
  /** Id of the run if only an operator can settle it, else null. */
  unsettled: number | null;
}

/** A freeze that stops the run, the widest one. */
export interface Freeze {
  kind: 'frozen';
  scope: 'all' | 'network' | 'wallet';
  reason: string;
}

export type OpenRunResult =
  | { kind: 'opened'; run: number }
  | PreviousRun
  | BusyWallet
  | Freeze
  | { kind: 'overLimit'; limit: LimitExcess }
  /** Maximum number of open runs reached: for the owner's wallets, or for all. */
  | { kind: 'crowded'; whose: 'owner' | 'all' };

class RunRefusedError extends Error {
  readonly opening: OpenRunResult;

  constructor(opening: OpenRunResult) {
    super(opening.kind);
    this.opening = opening;
  }
}

/**
 * Opens a run and reserves its claims, or returns the reason for the refusal. It checks for another attempt or open run
 * first, then for a freeze, the daily limits and the number of open runs.
 */
export async function openRun(db: Pool, newRun: NewRun): Promise<OpenRunResult> {
  const opening = newRun.openMax ? 'refused' : await openAtOnce(db, newRun);
  if (opening !== 'refused') return opening;
  try {
    return await inTransaction(db, (client) => open(client, newRun));
  } catch (error) {
    if (error instanceof RunRefusedError) return error.opening;
    throw error;
  }
}

/** SQL condition: freeze `f` stops the wallet's runs. It is on the wallet, its network, or everything. */
export const buildFreezeCondition = (network: string, walletId: string) =>
  `(f.network = '*' or f.network = ${network}) and (f.wallet_id = '*' or f.wallet_id = ${walletId})`;

/**
 * Common table expressions that reserve claims for the run in the row of `run` (`id`, `network`, `started_at`). The
 * claims are parameters from `$first` on. `counted` holds the claims that fit within their limits.
 */
export const buildReservingSql = (first: number, condition = 'true') => `
claims as (
  select * from unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::numeric[], $${first + 3}::numeric[])
    as claim (subject, measure, amount, daily_max)
), counted as (
  insert into agent_limits as l (network, subject, measure, day, reserved, spent, daily_max)
  select run.network, subject, measure, (run.started_at at time zone 'utc')::date, amount, 0, daily_max
  from claims, run
  where (daily_max is null or amount <= daily_max) and ${condition}
  order by subject, measure
  on conflict (network, subject, measure, day) do update
    set reserved = l.reserved + excluded.reserved, daily_max = excluded.daily_max
    where excluded.daily_max is null or l.reserved + l.spent + excluded.reserved <= excluded.daily_max
  returning subject, measure, day
), reserved as (
  insert into agent_reservations as r (run, subject, measure, day, amount)
  select run.id, subject, measure, day, amount from claims join counted using (subject, measure), run
  on conflict (run, subject, measure) do update set amount = r.amount + excluded.amount
)`;

/** Returns the parameters of `buildReservingSql`, in its order. */
export const buildClaimParams = (claims: readonly Claim[]) => [
  claims.map(({ subject }) => subject),
  claims.map(({ measure }) => measure),
  claims.map(({ amount }) => amount.toString()),
  claims.map(({ dailyMax }) => dailyMax?.toString() ?? null),
];

/** SQL expression that divides by zero, and so fails the whole statement, unless every claim of `buildReservingSql` fits. */
export const allCountedSql = `1 / ((select count(*) from counted) = (select count(*) from claims))::int`;

/**
 * Resolves to the result of a statement that applies completely or not at all; `refused` if it divided by zero. One
 * statement saves the round trips for `begin`, `commit` and each part. The reason for a refusal is found afterwards by
 * the parts, in a transaction.
 */
export async function completeOrRefuse<T>(statement: Promise<T>): Promise<T | 'refused'> {
  try {
    return await statement;
  } catch (error) {
    if ((error as { code?: unknown }).code === divisionByZero) return 'refused';
    throw error;
  }
}

const divisionByZero = '22012';

const insertSql = `
run as (
  insert into agent_runs (network, wallet_id, owner, action, request, request_id, attempt, request_hash, caller,
    agent, worker, started_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict do nothing returning id, network, started_at
), added as (${buildLinesSql('run', 13)}), frozen as (
  select case when f.wallet_id <> '*' then 'wallet' when f.network <> '*' then 'network' else 'all' end as scope, f.reason
  from agent_freezes f where ${buildFreezeCondition('$1', '$2')} order by scope limit 1
)`;

const openAtOnceSql = `
with ${insertSql}, ${buildReservingSql(19)}
select run.id, ${allCountedSql}, 1 / (not exists (select from frozen))::int, ${unsyncedSql} from run`;

const openSql = `
with ${insertSql} select run.id, frozen.scope, frozen.reason, ${unsyncedSql} from run left join frozen on true`;

const runValues = (newRun: NewRun) => [
  newRun.network,
  newRun.walletId,
  newRun.owner,
  newRun.action,
  newRun.request,
  newRun.requestId,
  newRun.attempt,
  newRun.requestHash,
  newRun.caller,
  newRun.agent,
  newRun.worker,
  newRun.startedAt,
  ...buildLineParams({ position: 0, lines: newRun.lines, at: newRun.startedAt }),
];

/**
 * Opens a run in one statement. It cannot count other open runs, because it does not see those that open while it waits
 * for a limit.
 */
async function openAtOnce(db: Pool, newRun: NewRun): Promise<OpenRunResult | 'refused'> {
  const values = [...runValues(newRun), ...buildClaimParams(newRun.claims)];
  const opened = await completeOrRefuse(
    db.query<{ id: number }>({ name: 'agent-open-at-once', text: openAtOnceSql, values }),
  );
  if (opened === 'refused') return opened;
  const run = opened.rows[0]?.id;
  return run === undefined ? await findObstacle(db, newRun) : { kind: 'opened', run };
}

async function findObstacle(db: Pool | ClientBase, newRun: NewRun): Promise<OpenRunResult> {
  const { known, busy } = await findRuns(db, newRun);
  if (known && known.attempt >= newRun.attempt) return known;
  // The run that blocked this one may have ended since. The answer is still `busy`, as if it had not.
  return busy ?? { kind: 'busy', worker: newRun.worker, unsettled: null };
}

async function open(client: ClientBase, newRun: NewRun): Promise<OpenRunResult> {
  const { rows } = await client.query<{ id: number; scope: Freeze['scope']; reason: string | null }>({
    name: 'agent-open',
    text: openSql,
    values: runValues(newRun),
  });
  const run = rows[0]?.id;
  if (run === undefined) return await findObstacle(client, newRun);
  const { scope, reason } = rows[0]!;
  if (reason !== null) throw new RunRefusedError({ kind: 'frozen', scope, reason });
  const limit = await reserve(client, run, newRun.claims);
  if (limit) throw new RunRefusedError({ kind: 'overLimit', limit });
  const crowd = newRun.openMax && (await findCrowd(client, newRun, newRun.openMax));
  if (crowd) throw new RunRefusedError({ kind: 'crowded', whose: crowd });
  return { kind: 'opened', run };
}

/**
 * Checks the maximum of open runs. The count is exact for concurrent runs too: each locks the row of the subject's
 * limit before it counts.
 */
async function findCrowd(
  client: ClientBase,
  { network, owner }: Pick<NewRun, 'network' | 'owner'>,
  { subject, ofAll, ofOwner }: OpenRunLimit,
): Promise<'owner' | 'all' | undefined> {
  const { rows } = await client.query<{ all: number; own: number }>(
    `select count(*)::int as all, (count(*) filter (where r.owner = $2))::int as own
      from agent_runs r
      where r.network = $1 and r.state in ('running', 'signed')
        and exists (select from agent_reservations a where a.run = r.id and a.subject = $3)`,
    [network, owner, subject],
  );
  const { all = 0, own = 0 } = rows[0] ?? {};
  if (own > ofOwner) return 'owner';
  return all > ofAll ? 'all' : undefined;
}

const foundColumns = readColumns(tables.agentRuns, ['attempt', 'requestHash', 'worker', 'state'], {
  run: 'id',
});

const findSql = `
select ${foundColumns.select('r')}, request_id is not distinct from $3 as known,
  state = 'failed' and digest is null as repeatable
from agent_runs r
where network = $1 and wallet_id = $2 and (request_id = $3 or state in ('running', 'signed', 'unknown'))
order by attempt desc`;

type FoundRow = Row<typeof foundColumns> & { known: boolean; repeatable: boolean };

/** Finds the latest attempt of a request id, and the wallet's open run if that is another run. */
export async function findRuns(
  db: Pool | ClientBase,
  { network, walletId, requestId }: Pick<NewRun, 'network' | 'walletId' | 'requestId'>,
): Promise<{ known: PreviousRun | undefined; busy: BusyWallet | undefined }> {
  const values = [network, walletId, requestId];
  const { rows } = await db.query<FoundRow>({ name: 'agent-find-runs', text: findSql, values });
  const isKnown = (row: FoundRow) => requestId !== null && row.known;
  const known = rows.find(isKnown);
  const open = rows.find((row) => !isKnown(row));
  return {
    known: known && {
      kind: 'known',
      run: known.run,
      attempt: known.attempt,
      requestHash: known.requestHash,
      repeatable: known.repeatable,
    },
    busy: open && {
      kind: 'busy',
      worker: open.worker,
      unsettled: open.state === 'unknown' ? open.run : null,
    },
  };
}

/** Amount of a measure that a run claims for a subject, as in `agent_limits`. `dailyMax` null: no limit. */
export interface Claim {
  /** `wallet:<id>`, `owner:<address>`, `key:<id>` or `unplanned`. */
  subject: string;
  /** A coin type (base units), `gas` (MIST) or `runs`. */
  measure: string;
  amount: bigint;
  dailyMax: bigint | null;
}

/** A daily limit that a claim would exceed. Amounts are decimal digits. */
export interface LimitExcess {
  subject: string;
  measure: string;
  dailyMax: string;
  /** Amount that runs of the day have spent or reserved. */
  taken: string;
}

const reserveSql = `
with run as (select id, network, started_at from agent_runs where id = $1), ${buildReservingSql(2)}
select subject, measure from counted`;

/**
 * Reserves the claims of a run in the limits of the day on which it began, in one conditional statement. Returns the
 * first limit that would be exceeded. The caller must then roll back its transaction, since other claims are already
 * reserved. Each (subject, measure) must occur only once among the claims.
 */
export async function reserve(
  client: ClientBase,
  run: number,
  claims: readonly Claim[],
): Promise<LimitExcess | undefined> {
  if (claims.length === 0) return undefined;
  const { rows } = await client.query<{ subject: string; measure: string }>({
    name: 'agent-reserve',
    text: reserveSql,
    values: [run, ...buildClaimParams(claims)],
  });
  const reserved = new Set(rows.map(({ subject, measure }) => `${subject} ${measure}`));
  const over = claims.find(({ subject, measure }) => !reserved.has(`${subject} ${measure}`));
  if (!over) return undefined;
  const { subject, measure, dailyMax } = over;
  return { subject, measure, dailyMax: String(dailyMax), taken: await readTakenToday(client, run, over) };
}

async function readTakenToday(
  client: ClientBase,
  run: number,
  { subject, measure }: Pick<Claim, 'subject' | 'measure'>,
): Promise<string> {
  const { rows } = await client.query<{ taken: string }>(
    `select (l.reserved + l.spent)::text as taken
      from agent_runs r join agent_limits l on l.network = r.network and l.subject = $2 and l.measure = $3
        and l.day = (r.started_at at time zone 'utc')::date
      where r.id = $1`,
    [run, subject, measure],
  );
  return rows[0]?.taken ?? '0';
}
