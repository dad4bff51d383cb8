import type { Pool } from 'pg';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { toColumns } from '../queryable.ts';
import { type RunLease, type SignedTransaction, unsyncedSql } from './runs.ts';

/** The channel that receives `<network> <payer>` whenever coins of the payer become free. */
export const gasChannel = 'agent_gas_coins';

/** The address whose coins pay the gas of a network's runs. */
interface Payer {
  network: string;
  payer: string;
}

const coinColumns = readColumns(tables.agentGasCoins, ['coinId', 'version', 'digest', 'balance']);

type CoinRow = Row<typeof coinColumns>;

/** A coin at the version that a transaction references. */
export interface GasCoin extends Omit<CoinRow, 'balance'> {
  /** In MIST. */
  balance: bigint;
}

const toCoin = (row: CoinRow): GasCoin => ({ ...coinColumns.toItem(row), balance: BigInt(row.balance) });

const leaseSql = `
with run as (
  select id, network, agent from agent_runs where id = $1 and worker = $2 and state = 'running' for update
), free as (
  select c.coin_id from agent_gas_coins c, run
  where c.network = run.network and c.payer = run.agent
    and c.run is null and c.split is null and not c.stale and c.balance >= $3
  order by c.balance desc, c.coin_id limit 1 for update of c skip locked
), leased as (
  update agent_gas_coins c set run = run.id from run, free
  where c.network = run.network and c.payer = run.agent and c.coin_id = free.coin_id returning c.*
)
select ${coinColumns.select('leased')}, ${unsyncedSql} from run left join leased on true`;

/**
 * Leases a coin with at least `atLeast` MIST to a run, until that run ends. `none`: all coins are in use, or hold less.
 * `lost`: another worker drives the run, or the run has ended.
 */
export async function leaseCoin(
  db: Pool,
  { run, worker }: RunLease,
  atLeast: bigint,
): Promise<GasCoin | 'none' | 'lost'> {
  const values = [run, worker, atLeast.toString()];
  const { rows } = await db.query<CoinRow>({ name: 'agent-lease', text: leaseSql, values });
  const [row] = rows;
  if (!row) return 'lost';
  // A run without a coin comes back as a row without one.
  return row.coinId === null ? 'none' : toCoin(row);
}

const staleSql = `
update agent_gas_coins c set run = null, stale = true from agent_runs r
where r.id = $1 and r.worker = $2 and r.state = 'running' and c.run = r.id`;

/** Releases a gas coin that has a newer version on chain, and marks it stale. The run has not signed with it. */
export async function releaseStaleCoin(db: Pool, { run, worker }: RunLease): Promise<void> {
  await db.query({ name: 'agent-stale-coin', text: staleSql, values: [run, worker] });
}

/** A gas coin after its transaction has a final outcome. */
interface ChargedCoin extends Pick<GasCoin, 'coinId' | 'version' | 'digest'> {
  /** Amount that left the coin, in MIST. Negative if the rebate was larger than the cost. */
  paid: bigint;
}

/**
 * Common table expression that frees the coins of the run in the row of `source`, and returns their payers. The
 * parameters from `$first` on are those of `buildFreeParams`.
 */
export const buildFreeSql = (source: string, first: number) => `
  update agent_gas_coins c set run = null,
    version = case when c.coin_id = $${first} then $${first + 1}::bigint else c.version end,
    digest = case when c.coin_id = $${first} then $${first + 2}::text else c.digest end,
    balance = case when c.coin_id = $${first} then c.balance - $${first + 3}::numeric else c.balance end,
    stale = c.stale or ($${first + 4}::boolean and c.coin_id is distinct from $${first}::text)
  from ${source} where c.run = ${source}.id returning c.network, c.payer`;

/** Gas cost of a signed transaction that can no longer change anything. */
export interface FinalGasCost {
  /** Charge by the chain, in MIST. */
  charged: bigint;
  /** Null if the state of the coin is unknown: it is read before its next use. */
  coin: ChargedCoin | null;
}

/**
 * Returns the parameters of `buildFreeSql`, in its order.
 * @param gas null if nothing was signed
 */
export const buildFreeParams = (gas: Pick<FinalGasCost, 'coin'> | null) => {
  const { coinId = null, version = null, digest = null, paid = null } = gas?.coin ?? {};
  return [coinId, version, digest, paid === null ? null : paid.toString(), gas !== null];
};

/** SQL expression that wakes the processes that wait for a coin of a payer in the rows of `source`. */
export const buildNotifyFreedSql = (source: string) =>
  `(select count(pg_notify('${gasChannel}', network || ' ' || payer)) from ${source})`;

/**
 * Reads the signed transactions of runs that lease no coin: they were signed before coins were leased, or a backup restored
 * them without one.
 */
export async function readRunsWithoutCoins(
  db: Pool,
  { network, payer }: Payer,
): Promise<{ run: number; transaction: Buffer }[]> {
  const text = `select r.id as run, r.transaction from agent_runs r where r.network = $1 and r.agent = $2
    and r.state = 'signed' and not exists (select from agent_gas_coins c where c.run = r.id)`;
  return (await db.query({ name: 'agent-runs-without-coins', text, values: [network, payer] })).rows;
}

type CoinRef = Pick<GasCoin, 'coinId' | 'version' | 'digest'>;

/** Leases the coins that a signed run pays with to that run, unless the run has ended. */
export async function leaseSignedCoins(
  db: Pool,
  { network, payer }: Payer,
  run: number,
  coins: readonly CoinRef[],
) {
  await db.query(
    `with run as (select id from agent_runs where id = $3 and state = 'signed' for update)
    insert into agent_gas_coins as c (network, payer, coin_id, version, digest, balance, run, stale)
    select $1, $2, l.coin_id, l.version, l.digest, 0, run.id, true
    from run, unnest($4::text[], $5::bigint[], $6::text[]) as l (coin_id, version, digest)
    on conflict (network, payer, coin_id) do update set run = excluded.run, stale = true
      where c.run is null and c.split is null`,
    [network, payer, run, ...toCoinColumns(coins)],
  );
}

const toCoinColumns = (coins: readonly CoinRef[]) => toColumns(coins, 'coinId', 'version', 'digest');

const storeSql = `
with listed as (
  select * from unnest($3::text[], $4::bigint[], $5::text[], $6::numeric[]) as l (coin_id, version, digest, balance)
), missed as (
  select c.coin_id, c.stale from agent_gas_coins c
  where c.network = $1 and c.payer = $2 and c.run is null and c.split is null and $7
    and not exists (select from listed l where l.coin_id = c.coin_id)
  for update of c
), removed as (
  delete from agent_gas_coins c using missed
  where c.network = $1 and c.payer = $2 and c.coin_id = missed.coin_id and missed.stale
), suspended as (
  update agent_gas_coins c set stale = true from missed
  where c.network = $1 and c.payer = $2 and c.coin_id = missed.coin_id and not missed.stale
)
insert into agent_gas_coins as c (network, payer, coin_id, version, digest, balance)
select $1, $2, coin_id, version, digest, balance from listed
on conflict (network, payer, coin_id) do update
  set version = excluded.version, digest = excluded.digest, balance = excluded.balance, stale = false
  where c.run is null and c.split is null and excluded.version >= c.version`;

/**
 * Stores the coins that a node listed. A node that lags reverts nothing: a version never decreases, and a coin in use stays
 * as it is. A free coin that a complete list lacks becomes stale, and is deleted when the next complete list lacks it too.
 * @param complete `true` if the list has all coins of the payer
 */
export async function storeCoins(
  db: Pool,
  { network, payer }: Payer,
  { coins, complete }: { coins: readonly GasCoin[]; complete: boolean },
): Promise<void> {
  const balances = coins.map(({ balance }) => balance.toString());
  const values = [network, payer, ...toCoinColumns(coins), balances, complete];
  await db.query({ name: 'agent-store-coins', text: storeSql, values });
}

/** The coins of a payer, the richest first. */
interface PayerCoins {
  free: GasCoin[];
  /** Number of coins that are leased to runs or used by a split. */
  used: number;
  /** Number of free coins that must be read before use: their stored version or balance may be outdated. */
  stale: number;
}

export async function readCoins(db: Pool, { network, payer }: Payer): Promise<PayerCoins> {
  const { rows } = await db.query<CoinRow & { used: boolean; stale: boolean }>({
    name: 'agent-coins',
    text: `select ${coinColumns.select('c')}, num_nonnulls(c.run, c.split) > 0 as used, c.stale from agent_gas_coins c
      where c.network = $1 and c.payer = $2 order by c.balance desc, c.coin_id`,
    values: [network, payer],
  });
  return {
    free: rows.filter(({ used, stale }) => !used && !stale).map(toCoin),
    used: rows.filter(({ used }) => used).length,
    stale: rows.filter(({ used, stale }) => !used && stale).length,
  };
}

/** A signed transaction that splits coins of a payer. */
export interface SignedSplit extends Omit<SignedTransaction, 'bounds'> {
  /** Balance of each coin that the split creates, in MIST. */
  amount: bigint;
}

const recordSplitSql = `
with free as (
  select c.coin_id from agent_gas_coins c
    join unnest($3::text[], $4::bigint[]) as requested (coin_id, version) using (coin_id, version)
  where c.network = $1 and c.payer = $2 and c.run is null and c.split is null and not c.stale for update of c
), whole as (
  select from free having count(*) = cardinality($3::text[])
), taken as (
  update agent_gas_coins c set split = $5 from whole
  where c.network = $1 and c.payer = $2 and c.coin_id = any($3)
)
insert into agent_gas_splits (network, payer, transaction, signature, digest, amount, signed_checkpoint, signed_at)
select $1, $2, $6, $7, $5, $8, $9, $10 from whole`;

/**
 * Records a split before it is sent. Returns `false` if one of its coins is in use meanwhile; the split must then not
 * be sent.
 */
export async function recordSplit(
  db: Pool,
  { network, payer }: Payer,
  { transaction, signatures, digest, amount, signedCheckpoint }: SignedSplit,
  coins: readonly GasCoin[],
  at: Date,
): Promise<boolean> {
  const [ids, versions] = toCoinColumns(coins);
  const signed = [digest, Buffer.from(transaction), signatures[0], amount.toString(), signedCheckpoint, at];
  return (await db.query(recordSplitSql, [network, payer, ids, versions, ...signed])).rowCount === 1;
}

const splitColumns = readColumns(tables.agentGasSplits, [
  'transaction',
  'signature',
  'digest',
  'amount',
  'signedCheckpoint',
]);

/** Reads the split of a payer whose outcome is unknown. */
export async function readOpenSplit(db: Pool, { network, payer }: Payer): Promise<SignedSplit | undefined> {
  const text = `select ${splitColumns.select('s')} from agent_gas_splits s where s.network = $1 and s.payer = $2`;
  const values = [network, payer];
  const { rows } = await db.query<Row<typeof splitColumns>>({ name: 'agent-open-split', text, values });
  if (!rows[0]) return undefined;
  const { signature, amount, ...split } = rows[0];
  return { ...split, signatures: [signature], amount: BigInt(amount) };
}

/** Coins after a split: the coin into which the others were merged, and the new coins. */
interface SplitOutcome {
  gas: ChargedCoin;
  created: readonly CoinRef[];
}

/**
 * Ends a split, and frees its coins. A split that has ended stays as it is: another process may have settled it too.
 * @param outcome null if it is unknown: the coins are read before their next use
 */
export async function endSplit(
  db: Pool,
  { network, payer }: Payer,
  { digest, amount }: Pick<SignedSplit, 'digest' | 'amount'>,
  outcome: SplitOutcome | null,
): Promise<void> {
  await inTransaction(db, async (client) => {
    const key = [network, payer, digest];
    const ended = await client.query(
      'delete from agent_gas_splits where network = $1 and payer = $2 and digest = $3',
      key,
    );
    if (ended.rowCount === 0) return;
    const used = 'network = $1 and payer = $2 and split = $3';
    if (outcome) {
      const { rows } = await client.query<{ balance: string }>(
        `delete from agent_gas_coins where ${used} returning balance::text`,
        key,
      );
      const { gas, created } = outcome;
      const total = rows.reduce((sum, { balance }) => sum + BigInt(balance), 0n);
      const left = total - gas.paid - amount * BigInt(created.length);
      const coins = [gas, ...created];
      const balances = coins.map((coin) => String(coin === gas ? left : amount));
      await client.query(storeSql, [network, payer, ...toCoinColumns(coins), balances, false]);
    } else {
      await client.query(`update agent_gas_coins set split = null, stale = true where ${used}`, key);
    }
    await client.query('select pg_notify($1, $2)', [gasChannel, `${network} ${payer}`]);
  });
}
