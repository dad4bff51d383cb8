import { canonicalType } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../queryable.ts';

/** A value of a filter, with the number of entries that it matches. */
export interface FilterValue {
  value: string;
  count: number;
}

/** Values of the catalog's filters, those of most entries first. */
export interface FilterValues {
  categories: FilterValue[];
  /** Canonical coin types, without `*`. */
  coins: FilterValue[];
  integrators: FilterValue[];
}

/** Maximum number of values of a filter. */
export const filterValuesMax = 20;

const topSql = (values: string) => `
(select coalesce(json_agg(top), '[]') from (
  select value, count(*)::int as count from ${values} group by value
  order by count(*) desc, value collate "C" limit ${filterValuesMax}
) top)`;

const sql = `
with shown as materialized (
  select category, integrator, coins from catalog_entries where network = $1 and shown
)
select
  ${topSql('(select category as value from shown) given')} as categories,
  ${topSql("(select unnest(coins) as value from shown) given where value <> '*'")} as coins,
  ${topSql('(select integrator as value from shown) given where value is not null')} as integrators`;

/** Counts the values of the filters over the entries that the catalog shows by default. It reads all of them. */
export async function readFilterValues(db: Queryable, network: string): Promise<FilterValues> {
  const { rows } = await db.query<FilterValues>({ name: 'filter-values', text: sql, values: [network] });
  const { coins, ...others } = rows[0]!;
  return { ...others, coins: joinSpellings(coins) };
}

/** Adds up the spellings of a coin type, which manifests choose. */
function joinSpellings(coins: readonly FilterValue[]): FilterValue[] {
  const counts = new Map<string, number>();
  for (const { value, count } of coins) {
    const coinType = canonicalType(value) ?? value;
    counts.set(coinType, (counts.get(coinType) ?? 0) + count);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}
