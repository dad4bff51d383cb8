import type { Pool } from 'pg';

/** Connection for a read: the pool, one client of it, or a wrapper that limits its use. */
export type Queryable = Pick<Pool, 'query'>;

/** One statement, planned once per connection under its name: twice as fast as an unnamed one. */
export interface Statement {
  name: string;
  text: string;
}

/**
 * Returns an array parameter with a value for each key, for `unnest`. The subquery hides the number of values from the
 * planner. A plan for given values would only use that number. PostgreSQL would make that plan for each execution,
 * which takes longer than the execution.
 */
export const keyArray = (at: number, type: string): string => `(select $${at}::${type}[])`;

/**
 * Returns a `from` item with the keys of a read in their order: rows `key` of these columns, and `nth` from 1. Each
 * column is an array parameter, from $1 on.
 */
export const keyRows = (columns: Readonly<Record<string, string>>): string =>
  `unnest(${Object.values(columns)
    .map((type, at) => keyArray(at + 1, type))
    .join(', ')}) with ordinality as key (${Object.keys(columns).join(', ')}, nth)`;

/**
 * Returns the `from` item of `keyRows` for a read of one key, whose columns are plain parameters: it takes a third less
 * time than an array of one. The subqueries hide the values as in `keyArray`.
 */
export const keyRow = (columns: Readonly<Record<string, string>>): string =>
  `(select ${Object.entries(columns)
    .map(([name, type], at) => `(select $${at + 1}::${type}) as ${name}`)
    .join(', ')}, 1 as nth) key`;

/** Returns SQL for a time as milliseconds since the epoch. */
export const toMsSql = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::bigint`;

/**
 * Returns SQL for a time from milliseconds since the epoch. Times beyond the year 9999 must be sent so: JavaScript writes
 * them in a form that PostgreSQL does not read.
 */
export const fromMsSql = (ms: string): string => `to_timestamp(${ms} / 1000.0)`;

/** Position of an event on its chain, and the time of its checkpoint. */
export interface EventPosition {
  checkpoint: number;
  /** Index of the transaction in its checkpoint. */
  txIndex: number;
  eventIndex: number;
  timestampMs: number;
}

/** Returns the fields of rows as arrays, one for each field, as parameters for `unnest`. Undefined becomes null. */
export function toColumns<Row extends object>(rows: readonly Row[], ...fields: (keyof Row)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field] ?? null));
}

/** Fields that order the events of a chain. */
export const eventPosition = ['checkpoint', 'txIndex', 'eventIndex'] as const;

/** Names of the columns of the schema for the values of `toPositionColumns`, such as `createdAt` for `created`. */
export const positionColumns = <Prefix extends string>(prefix: Prefix) =>
  [`${prefix}At`, `${prefix}Checkpoint`, `${prefix}TxIndex`, `${prefix}EventIndex`] as const;

/** Returns positions of events as four arrays for `unnest`: times, checkpoints, transactions and events. */
export const toPositionColumns = (positions: readonly EventPosition[]): unknown[][] => [
  positions.map(({ timestampMs }) => new Date(timestampMs)),
  ...toColumns(positions, ...eventPosition),
];

/**
 * Returns the items of a read of many keys, in the order of the keys; undefined for a key without a row.
 * @param rows each with the number of its key, counted from 1 as `with ordinality` does
 */
export function orderByKeys<Row extends { nth: number }, Item>(
  keys: readonly unknown[],
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): (Item | undefined)[] {
  const found = new Map(rows.map((row) => [row.nth, row]));
  return keys.map((_, at) => {
    const row = found.get(at + 1);
    return row && toItem(row);
  });
}
