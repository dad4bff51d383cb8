import {
  type AnyList,
  boundColumns,
  boundsOf,
  filtersOf,
  itemsOf,
  type KeyedList,
  keysOf,
  type ListRow,
  nameOf,
  type Paging,
  pageOf,
  textOf,
  valuesOf,
} from './lists.ts';
import type { ListPage } from './page.ts';
import type { Queryable, Statement } from './queryable.ts';

interface PageBelow<Item> {
  /** Columns of its key. */
  of: Readonly<Record<string, unknown>>;
  page: ListPage<Item>;
}

/**
 * Reads a page for each item of a page of another list, whose items need not be known: both can be read in one round trip.
 * @param above the other list: it selects the columns of the keys under their names
 * @param key without filters; of its columns none counts
 * @throws ProblemError `bad_cursor`
 */
export async function readPagesBelow<Above extends Paging, Key extends Paging, Row, Item>(
  db: Queryable,
  above: AnyList<Above, unknown>,
  page: Above,
  list: KeyedList<Key, Row, Item>,
  key: Key,
): Promise<PageBelow<Item>[]> {
  const [filters, upwards] = [filtersOf(above, page), Boolean(page.backward)];
  const names = Object.keys(list.key);
  const values = [...valuesOf(above, filters, [page]), ...boundsOf(above, [page]), [page.first]];
  const own = [...boundsOf(list, [key]).map(([bound]) => bound), key.first];
  const name = `${nameOf(list, [], Boolean(key.backward))}-of-${nameOf(above, filters, upwards)}`;
  const known = belowStatements.get(name);
  const statement = known ?? { name, text: textBelow(above, filters, upwards, list, Boolean(key.backward)) };
  belowStatements.set(name, statement);
  const { rows } = await db.query<ListRow & Row & Record<`of_${number}`, unknown>>({
    ...statement,
    values: [...values, ...own],
  });
  return [...Map.groupBy(rows, ({ nth }) => nth).values()].map((found) => ({
    of: Object.fromEntries(names.map((name, at) => [name, found[0]![`of_${at}`]])),
    page: pageOf(list, key, found),
  }));
}

const belowStatements = new Map<string, Statement>();

function textBelow<Above, Key>(
  above: AnyList<Above, unknown>,
  filters: readonly string[],
  upwards: boolean,
  list: AnyList<Key, unknown>,
  backward: boolean,
): string {
  const columns = [...boundColumns(above.order), ['page_size', 'int']] as const;
  let at = Object.keys(above.key).length + filters.length + columns.length;
  const own = [...boundColumns(list.order), ['page_size', 'int'] as const].map(
    ([name, type]) => `$${++at}::${type} as ${name}`,
  );
  const names = Object.keys(list.key);
  const of = names.map((name, n) => `key.${name} as of_${n}, `).join('');
  const keys = `from (
  select ${names.map((name) => `above.${name}`).join(', ')}, row_number() over () as nth, ${own.join(', ')}
  from (
    select at.* ${keysOf(above, filters, columns)} cross join lateral ${itemsOf(above, filters, upwards, 'key.page_size')} at
  ) above
) key`;
  // Its parents are the items above, which exist.
  return textOf({ ...list, parent: '' }, [], backward, keys, { of, isOuter: true });
}
