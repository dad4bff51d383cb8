import type { Pool } from 'pg';
import { unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { CoinCheck } from '../coins.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import type { ListingKey } from './maintain.ts';
import { entriesMax, refreshPages } from './refresh-pages.ts';

/**
 * Stores the coins that the manifests of verified publishers name, for a check. Strangers create listings for free, so the
 * coins of other listings wait until a wallet grants or moves them.
 *
 * It runs in a transaction of its own: the sources insert coins before they lock the catalog, so a holder of the lock
 * that waited for their coins would wait forever.
 * @param after revision after which entries changed; -1 for all
 * @returns the last revision that was read
 */
export async function addListedCoins(db: Queryable, network: string, after: number): Promise<number> {
  const { rows } = await db.query<{ revision: number }>({
    name: 'add-listed-coins',
    text: `with changed as materialized (
        select revision, publisher_verified, coins from catalog_entries where network = $1 and revision > $2),
      named as (
        insert into coins (network, coin_type)
        select $1, coin_type from (
          select distinct coin as coin_type
          from changed cross join lateral unnest(coins) coin
          where publisher_verified and coin <> '*') accepted
        where not exists (select from coins c where c.network = $1 and c.coin_type = accepted.coin_type)
        order by coin_type on conflict do nothing)
      select coalesce(max(revision), $2::bigint) as revision from changed`,
    values: [network, after],
  });
  return rows[0]!.revision;
}

export interface CoinOutcome extends CoinCheck {
  /** Null if the node could not answer: the stored state stays. */
  state: 'found' | 'absent' | null;
  symbol: string | null;
  decimals: number | null;
  name: string | null;
  /** Url of the logo. Null without one. */
  iconUrl: string | null;
  /** Seconds until the next attempt. Null: no retry. */
  retryAfterSeconds: number | null;
}

const found = ['coinType', 'state', 'symbol', 'decimals', 'name'] as const;

/**
 * Stores the results of checks, each of a different coin. A late result does not replace found metadata. A found coin stays
 * due until the entries that accept it have changed, so another process completes what this one leaves.
 */
export async function recordCoins(
  pool: Pool,
  network: string,
  outcomes: readonly CoinOutcome[],
  pageSize = entriesMax,
): Promise<void> {
  await pool.query({
    name: 'record-coins',
    text: `with named as (
        insert into pictures (network, subject, url)
        select $1, coin_type, url from unnest($2::text[], $9::text[]) as logo (coin_type, url)
        where url is not null order by coin_type on conflict do nothing)
      update coins c set state = case c.state when 'found' then c.state else coalesce(f.state, c.state) end,
        symbol = coalesce(c.symbol, f.symbol), decimals = coalesce(c.decimals, f.decimals), name = coalesce(c.name, f.name),
        checked_at = case when f.state is null then c.checked_at else now() end, check_attempts = f.attempts,
        next_check_at = case when f.state = 'found' or c.next_check_at is null then c.next_check_at
          else now() + make_interval(secs => f.retry_after) end,
        check_ready = c.check_ready and f.state is not distinct from 'found'
      from (select * from ${unnestColumns(tables.coins, 2, found, { attempts: 'int', retry_after: 'float8' })}) f
      where c.network = $1 and c.coin_type = f.coin_type`,
    values: [network, ...toColumns(outcomes, ...found, 'attempts', 'retryAfterSeconds', 'iconUrl')],
  });
  const foundTypes = outcomes.flatMap(({ coinType, state }) => (state === 'found' ? [coinType] : []));
  if (foundTypes.length === 0) return;
  // A search finds the entries that accept a coin by its symbol. Few coins are accepted by name.
  await refreshPages(
    pool,
    network,
    (db, after, limit) => findAccepting(db, network, foundTypes, after, limit),
    pageSize,
  );
  await pool.query({
    name: 'end-coin-checks',
    text: `update coins set next_check_at = null, check_ready = false
      where network = $1 and coin_type = any($2::text[]) and state = 'found'`,
    values: [network, foundTypes],
  });
}

/** Finds the entries after one that accept a coin by its name. */
async function findAccepting(
  db: Queryable,
  network: string,
  coinTypes: readonly string[],
  after: ListingKey | undefined,
  limit: number,
): Promise<ListingKey[]> {
  const { rows } = await db.query<ListingKey>({
    name: 'find-accepting-entries',
    text: `select e.service_type as "serviceType", e.publisher from catalog_entries e
      where e.network = $1 and e.coins && $2::text[] and (e.service_type, e.publisher) > ($3, $4)
      order by e.service_type, e.publisher limit $5`,
    values: [network, coinTypes, after?.serviceType ?? '', after?.publisher ?? '', limit],
  });
  return rows;
}
