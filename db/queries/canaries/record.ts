import type { ClientBase, Pool } from 'pg';
import { type CanaryRun, type CanaryState, judgedRuns, judgeEntry } from '../../../lib/canaries/judge.ts';
import type { NewServiceEvent } from '../../../lib/webhooks/service-events.ts';
import { inTransaction } from '../../transaction.ts';
import { advanceCatalog, type LockedCatalog, lockCatalog } from '../catalog/revision.ts';
import type { Queryable } from '../queryable.ts';
import { appendServiceEvents } from '../service-events.ts';
import { type EntryKey, isEntry, toValues } from './key.ts';

/** An op after its simulation. */
export interface CanaryResult {
  op: string;
  position: number;
  state: CanaryState;
  /** State before. Undefined for a new op. */
  formerState: CanaryState | undefined;
  everWorked: boolean;
  /** The reason why it was not simulated. Null if it was. */
  untried: string | null;
  /** The last runs, the newest last. */
  runs: readonly CanaryRun[];
}

/** Days that the counts of simulated calls stay. */
export const canaryDaysMax = 90;

/**
 * Stores the simulations of an entry, and sets the time of the next ones. The catalog shows a change of the entry's state, and
 * subscribers are notified of one of an op, in the same transaction. Nothing is stored if the catalog shows another version by
 * now, or another process was first.
 */
export async function recordCanary(
  pool: Pool,
  key: EntryKey & { version: number },
  results: readonly CanaryResult[],
  intervalSeconds: number,
): Promise<void> {
  const state = judgeEntry(results.map((result) => result.state));
  await inTransaction(pool, async (client) => {
    // Writers of the catalog lock it before rows of `canaries`. Most simulations change no state, and leave it alone.
    const isChanged = (await readShownState(client, key)) !== state;
    const catalog = isChanged ? await lockCatalog(client, key.network) : undefined;
    const { rowCount } = await client.query({
      name: 'record-canary',
      text: `update canaries set ran_at = clock_timestamp(), check_ready = false,
          next_check_at = clock_timestamp() + make_interval(secs => $5::float8)
        where ${isEntry} and version = $4 and next_check_at <= now()`,
      values: [...toValues(key), key.version, intervalSeconds],
    });
    if (rowCount === 0) return;
    const rows = results.map(({ formerState: _, runs, ...result }) => {
      const outcomes = (result.untried === null ? runs.at(-1)?.outcomes : undefined) ?? [];
      const worked = outcomes.filter(({ failure }) => failure === null).length;
      return { ...result, runs: runs.slice(-judgedRuns), worked, failed: outcomes.length - worked };
    });
    await client.query({
      name: 'record-canary-ops',
      text: `with result as materialized (
          select * from jsonb_to_recordset($4) as r (op text, position int, state text, "everWorked" boolean, untried text,
            runs jsonb, worked int, failed int)),
        gone as (
          delete from canary_ops where ${isEntry} and op not in (select op from result)),
        counted as (
          insert into canary_days as d (network, service_type, publisher, op, day, worked, failed)
          select $1, $2, $3, op, (clock_timestamp() at time zone 'utc')::date, worked, failed
          from result where untried is null
          on conflict (network, service_type, publisher, op, day) do update
            set worked = d.worked + excluded.worked, failed = d.failed + excluded.failed)
        insert into canary_ops as o (network, service_type, publisher, op, position, state, since, untried, ever_worked, tried_at, runs)
        select $1, $2, $3, op, position, state, clock_timestamp(), untried, "everWorked",
          case when untried is null then clock_timestamp() end, runs
        from result
        on conflict (network, service_type, publisher, op) do update set
          position = excluded.position, state = excluded.state, untried = excluded.untried, runs = excluded.runs,
          since = case when o.state = excluded.state then o.since else excluded.since end,
          ever_worked = excluded.ever_worked, tried_at = coalesce(excluded.tried_at, o.tried_at)`,
      values: [...toValues(key), JSON.stringify(rows)],
    });
    if (catalog) await showState(client, catalog, key, state);
    const events = listEvents(key, results);
    if (events.length > 0) await appendServiceEvents(client, events);
  });
}

/** Reads the state that the catalog shows of an entry; undefined if it has no such entry. */
async function readShownState(db: Queryable, key: EntryKey): Promise<CanaryState | null | undefined> {
  const { rows } = await db.query<{ state: CanaryState | null }>({
    name: 'shown-canary-state',
    text: `select canary_state as state from catalog_entries where ${isEntry}`,
    values: toValues(key),
  });
  return rows[0]?.state;
}

async function showState(
  client: ClientBase,
  catalog: LockedCatalog,
  key: EntryKey,
  state: CanaryState | null,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'show-canary-state',
    text: `update catalog_entries set canary_state = $4::text, revision = $5,
        canary_since = case when $4::text is not null then clock_timestamp() end
      where ${isEntry} and canary_state is distinct from $4::text`,
    values: [...toValues(key), state, catalog.revision],
  });
  if (rowCount) await advanceCatalog(client, catalog);
}

type JudgedState = Exclude<CanaryState, 'unproven'>;
const severities: Readonly<Record<JudgedState, number>> = { up: 0, degraded: 1, down: 2 };

/** Returns an event for the ops that became worse, and one for those that work again. */
function listEvents(
  { network, serviceType, publisher }: EntryKey,
  results: readonly CanaryResult[],
): NewServiceEvent[] {
  const changed = results.flatMap(({ op, state, formerState, runs }) => {
    if (state === 'unproven' || formerState === undefined || formerState === 'unproven') return [];
    const failure = runs.at(-1)?.outcomes.findLast((outcome) => outcome.failure !== null)?.failure ?? null;
    return [{ ops: { op, state, failure }, by: severities[state] - severities[formerState] }];
  });
  const degraded = changed.flatMap(({ ops, by }) => (by > 0 ? [ops] : []));
  const recovered = changed.flatMap(({ ops, by }) => (by < 0 && ops.state === 'up' ? [ops] : []));
  const about = (name: 'Degraded' | 'Recovered', ops: typeof degraded): NewServiceEvent[] =>
    ops.length === 0 ? [] : [{ network, name, data: { serviceType, publisher, ops } }];
  return [...about('Degraded', degraded), ...about('Recovered', recovered)];
}

/** Rows that one statement removes, at most. */
const prunedMax = 10_000;

/** Removes counts that are older than 90 days. @returns `true` if there may be more */
export async function pruneCanaries(db: Queryable, network: string): Promise<boolean> {
  const { rows } = await db.query<{ pruned: number }>({
    name: 'prune-canaries',
    text: `with old as (
        delete from canary_days where ctid = any (array(select ctid from canary_days
          where network = $1 and day <= (now() at time zone 'utc')::date - ${canaryDaysMax} limit ${prunedMax}))
        returning network)
      select count(*)::int as pruned from old`,
    values: [network],
  });
  return rows[0]!.pruned === prunedMax;
}
