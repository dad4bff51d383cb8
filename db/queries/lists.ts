import type { PgTable } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { columnTypes, type Property } from '../rows.ts';
import { cursorText, decodeCursor, encodeCursor, LazyPage, type ListPage } from './page.ts';
import { keyRow, keyRows, type Queryable, type Statement } from './queryable.ts';

/** The requested part of a list. */
export interface Paging {
  /** Maximum number of items of the page. */
  first: number;
  /** Cursor of the item before the page. */
  after?: string | undefined;
  /** Cursor of the item behind the page. */
  before?: string | undefined;
  /** `true`: the page has the last items between the cursors, not the first. */
  backward?: boolean | undefined;
  /** Bounds for a list that is sorted by position: checkpoints from `gte` (inclusive) to `lt` (exclusive). */
  checkpoints?: { gte?: number | undefined; lt?: number | undefined } | undefined;
}

const intMax = 2 ** 31 - 1;
/** The last millisecond of the year 9999. PostgreSQL does not read later times as JavaScript writes them. */
const lastTimeMs = 253_402_300_799_999;

/** Types of sort columns: values beyond all others at both ends, and the form in a cursor. */
const sortTypes = {
  bigint: { low: Number.MIN_SAFE_INTEGER, high: Number.MAX_SAFE_INTEGER, shape: z.int().min(0) },
  int: { low: -intMax - 1, high: intMax, shape: z.int().min(-intMax).max(intMax) },
  /** PostgreSQL returns it as text: a number of JavaScript would round it. */
  numeric: { low: '-Infinity', high: 'Infinity', shape: z.string().regex(/^-?\d{1,40}(\.\d{1,20})?$/) },
  text: { low: '', high: '\u{10FFFF}', shape: cursorText },
  /** An address or a type on the chain, in the order of the database's index. */
  id: { low: '', high: 'z', shape: cursorText },
  timestamptz: { low: '-infinity', high: 'infinity', shape: z.int().min(0).max(lastTimeMs) },
} as const;

type SortType = keyof typeof sortTypes;

/** A parameter of each key: its type in PostgreSQL and its value. */
type KeyColumn<Key> = readonly [type: string, readValue: (key: Key) => unknown];

/** The parameters of a key by their names. */
export type KeyColumns<Key> = Readonly<Record<string, KeyColumn<Key>>>;

/** Returns key columns whose values are the properties of a key. */
export const keyColumns = <T extends PgTable, P extends Property<T>>(table: T, ...properties: readonly P[]) =>
  Object.fromEntries(
    Object.entries(columnTypes(table, ...properties)).map(([name, type], at) => [
      name,
      [type, (key) => key[properties[at]!]] satisfies KeyColumn<Record<P, unknown>>,
    ]),
  ) as KeyColumns<Record<P, unknown>>;

interface ListFilter<Key> {
  column: KeyColumn<Key>;
  /**
   * A condition of `where`. `join` instead joins the matching values: then their index is read, not that of the order.
   */
  where?: string;
  join?: string;
}

/**
 * A list that belongs to a key. One statement reads pages for many keys: `key` is the row of a key and `at` the rows of
 * its page.
 */
export interface KeyedList<Key, Row, Item> {
  /** Prefix of the names of its statements. */
  name: string;
  key: KeyColumns<Key>;
  /** Conditions for the keys that have a value for them: an undefined value is not a condition. */
  filters?: Readonly<Record<string, ListFilter<Key>>>;
  /**
   * Join from `key` to the row that must exist for the key to have a list. It is left out if the key comes from a row
   * that was just read.
   */
  parent?: string;
  /** Join from `key` to data that is read once for each key. */
  beside?: string;
  from: string;
  where: string;
  /** Columns of `from`. `rest` joins further tables to the page, and `columns` selects from both. */
  select: string;
  rest?: string;
  columns?: string;
  /**
   * Columns of `select` that are times. Only a list that can be nested in another list, as JSON, has them: its rows
   * come from `from` alone, and none of its columns is `numeric`, which JSON rounds; `readColumns` selects text.
   */
  times?: readonly string[];
  /** Sort columns, all in one direction, so that one row comparison finds the start in an index. */
  order: readonly (readonly [sql: string, type: SortType])[];
  descending?: true;
  toItem(row: Row): Item;
}

/** Order by the position of an event, the newest first. Most lists use it. */
export const byPosition = (checkpoint: string, txIndex: string, eventIndex: string) =>
  ({
    order: [
      [checkpoint, 'bigint'],
      [txIndex, 'int'],
      [eventIndex, 'int'],
    ],
    descending: true,
  }) as const;

/** Returns addresses as the text of an array: PostgreSQL flattens an array of arrays. */
export const toArrayText = (addresses: readonly string[] | undefined): string | undefined =>
  addresses && `{${addresses.join(',')}}`;

export type AnyList<Key, Item> = KeyedList<Key, never, Item>;

/** @throws ProblemError `bad_cursor` for a cursor of another list */
export function parseListCursor(list: Pick<AnyList<never, unknown>, 'order'>, cursor: string): unknown[] {
  const shapes = list.order.map(([, type]) => sortTypes[type].shape);
  const parts: unknown[] = decodeCursor(cursor, z.tuple(shapes as unknown as [z.ZodType, ...z.ZodType[]]));
  return parts.map((part, at) =>
    list.order[at]![1] === 'timestamptz' ? new Date(part as number).toISOString() : part,
  );
}

/** Cached statements: the driver compares the text of a named statement with the one that it has prepared. */
const statements = new WeakMap<object, Map<string, Statement>>();

/**
 * Returns the statement of a list for keys of one shape: with the same filters and direction, and for one key or many.
 */
function prepareStatement<Key>(
  list: AnyList<Key, unknown>,
  filters: readonly string[],
  backward: boolean,
  isOne: boolean,
): Statement {
  let listStatements = statements.get(list);
  if (!listStatements) {
    listStatements = new Map();
    statements.set(list, listStatements);
  }
  const name = buildStatementName(list, filters, backward) + (isOne ? '-of-one' : '');
  let statement = listStatements.get(name);
  if (!statement) {
    const toRows = isOne ? keyRow : keyRows;
    const keys = buildKeysSql(list, filters, [...boundColumns(list.order), ['page_size', 'int']], toRows);
    statement = { name, text: buildPageSql(list, filters, backward, keys) };
    listStatements.set(name, statement);
  }
  return statement;
}

export const buildStatementName = (
  { name }: { name: string },
  filters: readonly string[],
  backward: boolean,
) => ['list', name, ...filters, ...(backward ? ['backward'] : [])].join('-');

/** @param keys `from` clause with rows `key`: the bounds of the page of each key, its size, and its position `nth` */
export function buildPageSql<Key>(
  list: AnyList<Key, unknown>,
  filters: readonly string[],
  backward: boolean,
  keys: string,
): string {
  const { rest = '', columns = 'at.*', parent, beside = '' } = list;
  const isOuter = parent !== undefined;
  const sorted = readSortNames(list).map((name) => `at."${name}"`);
  const selected = columns.startsWith('at.*') ? [columns] : [...sorted, columns];
  return `
select key.nth::int, ${selected.join(', ')}
${keys}
${parent ?? ''} ${beside} ${isOuter ? 'left' : 'cross'} join lateral ${buildItemsSql(list, filters, backward, 'key.page_size + 1')} at
${isOuter ? 'on true' : ''} ${rest}
order by key.nth, ${sortBy(list, backward, compareAsIndexed(list, sorted))}`;
}

/** Returns the sort columns in the order of their indexes, which compare a text by its bytes. */
const compareAsIndexed = ({ order }: Pick<AnyList<never, unknown>, 'order'>, columns: readonly string[]) =>
  columns.map((column, at) => (order[at]![1] === 'text' ? `${column} collate "C"` : column));

const sortBy = (
  { descending }: Pick<AnyList<never, unknown>, 'descending'>,
  backward: boolean,
  names: readonly string[],
) => names.map((name) => `${name} ${Boolean(descending) === backward ? 'asc' : 'desc'}`).join(', ');

/** Cached names of the sort columns of lists. */
const sortNames = new WeakMap<object, readonly string[]>();

/** Returns the names of the sort columns in the rows. A column that is already selected is not selected again. */
function readSortNames(list: Pick<AnyList<never, unknown>, 'select' | 'order'>): readonly string[] {
  const known = sortNames.get(list);
  if (known) return known;
  const selected = new Map(
    list.select.split(', ').map((column) => {
      const [sql = '', name = sql.slice(sql.indexOf('.') + 1)] = column.split(' as ');
      return [sql, name.replaceAll('"', '')] as const;
    }),
  );
  const names = list.order.map(([sql], at) => selected.get(sql) ?? `at_${at}`);
  sortNames.set(list, names);
  return names;
}

/** Returns a subquery for the items of the page of a row `key`. */
export function buildItemsSql<Key>(
  list: AnyList<Key, unknown>,
  filters: readonly string[],
  backward: boolean,
  limit: string,
): string {
  const { order } = list;
  const names = readSortNames(list);
  const sqls = compareAsIndexed(
    list,
    order.map(([sql]) => sql),
  );
  const bound = (name: string) => order.map((_, at) => `key.${name}_${at}`).join(', ');
  const isJoined = filters.some((name) => list.filters?.[name]?.join);
  const sorted = order.flatMap(([sql], at) => (names[at] === `at_${at}` ? `${sql} as at_${at}` : []));
  return `(
  select ${[list.select, ...sorted].join(', ')}
  from ${buildFromSql(list, filters)}
  where ${buildConditionsSql(list, filters)}
    and (${sqls.join(', ')}) > (${bound('low')}) and (${sqls.join(', ')}) < (${bound('high')})
  order by ${sortBy(list, backward, isJoined ? sqls.map((sql) => `(${sql} + 0)`) : sqls)}
  limit ${limit}
)`;
}

export const boundColumns = (order: readonly (readonly [string, SortType])[]) =>
  (['low', 'high'] as const).flatMap((name) =>
    order.map(([, type], at) => [`${name}_${at}`, type === 'id' ? 'text' : type] as const),
  );

export function buildKeysSql<Key>(
  list: AnyList<Key, unknown>,
  filters: readonly string[],
  more: readonly (readonly [name: string, type: string])[],
  toRows: typeof keyRows = keyRows,
): string {
  const columns = [
    ...Object.entries(list.key).map(([name, [type]]) => [name, type] as const),
    ...filters.map((name) => [name, list.filters![name]!.column[0]] as const),
    ...more,
  ];
  return `from ${toRows(Object.fromEntries(columns))}`;
}

const buildConditionsSql = <Key>(list: AnyList<Key, unknown>, filters: readonly string[]) =>
  [list.where, ...filters.flatMap((name) => list.filters![name]!.where ?? [])].join(' and ');

const buildFromSql = <Key>(list: AnyList<Key, unknown>, filters: readonly string[]) =>
  [list.from, ...filters.flatMap((name) => list.filters![name]!.join ?? [])].join(' ');

export const listUsedFilters = <Key>(list: AnyList<Key, unknown>, key: Key): string[] =>
  Object.entries(list.filters ?? {}).flatMap(([name, { column }]) =>
    column[1](key) === undefined ? [] : [name],
  );

export const toKeyColumns = <Key>(
  list: AnyList<Key, unknown>,
  filters: readonly string[],
  keys: readonly Key[],
) => [
  ...Object.values(list.key).map(([, readValue]) => keys.map(readValue)),
  ...filters.map((name) => keys.map(list.filters![name]!.column[1])),
];

export interface ListRow {
  nth: number;
}

/**
 * Reads one page for each key. Keys with the same filters and direction share one statement. A page is undefined if the
 * parent of its list does not exist.
 * @throws ProblemError `bad_cursor`
 */
export async function readOptionalPages<Key extends Paging, Row, Item>(
  db: Queryable,
  list: KeyedList<Key, Row, Item>,
  keys: readonly Key[],
): Promise<(ListPage<Item> | undefined)[]> {
  const pages: (ListPage<Item> | undefined)[] = keys.map(() => undefined);
  const indexed = keys.map((key, at) => ({ key, at, filters: listUsedFilters(list, key) }));
  const groups = Map.groupBy(indexed, ({ key, filters }) => `${Boolean(key.backward)} ${filters}`);
  const read = [...groups.values()].map(async (group) => {
    const { filters, key: one } = group[0]!;
    const groupKeys = group.map(({ key }) => key);
    const values = [
      ...toKeyColumns(list, filters, groupKeys),
      ...computeBounds(list, groupKeys),
      groupKeys.map(({ first }) => first),
    ];
    const isOne = groupKeys.length === 1;
    const { rows } = await db.query<ListRow & Row>({
      ...prepareStatement(list, filters, Boolean(one.backward), isOne),
      values: isOne ? values.map(([value]) => value) : values,
    });
    const byKey = Map.groupBy(rows, (row) => row.nth);
    for (const [n, { key, at }] of group.entries()) {
      const found = byKey.get(n + 1) ?? (list.parent ? undefined : []);
      pages[at] = found && toListPage(list, key, found);
    }
  });
  await Promise.all(read);
  return pages;
}

/** Reads one page for each key of a list without a parent, which every key has. */
export async function readPages<Key extends Paging, Row, Item>(
  db: Queryable,
  list: KeyedList<Key, Row, Item>,
  keys: readonly Key[],
): Promise<ListPage<Item>[]> {
  return (await readOptionalPages(db, list, keys)).map((page) => page!);
}

export function toListPage<Key extends Paging, Row, Item>(
  list: KeyedList<Key, Row, Item>,
  { first, backward }: Key,
  rows: readonly (ListRow & Row)[],
): ListPage<Item> {
  // A parent without items comes back as a row without an item.
  const names = readSortNames(list);
  const found = rows.filter((row) => Reflect.get(row, names[0]!) !== null);
  const shown = found.slice(0, first);
  if (backward) shown.reverse();
  const cursorAt = (index: number) => encodeCursor(names.map((name) => toCursorPart(shown[index]!, name)));
  return new LazyPage(shown.map(list.toItem), found.length > first, cursorAt);
}

function toCursorPart(row: object, name: string): string | number {
  const value: unknown = Reflect.get(row, name);
  return value instanceof Date ? value.getTime() : (value as string | number);
}

/** Returns the bounds of the page of each key in the sorted columns, as arrays: the low ones, then the high ones. */
export function computeBounds<Key extends Paging>(
  list: AnyList<Key, unknown>,
  keys: readonly Key[],
): unknown[][] {
  const { order, descending } = list;
  const extremes = (end: 'low' | 'high') => order.map(([, type]) => sortTypes[type][end] as unknown);
  const bounds = keys.map(({ after, before, checkpoints }) => {
    const [lowCursor, highCursor] = descending ? [before, after] : [after, before];
    let low = lowCursor === undefined ? extremes('low') : parseListCursor(list, lowCursor);
    let high = highCursor === undefined ? extremes('high') : parseListCursor(list, highCursor);
    const { gte, lt } = checkpoints ?? {};
    // An index of -1 is before every position of the checkpoint.
    if (gte !== undefined && gte > (low[0] as number)) low = [gte, -1, -1];
    if (lt !== undefined && lt <= (high[0] as number)) high = [lt, -1, -1];
    return { low, high };
  });
  return (['low', 'high'] as const).flatMap((end) => order.map((_, at) => bounds.map((one) => one[end][at])));
}

/** Maximum count of items, so that no query reads a list of any length in full. */
const countMax = 10_000;

/** Counts the items of each key up to `countMax`, whatever its page. */
export async function readCounts<Key extends Paging, Row, Item>(
  db: Queryable,
  list: KeyedList<Key, Row, Item>,
  keys: readonly Key[],
): Promise<number[]> {
  const counts = keys.map(() => 0);
  const indexed = keys.map((key, at) => ({ key, at, filters: listUsedFilters(list, key) }));
  const groups = Map.groupBy(indexed, ({ key, filters }) => `${key.checkpoints ? 'range' : ''} ${filters}`);
  const read = [...groups.values()].map(async (group) => {
    const { filters, key: one } = group[0]!;
    const groupKeys = group.map(({ key }) => key);
    const range = one.checkpoints
      ? `and ${list.order[0]![0]} >= key.gte and ${list.order[0]![0]} < key.lt`
      : '';
    const { rows } = await db.query<{ nth: number; total: number }>({
      name: ['count', list.name, ...filters, ...(range ? ['range'] : [])].join('-'),
      text: `
select key.nth::int, counted.total
${buildKeysSql(
  list,
  filters,
  range
    ? [
        ['gte', 'bigint'],
        ['lt', 'bigint'],
      ]
    : [],
)}
cross join lateral (
  select count(*)::int as total
  from (select from ${buildFromSql(list, filters)} where ${buildConditionsSql(list, filters)} ${range} limit ${countMax}) items
) counted`,
      values: [
        ...toKeyColumns(list, filters, groupKeys),
        ...(range
          ? [
              groupKeys.map(({ checkpoints }) => checkpoints?.gte ?? 0),
              groupKeys.map(({ checkpoints }) => checkpoints?.lt ?? Number.MAX_SAFE_INTEGER),
            ]
          : []),
      ],
    });
    for (const { nth, total } of rows) counts[group[nth - 1]!.at] = total;
  });
  await Promise.all(read);
  return counts;
}
