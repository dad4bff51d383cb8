import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { getTableColumns, getTableName } from './orm/drizzle.ts';

/** A row of a table as the driver returns it: `openDatabase` reads each type as drizzle infers it. */
type Model<T extends PgTable> = T['$inferSelect'];

export type Property<T extends PgTable> = keyof Model<T> & string;

/** Columns of a table, read under the names that callers see. */
interface Columns<Raw> {
  /** Returns the select list, from the row `alias`. */
  select(alias: string): string;
  times: readonly string[];
  /** Copies the columns of a row, which may have others. */
  toItem(row: Raw): InMs<Raw>;
}

/** Row of `Columns`, as the driver returns it. */
export type Row<C> = C extends Columns<infer Raw> ? Raw : never;

/** Item of `Columns`: a row, with times as milliseconds since the epoch. */
export type Item<C> = InMs<Row<C>>;

type InMs<Raw> = { [K in keyof Raw]: Raw[K] extends Date | null ? number | Exclude<Raw[K], Date> : Raw[K] };

type Raw<T extends PgTable, P extends Property<T>, R> = Pick<Model<T>, P> & {
  [K in keyof R]: Model<T>[R[K] & Property<T>];
};

/** Columns for `select` of the query builder. */
type Selection<T extends PgTable, P extends Property<T>, R> = Pick<T['_']['columns'], P> & {
  [K in keyof R]: T['_']['columns'][R[K] & Property<T>];
};

/**
 * Selects columns of a table.
 * @param properties read under their names in the schema
 * @param renamed read under other names
 */
export function readColumns<
  T extends PgTable,
  P extends Property<T>,
  R extends Readonly<Record<string, Property<T>>> = Record<never, never>,
>(
  table: T,
  properties: readonly P[],
  renamed?: R,
): Columns<Raw<T, P, R>> & { selection: Selection<T, P, R> } {
  const names = [...properties.map((property) => [property, property]), ...Object.entries(renamed ?? {})];
  const columns = names.map(([name, property]) => [name!, columnIn(table, property!)] as const);
  const isTime = ({ dataType }: PgColumn) => dataType === 'date';
  return {
    selection: Object.fromEntries(columns) as Selection<T, P, R>,
    select: (alias) => columns.map(([name, column]) => selectColumn(alias, column, name)).join(', '),
    times: columns.flatMap(([name, column]) => (isTime(column) ? [name] : [])),
    toItem: createCopy<Raw<T, P, R>>(columns.map(([name, column]) => [name, isTime(column)])),
  };
}

/** Numbers of any size are selected as text, which they stay in JSON. */
function selectColumn(alias: string, column: PgColumn, name: string): string {
  const cast = /^numeric/.test(column.getSQLType())
    ? `::text${column.columnType === 'PgArray' ? '[]' : ''}`
    : '';
  return `${alias}.${column.name}${cast}${column.name === name ? '' : ` as "${name}"`}`;
}

/** Returns a function that copies fields of a row, times as milliseconds. */
function createCopy<Raw>(fields: readonly (readonly [name: string, isTime: boolean])[]) {
  return (row: Raw) => {
    const item: Record<string, unknown> = {};
    for (const [name, isTime] of fields) {
      const value = row[name as keyof Raw];
      item[name] = isTime ? ((value as Date | null)?.getTime() ?? null) : value;
    }
    return item as InMs<Raw>;
  };
}

const columnIn = (table: PgTable, property: string): PgColumn => getTableColumns(table)[property]!;

/** Returns the types of columns in PostgreSQL by their names, for `keyRows`. */
export const columnTypes = <T extends PgTable>(table: T, ...properties: readonly Property<T>[]) =>
  Object.fromEntries(
    properties.map((property) => columnIn(table, property)).map((column) => [column.name, typeName(column)]),
  );

/** Returns the names of columns, separated by commas. */
export const nameColumns = <T extends PgTable>(table: T, properties: readonly Property<T>[]): string =>
  properties.map((property) => columnIn(table, property).name).join(', ');

/** Returns a condition: columns of the row `alias` have the values of the row `c` of `unnestColumns`. */
export const matchColumns = <T extends PgTable>(
  table: T,
  properties: readonly Property<T>[],
  alias: string,
): string =>
  Object.keys(columnTypes(table, ...properties))
    .map((name) => `${alias}.${name} = c.${name}`)
    .join(' and ');

/**
 * Returns a `from` item `c` with a row for each element of array parameters, one for each column, from `$first` on. It
 * is for columns that are not arrays themselves: PostgreSQL flattens an array of arrays.
 * @param more further columns and their types in PostgreSQL
 */
export function unnestColumns<T extends PgTable>(
  table: T,
  first: number,
  properties: readonly Property<T>[],
  more: Readonly<Record<string, string>> = {},
): string {
  const columns = Object.entries({ ...columnTypes(table, ...properties), ...more });
  const arrays = columns.map(([, type], at) => `$${first + at}::${type}[]`);
  return `unnest(${arrays.join(', ')}) as c (${columns.map(([name]) => name).join(', ')})`;
}

/** The type without its precision, which PostgreSQL applies when it stores the value. */
const typeName = (column: PgColumn) => column.getSQLType().replace(/\(.*\)/, '');

/** Returns an `insert` of rows of one network: `$1`, then array parameters as in `unnestColumns`. */
export const insertColumns = <T extends PgTable>(table: T, properties: readonly Property<T>[]): string =>
  `insert into ${getTableName(table)} (network, ${nameColumns(table, properties)})
    select $1, c.* from ${unnestColumns(table, 2, properties)}`;
