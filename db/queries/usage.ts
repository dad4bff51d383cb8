import type { ClientBase } from 'pg';
import { columnTypes, type Item, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { copyRows } from './copy.ts';
import { keyColumns } from './lists.ts';
import { createLookup } from './lookups.ts';
import { type EventPosition, eventPosition, keyRows, type Queryable, toColumns } from './queryable.ts';
import { endOfChain, type TransactionPosition } from './sources.ts';

const usageColumns = readColumns(tables.serviceUsage, ['actions', 'uniqueVaults'], {
  lastActionMs: 'lastActionAt',
});

/** Counted use of a service by wallets. */
export type Usage = Item<typeof usageColumns>;

interface UsageKey {
  network: string;
  serviceType: string;
}

const findUsage = createLookup<UsageKey, Row<typeof usageColumns>, Usage>({
  name: 'find-usage',
  key: keyColumns(tables.serviceUsage, 'network', 'serviceType'),
  select: usageColumns.select('u'),
  join: 'join service_usage u on u.network = key.network and u.service_type = key.service_type',
  toItem: usageColumns.toItem,
});

const unused: Usage = { actions: 0, uniqueVaults: 0, lastActionMs: null };

/** Reads the usage of many services, listed or not, in one round trip. Counts are zero for a service without usage. */
export const readUsage = async (db: Queryable, keys: readonly UsageKey[]): Promise<Usage[]> =>
  (await findUsage(db, keys)).map((usage) => usage ?? unused);

/** One counted use of a service by a wallet. */
export interface NewAction {
  at: EventPosition;
  service: string;
  walletId: string;
  /** Owner of the wallet at that time; undefined if the index does not know the wallet. */
  owner: string | undefined;
  /** Sender of the transaction if it is the owner, or a delegate whose budget was debited; else null. */
  signedBy: 'owner' | 'delegate' | null;
  actors: Iterable<string>;
  /** Amounts by coin type, in base units. */
  coins: ReadonlyMap<string, MovedAmounts>;
}

/** Amounts that an action moved of one coin, in base units. */
export interface MovedAmounts {
  /** Amount that left the wallet. */
  taken: bigint;
  /** Amount that came into the wallet. */
  brought: bigint;
}

const actionColumns = [
  'network',
  ...eventPosition,
  'serviceType',
  'walletId',
  'owner',
  'signedBy',
  'actors',
  'coins',
  'taken',
  'brought',
  'timestamp',
] as const;

export async function appendActions(
  client: ClientBase,
  network: string,
  actions: readonly NewAction[],
): Promise<void> {
  if (actions.length === 0) return;
  await copyRows(
    client,
    tables.serviceActions,
    actionColumns,
    actions.map(({ at, service, walletId, owner, signedBy, actors, coins }) => [
      network,
      at.checkpoint,
      at.txIndex,
      at.eventIndex,
      service,
      walletId,
      owner ?? null,
      signedBy,
      encodeArray(actors),
      encodeArray(coins.keys()),
      encodeArray(coins.values().map(({ taken }) => String(taken))),
      encodeArray(coins.values().map(({ brought }) => String(brought))),
      new Date(at.timestampMs),
    ]),
  );
}

/** Returns an array in the text format of PostgreSQL; a coin type may contain commas. */
const encodeArray = (items: Iterable<string>) =>
  `{${[...items].map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/**
 * Adds the actions at or after `from`, each once, to the totals of vaults, services, days and coins. Call it in the order
 * of the chain.
 * @param before checkpoint before which the actions end
 * @returns the services that were used
 */
export async function addUsage(
  client: ClientBase,
  network: string,
  from: TransactionPosition,
  before = endOfChain,
): Promise<string[]> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new action.
  const { rows } = await client.query<{ serviceType: string }>(
    `with fresh as (
        select service_type, wallet_id, ("timestamp" at time zone 'UTC')::date as day,
          count(*) as actions, max("timestamp") as last_action_at
        from service_actions
        where network = $1 and (checkpoint, tx_index) >= ($2::bigint, $3::int) and checkpoint < $4
        group by 1, 2, 3),
      -- Each wallet is looked up: the planner cannot know how many are new, and would read all wallets for some.
      known as materialized (
        select f.*, v.last_action_at as known_action_at
        from fresh f
        left join lateral (
          select v.last_action_at from service_vaults v
          where v.network = $1 and v.service_type = f.service_type and v.wallet_id = f.wallet_id offset 0) v on true),
      vaults as (
        insert into service_vaults as v (network, service_type, wallet_id, actions, last_action_at)
        select $1, service_type, wallet_id, sum(actions), max(last_action_at) from known
        group by service_type, wallet_id
        -- In the order of the keys: in that of a join, each touches another page of the index.
        order by service_type, wallet_id
        on conflict (network, service_type, wallet_id) do update set
          actions = v.actions + excluded.actions,
          last_action_at = greatest(v.last_action_at, excluded.last_action_at)),
      days as (
        -- Time only goes on: a wallet whose last action was on an earlier day is a new one of this day.
        insert into service_days as d (network, service_type, day, actions, wallets)
        select $1, service_type, day, sum(actions), count(*) filter (
          where known_action_at is null or (known_action_at at time zone 'UTC')::date < day)
        from known group by service_type, day
        on conflict (network, service_type, day) do update set
          actions = d.actions + excluded.actions,
          wallets = d.wallets + excluded.wallets),
      coin_days as (
        insert into service_coin_days as d (network, service_type, day, coin, actions, taken, brought)
        select $1, service_type, ("timestamp" at time zone 'UTC')::date, moved.coin,
          count(*), sum(moved.taken), sum(moved.brought)
        from service_actions a cross join unnest(a.coins, a.taken, a.brought) as moved (coin, taken, brought)
        where network = $1 and (checkpoint, tx_index) >= ($2::bigint, $3::int) and checkpoint < $4
        group by 2, 3, 4
        on conflict (network, service_type, day, coin) do update set
          actions = d.actions + excluded.actions,
          taken = d.taken + excluded.taken,
          brought = d.brought + excluded.brought)
      insert into service_usage as u (network, service_type, actions, unique_vaults, last_action_at)
      select $1, service_type, sum(actions), count(distinct wallet_id) filter (where known_action_at is null),
        max(last_action_at)
      from known group by service_type
      on conflict (network, service_type) do update set
        actions = u.actions + excluded.actions,
        unique_vaults = u.unique_vaults + excluded.unique_vaults,
        last_action_at = greatest(u.last_action_at, excluded.last_action_at)
      returning service_type as "serviceType"`,
    [network, from.checkpoint, from.txIndex, before],
  );
  return rows.map(({ serviceType }) => serviceType);
}

/** Usage of a service on one day (UTC), and the amounts that it moved of each coin. */
export interface UsageDay {
  /** `2026-01-31` */
  day: string;
  actions: number;
  /** Distinct wallets of the day. */
  wallets: number;
  /** Coins by number of actions, the most first. Amounts are in base units. */
  coins: { coin: string; actions: number; taken: string; brought: string }[];
}

/** Maximum number of coins of a day. A wallet may move any number. */
export const coinsOfDayMax = 20;

interface UsageDaysKey extends UsageKey {
  /** Number of days, the last of which is today. */
  days: number;
}

/** Reads the days with usage of many services in one round trip, the oldest first. */
export async function readUsageDays(db: Queryable, keys: readonly UsageDaysKey[]): Promise<UsageDay[][]> {
  const { rows } = await db.query<UsageDay & { nth: number }>({
    name: 'usage-days',
    text: `
select key.nth::int, d.day::text, d.actions, d.wallets, coalesce(moved.coins, '[]') as coins
from ${usageDayKeys}
join service_days d on d.network = key.network and d.service_type = key.service_type
  and d.day > (now() at time zone 'UTC')::date - key.days
left join lateral (
  select json_agg(json_build_object(
    'coin', coin, 'actions', actions, 'taken', taken::text, 'brought', brought::text) order by actions desc, coin) as coins
  from (
    select coin, actions, taken, brought from service_coin_days c
    where c.network = d.network and c.service_type = d.service_type and c.day = d.day
    order by actions desc, coin limit ${coinsOfDayMax}
  ) top
) moved on true
order by key.nth, d.day`,
    values: toUsageDayColumns(keys),
  });
  const byKey = Map.groupBy(rows, ({ nth }) => nth);
  return keys.map((_, at) => (byKey.get(at + 1) ?? []).map(({ nth: _nth, ...day }) => day));
}

const usageDayKeys = keyRows({ ...columnTypes(tables.serviceDays, 'network', 'serviceType'), days: 'int' });
const toUsageDayColumns = (keys: readonly UsageDaysKey[]) =>
  toColumns(keys, 'network', 'serviceType', 'days');

/**
 * Reads the amounts that many services moved of each coin in their days, in one round trip. Coins of most actions come
 * first.
 */
export async function readUsageCoins(
  db: Queryable,
  keys: readonly UsageDaysKey[],
): Promise<UsageDay['coins'][]> {
  const { rows } = await db.query<UsageDay['coins'][number] & { nth: number }>({
    name: 'usage-coins',
    text: `
select key.nth::int, c.*
from ${usageDayKeys}
cross join lateral (
  select coin, sum(actions)::bigint as actions, sum(taken)::text as taken, sum(brought)::text as brought
  from service_coin_days d
  where d.network = key.network and d.service_type = key.service_type
    and d.day > (now() at time zone 'UTC')::date - key.days
  group by coin
  order by sum(actions) desc, coin limit ${coinsOfDayMax}
) c
order by key.nth, c.actions desc, c.coin`,
    values: toUsageDayColumns(keys),
  });
  const byKey = Map.groupBy(rows, ({ nth }) => nth);
  return keys.map((_, at) => (byKey.get(at + 1) ?? []).map(({ nth: _nth, ...coin }) => coin));
}
