import type { ClientBase, Pool } from 'pg';
import { type Row, readColumns, unnestColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { showSymbols } from './catalog/coin-symbols.ts';
import type { DueItems } from './due.ts';
import { keyColumns } from './lists.ts';
import { createLookup } from './lookups.ts';
import { type Queryable, toColumns } from './queryable.ts';
import { readInTurns, type Turns } from './turns.ts';

const coinColumns = readColumns(tables.coins, ['coinType', 'symbol', 'decimals']);

/** Symbol, decimals and logo for the display of amounts. Anyone can choose them: only the type identifies a coin. */
export interface Coin {
  coinType: string;
  symbol: string;
  decimals: number;
  /** `true` if the logo was fetched. */
  hasLogo: boolean;
}

interface CoinKey {
  network: string;
  coinType: string;
}

/**
 * Reads many coins in one round trip, in the order of the keys. Null if the metadata is not known yet or does not
 * exist.
 */
export const readCoins = async (db: Queryable, keys: readonly CoinKey[]): Promise<(Coin | null)[]> =>
  (await findCoins(db, keys)).map((coin) => coin ?? null);

const findCoins = createLookup<CoinKey, Row<typeof coinColumns> & { hasLogo: boolean }, Coin>({
  name: 'find-coins',
  key: keyColumns(tables.coins, 'network', 'coinType'),
  select: `${coinColumns.select('c')}, l.picture is not null as "hasLogo"`,
  join: `join coins c on c.network = key.network and c.coin_type = key.coin_type and c.state = 'found'
    left join pictures l on l.network = key.network and l.subject = key.coin_type`,
  toItem: ({ hasLogo, ...row }) => ({ ...coinColumns.toItem(row), hasLogo }) as Coin,
});

/**
 * SQL statement that stores the coins in which jobs were paid, for a check. They are inserted in one order, since
 * several sources do so concurrently.
 * @param jobs `from` clause with rows of `jobs` that have `network`, `coin` and `state`
 */
export const buildInsertCoinsSql = (jobs: string) => `insert into coins (network, coin_type)
  select distinct network, coin from ${jobs} where coin is not null and state > 0
  order by 1, 2 on conflict do nothing`;

/** Stores the coins of jobs that were paid, for a check. */
export async function addJobCoins(
  client: ClientBase,
  network: string,
  jobs: readonly { jobId: string }[],
): Promise<void> {
  if (jobs.length === 0) return;
  await client.query({
    name: 'add-job-coins',
    text: buildInsertCoinsSql('(select * from jobs where network = $1 and job_id = any($2::text[])) j'),
    values: [network, jobs.map(({ jobId }) => jobId)],
  });
}

const checkedColumns = readColumns(tables.coins, ['coinType']);

/** A due check of a coin's metadata. */
export interface CoinCheck extends Row<typeof checkedColumns> {
  /** Attempts for the current result, including this one. */
  attempts: number;
}

const checkColumns = `${checkedColumns.select('q')}, q.check_attempts + 1 as attempts`;

/**
 * Reads the due checks. A stranger can create any number of coins, so the coins of one package do not delay the others.
 */
export async function readDueCoins(
  db: Queryable,
  network: string,
  limit: number,
  turns: Turns,
): Promise<DueItems<CoinCheck>> {
  return await readInTurns<CoinCheck>(
    db,
    { network, limit, turns },
    {
      name: 'due-coins',
      table: 'coins',
      due: 'next_check_at',
      ready: 'check_ready',
      priorities: ['least(check_attempts, 1) = 0', 'least(check_attempts, 1) = 1'],
      groups: [{ group: `split_part(coin_type, '::', 1)`, order: 'coin_type' }],
      select: checkColumns,
    },
  );
}

/** Reads the check of a coin in its current state; undefined if it is no longer due. */
export async function readDueCoin(
  db: Queryable,
  network: string,
  coinType: string,
): Promise<CoinCheck | undefined> {
  const { rows } = await db.query<CoinCheck>({
    name: 'due-coin',
    text: `select ${checkColumns} from coins q where network = $1 and coin_type = $2 and next_check_at <= now()`,
    values: [network, coinType],
  });
  return rows[0];
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
  pageSize?: number,
): Promise<void> {
  await pool.query({
    name: 'record-coins',
    text: `with named as (
        insert into pictures (network, subject, url)
        select $1, coin_type, url from unnest($2::text[], $9::text[]) as logo (coin_type, url)
        where url is not null order by coin_type on conflict do nothing)
      update coins c set state = coalesce(f.state, c.state), symbol = f.symbol, decimals = f.decimals, name = f.name,
        checked_at = case when f.state is null then c.checked_at else now() end, check_attempts = f.attempts,
        next_check_at = case when f.state = 'found' then c.next_check_at
          else now() + make_interval(secs => f.retry_after) end,
        check_ready = c.check_ready and f.state is not distinct from 'found'
      from (select * from ${unnestColumns(tables.coins, 2, found, { attempts: 'int', retry_after: 'float8' })}) f
      where c.network = $1 and c.coin_type = f.coin_type and c.state <> 'found'`,
    values: [network, ...toColumns(outcomes, ...found, 'attempts', 'retryAfterSeconds', 'iconUrl')],
  });
  const foundTypes = outcomes.flatMap(({ coinType, state }) => (state === 'found' ? [coinType] : []));
  if (foundTypes.length === 0) return;
  await showSymbols(pool, network, foundTypes, pageSize);
  await pool.query({
    name: 'end-coin-checks',
    text: `update coins set next_check_at = null, check_ready = false
      where network = $1 and coin_type = any($2::text[]) and state = 'found'`,
    values: [network, foundTypes],
  });
}
