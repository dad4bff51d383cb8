import { fromMsSql, type Queryable, toMsSql } from '../queryable.ts';

/** Balance of a managed address at the end of a quarter of an hour. */
export interface GasQuarter {
  network: string;
  payer: string;
  fromMs: number;
  /** In MIST. */
  balance: string;
}

/** Stores the current balances under their quarter, and removes the quarters that began before `keepFromMs`. */
export async function recordGas(
  db: Queryable,
  { fromMs, keepFromMs }: { fromMs: number; keepFromMs: number },
): Promise<void> {
  await db.query({
    name: 'record-gas-quarters',
    text: `with old as (delete from agent_gas_quarters where from_at < ${fromMsSql('$2')})
      insert into agent_gas_quarters (network, payer, from_at, balance)
      select network, payer, ${fromMsSql('$1')}, sum(balance) from agent_gas_coins
      group by network, payer order by network, payer
      on conflict (network, payer, from_at) do update set balance = excluded.balance`,
    values: [fromMs, keepFromMs],
  });
}

/** Reads all quarters, the oldest of each address first. */
export async function readGasQuarters(db: Queryable): Promise<GasQuarter[]> {
  const { rows } = await db.query<GasQuarter>({
    name: 'read-gas-quarters',
    text: `select network, payer, ${toMsSql('from_at')} as "fromMs", balance::text as balance
      from agent_gas_quarters order by network, payer, from_at`,
  });
  return rows;
}
