import { LRUCache } from 'lru-cache';
import type { Queryable } from '../queryable.ts';
import { buildStateSql } from './page-statement.ts';

/** A value of a filter, with the number of entries that it matches. */
export interface FilterValue {
  value: string;
  count: number;
}

/** Values of the catalog's filters, those with the most entries first. */
export interface FilterValues {
  categories: FilterValue[];
  /** Canonical coin types, without `*`. */
  coins: FilterValue[];
  integrators: FilterValue[];
}

/** Maximum number of values of a filter. */
export const filterValuesMax = 20;

const buildTopSql = (values: string) => `
(select coalesce(json_agg(top), '[]') from (
  select value, count(*)::int as count from ${values} group by value
  order by count(*) desc, value collate "C" limit ${filterValuesMax}
) top)`;

const sql = `
with shown as materialized (
  select category, integrator, coins from catalog_entries where network = $1 and shown
)
select
  ${buildTopSql('(select category as value from shown) given')} as categories,
  ${buildTopSql("(select unnest(coins) as value from shown) given where value <> '*'")} as coins,
  ${buildTopSql('(select integrator as value from shown) given where value is not null')} as integrators`;

/** Maximum number of cached revisions, over all networks. A replica that lags reads an older revision than the last one. */
const cachedMax = 16;

export type ReadFilterValues = (db: Queryable, network: string) => Promise<FilterValues>;

/**
 * Opens a reader of the filter values of one database. It counts them once for each revision of a network's catalog,
 * because that reads all entries that the catalog shows by default.
 */
export function openFilterValues(): ReadFilterValues {
  const cached = new LRUCache<string, Promise<FilterValues>>({ max: cachedMax });
  return async (db, network) => {
    // Read before the entries: values of a later revision may be cached for an earlier one, but never the other way.
    const { rows } = await db.query<{ version: number }>({
      name: 'filter-values-revision',
      text: `select catalog_version as version from ${buildStateSql('$1')} state`,
      values: [network],
    });
    const key = `${network} ${rows[0]!.version}`;
    const known = cached.get(key);
    // A failure belongs to the request whose connection failed.
    if (known) return await known.catch(() => countValues(db, network));
    const counting = countValues(db, network);
    cached.set(key, counting);
    counting.catch(() => cached.delete(key));
    return await counting;
  };
}

async function countValues(db: Queryable, network: string): Promise<FilterValues> {
  const { rows } = await db.query<FilterValues>({ name: 'filter-values', text: sql, values: [network] });
  return rows[0]!;
}
