import type { ListedOp, OpMisfit } from '@adaptor-marketplace/adaptor/manifest';
import type { Pool } from 'pg';
import { type CanaryRun, type CanaryState, judgedRuns } from '../../lib/canaries/judge.ts';
import type { NewServiceEvent } from '../../lib/webhooks/service-events.ts';
import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { inTransaction } from '../transaction.ts';
import type { DueItems } from './due.ts';
import type { Queryable } from './queryable.ts';
import { appendServiceEvents } from './service-events.ts';
import { shownManifest } from './shown-manifest.ts';
import { readInTurns, type Turns } from './turns.ts';

const dueColumns = readColumns(tables.canaries, ['serviceType', 'publisher', 'version']);

/** An entry whose ops are due for simulation. */
export interface DueCanary extends Row<typeof dueColumns> {}

/** Reads the due entries. A publisher with many entries delays no other. */
export async function readDueCanaries(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
): Promise<DueItems<DueCanary>> {
  return await readInTurns<DueCanary>(db, read, {
    name: 'due-canaries',
    table: 'canaries',
    due: 'next_check_at',
    ready: 'check_ready',
    priorities: ['true'],
    groups: [{ group: 'publisher', order: 'service_type' }],
    select: dueColumns.select('q'),
  });
}

interface EntryKey {
  network: string;
  serviceType: string;
  publisher: string;
}

const isEntry = 'network = $1 and service_type = $2 and publisher = $3';
const toValues = ({ network, serviceType, publisher }: EntryKey) => [network, serviceType, publisher];

/** Reads a due entry in its current state; undefined if it is no longer due. */
export async function readDueCanary(db: Queryable, key: EntryKey): Promise<DueCanary | undefined> {
  const { rows } = await db.query<DueCanary>({
    name: 'due-canary',
    text: `select ${dueColumns.select('q')} from canaries q where ${isEntry} and next_check_at <= now()`,
    values: toValues(key),
  });
  return rows[0];
}

const opColumns = readColumns(tables.canaryOps, ['op', 'state', 'everWorked', 'runs']);

/** An op as its last simulation left it. */
export interface FormerOp extends Row<typeof opColumns> {}

/** An entry of the catalog with what its simulations need. */
export interface SimulatedEntry {
  version: number;
  packageId: string;
  manifestHash: string;
  ops: ListedOp[];
  misfits: OpMisfit[];
  /** Coins in the spelling of the manifest. */
  supportedCoins: string[];
  former: FormerOp[];
}

/** Reads an entry; undefined if the catalog no longer has it. */
export async function readSimulatedEntry(db: Queryable, key: EntryKey): Promise<SimulatedEntry | undefined> {
  const { rows } = await db.query<SimulatedEntry>({
    name: 'simulated-entry',
    text: `select e.version, e.package_id as "packageId", e.manifest_hash as "manifestHash", e.op_misfits as misfits,
        e.coins as "supportedCoins", coalesce(${shownManifest} -> 'ops', '[]') as ops,
        coalesce((select jsonb_agg(jsonb_build_object('op', o.op, 'state', o.state, 'everWorked', o.ever_worked, 'runs', o.runs))
          from canary_ops o where o.network = $1 and o.service_type = $2 and o.publisher = $3), '[]') as former
      from catalog_entries e join manifests m on m.hash = e.manifest_hash
      where e.network = $1 and e.service_type = $2 and e.publisher = $3`,
    values: toValues(key),
  });
  return rows[0];
}

/** Actions of a service that sizes and coins are taken from, the newest ones. */
const pastActionsMax = 1_000;

/** A coin that counted actions of a service moved: amounts are in base units, each of one action. */
export interface PastCoin {
  coinType: string;
  /** Null if its metadata is not known. */
  decimals: number | null;
  taken: string[];
  brought: string[];
  /** Wallets that moved it, the latest first, with their owners now. */
  wallets: { walletId: string; owner: string }[];
}

/** Wallets of a coin that may hold it. */
const walletsMax = 8;

/** Reads the coins that the newest actions of a service moved, those of most actions first. */
export async function readPastCoins(
  db: Queryable,
  network: string,
  serviceType: string,
): Promise<PastCoin[]> {
  const { rows } = await db.query<PastCoin>({
    name: 'past-coins',
    text: `with action as materialized (
        select a.*, row_number() over () as age from (
          select wallet_id, coins, taken, brought from service_actions
          where network = $1 and service_type = $2 and signed_by is not null
          order by checkpoint desc, tx_index desc, event_index desc limit ${pastActionsMax}) a),
      moved as materialized (
        select a.wallet_id, a.age, m.* from action a
        cross join lateral unnest(a.coins, a.taken, a.brought) as m (coin, taken, brought))
      select m.coin as "coinType", min(c.decimals)::int as decimals,
        coalesce(array_agg(m.taken::text) filter (where m.taken > 0), '{}') as taken,
        coalesce(array_agg(m.brought::text) filter (where m.brought > 0), '{}') as brought,
        (select coalesce(jsonb_agg(jsonb_build_object('walletId', w.wallet_id, 'owner', w.owner) order by h.age), '[]')
          from (select wallet_id, min(age) as age from moved where coin = m.coin
            group by wallet_id order by age limit ${walletsMax}) h
          join wallets w on w.network = $1 and w.wallet_id = h.wallet_id) as wallets
      from moved m
      left join coins c on c.network = $1 and c.coin_type = m.coin and c.state = 'found'
      group by m.coin order by count(*) desc, m.coin`,
    values: [network, serviceType],
  });
  return rows;
}

/**
 * Reserves the next simulation of a network. Processes share the rate; one that dies leaves one simulation unused.
 * @returns milliseconds until it may be sent
 */
export async function reserveSimulation(db: Queryable, network: string, perSecond: number): Promise<number> {
  const { rows } = await db.query<{ waitMs: number }>({
    name: 'reserve-simulation',
    text: `insert into canary_paces as p (network, free_at)
      values ($1, clock_timestamp() + make_interval(secs => 1 / $2::float8))
      on conflict (network) do update
        set free_at = greatest(p.free_at, clock_timestamp()) + make_interval(secs => 1 / $2::float8)
      returning (extract(epoch from free_at - clock_timestamp()) * 1000)::float8 - 1000 / $2::float8 as "waitMs"`,
    values: [network, perSecond],
  });
  return Math.max(0, rows[0]!.waitMs);
}

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
 * Stores the simulations of an entry, and sets the time of the next ones. Subscribers are notified of a change in the same
 * transaction. Nothing is stored if the catalog shows another version by now, or another process was first.
 */
export async function recordCanary(
  pool: Pool,
  key: EntryKey & { version: number },
  results: readonly CanaryResult[],
  intervalSeconds: number,
): Promise<void> {
  await inTransaction(pool, async (client) => {
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
    const events = listEvents(key, results);
    if (events.length > 0) await appendServiceEvents(client, events);
  });
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
