import type { ListedOp, OpCoins, OpMisfit } from '@adaptor-marketplace/adaptor/manifest';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { DueItems } from '../due.ts';
import type { Queryable } from '../queryable.ts';
import { shownManifest } from '../shown-manifest.ts';
import { readInTurns, type Turns } from '../turns.ts';
import { type EntryKey, isEntry, toValues } from './key.ts';

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
  /** Coins that the objects of ops settle, as the last check read them. */
  opCoins: OpCoins[];
  /**
   * Coin types as the chain spells them, and `*`. Without those that the node does not know: it refuses a simulation that
   * names a type which the network lacks.
   */
  supportedCoins: string[];
  former: FormerOp[];
}

/** Reads an entry; undefined if the catalog no longer has it. */
export async function readSimulatedEntry(db: Queryable, key: EntryKey): Promise<SimulatedEntry | undefined> {
  const { rows } = await db.query<SimulatedEntry>({
    name: 'simulated-entry',
    text: `select e.version, e.package_id as "packageId", e.manifest_hash as "manifestHash", e.op_misfits as misfits,
        e.op_coins as "opCoins", coalesce(${shownManifest} -> 'ops', '[]') as ops,
        array(select n.coin from unnest(e.coins) with ordinality n (coin, at)
          where not exists (select from coins c
            where c.network = e.network and c.coin_type = n.coin and c.state = 'absent')
          order by n.at) as "supportedCoins",
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
  /** Wallets that moved it and are not paused, the latest first, with their owners now. */
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
        cross join lateral unnest(a.coins, a.taken, a.brought) as m (coin, taken, brought)),
      holder as (
        select m.coin, w.wallet_id, w.owner, row_number() over (partition by m.coin order by min(m.age)) as place
        from moved m join wallets w on w.network = $1 and w.wallet_id = m.wallet_id and not w.paused
        group by m.coin, w.wallet_id, w.owner),
      held as (
        select coin, jsonb_agg(jsonb_build_object('walletId', wallet_id, 'owner', owner) order by place) as wallets
        from holder where place <= ${walletsMax} group by coin)
      select m.coin as "coinType", min(c.decimals)::int as decimals,
        coalesce(array_agg(m.taken::text) filter (where m.taken > 0), '{}') as taken,
        coalesce(array_agg(m.brought::text) filter (where m.brought > 0), '{}') as brought,
        coalesce(h.wallets, '[]') as wallets
      from moved m
      left join coins c on c.network = $1 and c.coin_type = m.coin and c.state = 'found'
      left join held h on h.coin = m.coin
      group by m.coin, h.wallets order by count(*) desc, m.coin`,
    values: [network, serviceType],
  });
  return rows;
}

/** Turns that may wait at once. A later one was reserved before the clock of the database was set back. */
const turnsMax = 100;

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
        set free_at = make_interval(secs => 1 / $2::float8) + case
          when p.free_at > clock_timestamp() + make_interval(secs => ${turnsMax} / $2::float8) then clock_timestamp()
          else greatest(p.free_at, clock_timestamp()) end
      returning (extract(epoch from free_at - clock_timestamp()) * 1000)::float8 - 1000 / $2::float8 as "waitMs"`,
    values: [network, perSecond],
  });
  return Math.max(0, rows[0]!.waitMs);
}
