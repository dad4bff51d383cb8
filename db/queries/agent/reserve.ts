import type { ClientBase } from 'pg';

/** What a run takes of a coin, in base units, and the most that a day's runs may take; null: no limit. */
export interface WantedSpend {
  coinType: string;
  amount: bigint;
  dailyMax: bigint | null;
}

/** A day's limit that does not bear what a run wants. Amounts are decimal digits of base units. */
export interface OverLimit {
  coinType: string;
  dailyMax: string;
  /** What runs of the day have spent or hold reserved. */
  taken: string;
}

const reserveSql = `
with run as (
  select network, wallet_id, (started_at at time zone 'utc')::date as day from agent_runs where id = $1
), wanted as (
  select * from unnest($2::text[], $3::numeric[], $4::numeric[]) as wanted (coin_type, amount, daily_max)
), counted as (
  insert into agent_limits as l (network, wallet_id, coin_type, day, reserved, spent, daily_max)
  select network, wallet_id, coin_type, day, amount, 0, daily_max from wanted, run
  where daily_max is null or amount <= daily_max
  on conflict (network, wallet_id, coin_type, day) do update
    set reserved = l.reserved + excluded.reserved, daily_max = excluded.daily_max
    where excluded.daily_max is null or l.reserved + l.spent + excluded.reserved <= excluded.daily_max
  returning coin_type
)
insert into agent_reservations as r (run, coin_type, day, amount)
select $1, coin_type, day, amount from wanted join counted using (coin_type), run
on conflict (run, coin_type) do update set amount = r.amount + excluded.amount
returning coin_type`;

/**
 * Sets aside what a run takes of the limits of the day on which it began, in one conditional statement. Answers the
 * limit that does not bear it, whereupon the caller's transaction must not be committed: other coins are set aside.
 */
export async function reserve(
  client: ClientBase,
  run: number,
  wanted: readonly WantedSpend[],
): Promise<OverLimit | undefined> {
  if (wanted.length === 0) return undefined;
  const coins = wanted.map(({ coinType }) => coinType);
  const limits = wanted.map(({ dailyMax }) => dailyMax?.toString() ?? null);
  const amounts = wanted.map(({ amount }) => amount.toString());
  const { rows } = await client.query<{ coin_type: string }>(reserveSql, [run, coins, amounts, limits]);
  const reserved = new Set(rows.map((row) => row.coin_type));
  const over = wanted.find(({ coinType }) => !reserved.has(coinType));
  if (!over) return undefined;
  const taken = await takenToday(client, run, over.coinType);
  return { coinType: over.coinType, dailyMax: String(over.dailyMax), taken };
}

async function takenToday(client: ClientBase, run: number, coinType: string): Promise<string> {
  const { rows } = await client.query<{ taken: string }>(
    `select (l.reserved + l.spent)::text as taken
      from agent_runs r join agent_limits l on l.network = r.network and l.wallet_id = r.wallet_id
        and l.day = (r.started_at at time zone 'utc')::date and l.coin_type = $2
      where r.id = $1`,
    [run, coinType],
  );
  return rows[0]?.taken ?? '0';
}
