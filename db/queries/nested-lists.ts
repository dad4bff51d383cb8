import { createHash } from 'node:crypto';
import { parseTime } from '../client.ts';
import {
  type AnyList,
  boundColumns,
  buildItemsSql,
  buildKeysSql,
  buildPageSql,
  buildStatementName,
  computeBounds,
  type KeyedList,
  type ListRow,
  listUsedFilters,
  type Paging,
  toKeyColumns,
  toListPage,
} from './lists.ts';
import type { ListPage } from './page.ts';
import { keyRow, type Queryable, type Statement } from './queryable.ts';

/** A nested list, of which one page is read for each item of a page of another list. */
export interface NestedList {
  list: AnyList<never, unknown>;
  page: Paging;
  /** Parameters of the statement: the bounds of the page, then its size. */
  values: readonly unknown[];
}

/**
 * Prepares a list for `readPageWithNested`.
 * @param list with `times`
 * @param page without filters
 * @throws ProblemError `bad_cursor`
 */
export function prepareNestedList(list: AnyList<never, unknown>, page: Paging): NestedList {
  if (!list.times) throw new TypeError(`the list ${list.name} cannot be read as JSON`);
  const bounds = computeBounds(list, [page as never]);
  return { list, page, values: [...bounds.map(([bound]) => bound), page.first] };
}

interface PageWithNested<Item> {
  page: ListPage<Item>;
  /** Pages of the nested lists of each item of the page, in the order of the request. */
  nested: ListPage<unknown>[][];
}

/**
 * Reads a page of a list, and pages of nested lists for each of its items, in one statement.
 * @param above list without a parent; it selects the key columns of the nested lists under their names
 * @throws ProblemError `bad_cursor`
 */
export async function readPageWithNested<Above extends Paging, Row, Item>(
  db: Queryable,
  above: KeyedList<Above, Row, Item>,
  key: Above,
  nested: readonly NestedList[],
): Promise<PageWithNested<Item>> {
  const filters = listUsedFilters(above, key);
  const aboveValues = [...toKeyColumns(above, filters, [key]), ...computeBounds(above, [key])].map(
    ([value]) => value,
  );
  const { rows } = await db.query<ListRow & Row>({
    ...prepareStatement(above, filters, Boolean(key.backward), nested),
    values: [...aboveValues, key.first, ...nested.flatMap(({ values }) => values)],
  });
  const shown = rows.slice(0, key.first);
  if (key.backward) shown.reverse();
  return {
    page: toListPage(above, key, rows),
    nested: shown.map((row) =>
      nested.map(({ list, page }, at) => {
        const found = parseRows(list, Reflect.get(row as object, `nested_${at}`));
        return toListPage(list, page as never, found);
      }),
    ),
  };
}

/** Converts JSON to the rows that the driver would return. */
function parseRows({ times = [] }: AnyList<never, unknown>, json: Record<string, unknown>[] | null): never[] {
  const rows = json ?? [];
  for (const row of rows) {
    for (const name of times) {
      const time = row[name];
      if (typeof time === 'string') row[name] = parseTime(time);
    }
  }
  return rows as never[];
}

const statements = new Map<string, Statement>();
/**
 * Maximum number of prepared combinations of lists. Callers choose the combinations, and each takes memory on every
 * connection.
 */
const preparedMax = 64;
/** Maximum length of a statement name: PostgreSQL truncates longer ones. */
const nameLengthMax = 63;

function prepareStatement<Above>(
  above: AnyList<Above, unknown>,
  filters: readonly string[],
  backward: boolean,
  nested: readonly NestedList[],
): Statement | Omit<Statement, 'name'> {
  const parts = nested.map(({ list, page }) =>
    buildStatementName(list, [], Boolean(page.backward)).slice('list-'.length),
  );
  const full = `${buildStatementName(above, filters, backward)}-with-${parts.join('-')}`;
  const known = statements.get(full);
  if (known) return known;
  const text = buildText(above, filters, backward, nested);
  if (statements.size >= preparedMax) return { text };
  const digest = createHash('sha256').update(full).digest('hex').slice(0, 16);
  const name =
    full.length > nameLengthMax ? `${buildStatementName(above, filters, backward)}-with-${digest}` : full;
  statements.set(full, { name, text });
  return { name, text };
}

function buildText<Above>(
  above: AnyList<Above, unknown>,
  filters: readonly string[],
  backward: boolean,
  nested: readonly NestedList[],
): string {
  const bounds = [...boundColumns(above.order), ['page_size', 'int']] as const;
  let at = Object.keys(above.key).length + filters.length + bounds.length;
  const lists = nested.map(({ list, page }, n) => {
    const pageColumns = [...boundColumns(list.order), ['page_size', 'int'] as const].map(
      ([name, type]) => `(select $${++at}::${type}) as ${name}`,
    );
    const columns = [...Object.keys(list.key).map((name) => `at.${name}`), ...pageColumns];
    // The items are those of the one row `key`, so they stay in order.
    return `(
  select json_agg(item) from (
    select at.* from (select ${columns.join(', ')}) key
    cross join lateral ${buildItemsSql(list, [], Boolean(page.backward), 'key.page_size + 1')} at
  ) item
) as nested_${n}`;
  });
  const columns = [above.columns ?? 'at.*', ...lists].join(', ');
  return buildPageSql({ ...above, columns }, filters, backward, buildKeysSql(above, filters, bounds, keyRow));
}
