import type { ClientBase } from 'pg';
import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { DueItems } from './due.ts';
import { isPictureShown } from './hidden-pictures.ts';
import { keyColumns } from './lists.ts';
import { createLookup } from './lookups.ts';
import type { Queryable } from './queryable.ts';
import { checkQueue, readInTurns, type Turns } from './turns.ts';

const coinColumns = readColumns(tables.coins, ['coinType', 'symbol', 'decimals']);

/** Symbol, decimals and logo for the display of amounts. Anyone can choose them: only the type identifies a coin. */
export interface Coin {
  coinType: string;
  symbol: string;
  decimals: number;
  /** `true` if the logo was fetched, and no operator hid it. */
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
    left join pictures l on l.network = key.network and l.subject = key.coin_type
      and ${isPictureShown('l')}`,
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

/** Stores coins, for a check. They are inserted in one order, like those of jobs. */
export async function addCoins(
  client: ClientBase,
  network: string,
  coinTypes: ReadonlySet<string>,
): Promise<void> {
  if (coinTypes.size === 0) return;
  await client.query({
    name: 'add-coins',
    text: `insert into coins (network, coin_type)
      select $1, seen.coin from unnest($2::text[]) as seen (coin)
      where not exists (select from coins c where c.network = $1 and c.coin_type = seen.coin)
      order by coin on conflict do nothing`,
    values: [network, [...coinTypes]],
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
      ...checkQueue,
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
