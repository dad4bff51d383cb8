import type { Database } from '../../../../db/client.ts';

type Row = Record<string, unknown>;

/** All tables that follow from the events of wallets, rules, agents and jobs. */
export const marketTables = [
  'wallets',
  'service_grants',
  'delegates',
  'delegate_allowances',
  'policies',
  'policy_rules',
  'caps',
  'cap_wallets',
  'allowlists',
  'allowlist_recipients',
  'rules',
  'agents',
  'jobs',
  'provider_earnings',
  'service_actions',
  'service_vaults',
  'service_usage',
  'service_actors',
  'service_days',
  'service_coin_days',
] as const;

export type MarketTables = Record<(typeof marketTables)[number], Row[]>;

/** Columns with results of the checks, times from the database's clock, or parts of the ranking, which has its own test. */
const beyondTheEvents = new Set([
  'network',
  'publisher_check',
  'witness_check',
  'witness_warnings',
  'check_error',
  'manifest_error',
  'judgement_due',
  'check_attempts',
  'next_check_at',
  'recheck_at',
  'check_ready',
  'recheck_ready',
  'manifest_tried',
  'rank',
  'hirers',
  'new_hirers',
]);

/**
 * Leaves out the columns that do not follow from events, turns times into milliseconds and sorts the rows, so that
 * `toEqual` can compare two results.
 */
export function sortedMarket(tables: MarketTables): MarketTables {
  const plain = (row: Row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !beyondTheEvents.has(name))
        .map(([name, value]) => [name, value instanceof Date ? value.getTime() : value])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  const sorted = (rows: Row[]) =>
    rows
      .map((row) => JSON.stringify(plain(row)))
      .sort()
      .map((text) => JSON.parse(text));
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [name, sorted(rows)]),
  ) as MarketTables;
}

interface ActionCoins {
  coins: string[];
  taken: string[];
  brought: string[];
}

/** The order of coins within an action has no meaning. */
function sortCoins(action: ActionCoins): void {
  const { coins, taken, brought } = action;
  const order = coins.map((_, at) => at).sort((a, b) => (coins[a]! < coins[b]! ? -1 : 1));
  action.coins = order.map((at) => coins[at]!);
  action.taken = order.map((at) => taken[at]!);
  action.brought = order.map((at) => brought[at]!);
}

export async function readMarket({ pool }: Database): Promise<MarketTables> {
  const tables: Partial<MarketTables> = {};
  for (const table of marketTables) tables[table] = (await pool.query<Row>(`select * from ${table}`)).rows;
  for (const action of tables.service_actions!) (action.actors as string[]).sort();
  for (const action of tables.service_actions!) sortCoins(action as unknown as ActionCoins);
  // A job that leaves a coin for another may leave a row without jobs.
  tables.provider_earnings = tables.provider_earnings!.filter(({ jobs }) => jobs !== 0);
  return sortedMarket(tables as MarketTables);
}
