import type { PgTable } from 'drizzle-orm/pg-core';
import type { ClientBase } from 'pg';
import { getTableName } from '../orm/drizzle.ts';
import { insertColumns, matchColumns, type Property, unnestColumns } from '../rows.ts';
import { type EventPosition, positionColumns, toColumns, toPositionColumns } from './queryable.ts';

/** Writes rows of a network in one statement. It does nothing without rows. */
export type BatchWrite<Row> = (client: ClientBase, network: string, rows: readonly Row[]) => Promise<void>;

/**
 * Creates a write. `$1` of its statement is the network; arrays of the fields of the rows follow.
 * @param fields names of the fields, or the arrays of given rows
 */
export function createWrite<Row extends object>(
  name: string,
  text: string,
  fields: readonly (keyof Row)[] | ((rows: readonly Row[]) => unknown[][]),
): BatchWrite<Row> {
  const toArrays =
    typeof fields === 'function' ? fields : (rows: readonly Row[]) => toColumns(rows, ...fields);
  return async (client, network, rows) => {
    if (rows.length > 0) await client.query({ name, text, values: [network, ...toArrays(rows)] });
  };
}

/** Creates a write that adds rows. A row that is already stored stays as it is. */
export function createInsert<T extends PgTable, Row extends object>(
  table: T,
  properties: readonly (Property<T> & keyof Row)[],
): BatchWrite<Row> {
  const text = `${insertColumns(table, properties)} on conflict do nothing`;
  return createWrite<Row>(`insert-${getTableName(table)}`, text, properties);
}

/**
 * The same for rows that have the position of the event that made them.
 * @param at field of the position, such as `created`; its columns are `createdAt`, `createdCheckpoint` and so on
 */
export function createPositionedInsert<
  T extends PgTable,
  At extends string,
  Row extends Record<At, EventPosition>,
>(table: T, properties: readonly (Property<T> & keyof Row)[], at: At): BatchWrite<Row> {
  const columns = [...properties, ...positionColumns(at)] as Property<T>[];
  const text = `${insertColumns(table, columns)} on conflict do nothing`;
  return createWrite<Row>(`insert-${getTableName(table)}`, text, (rows) => [
    ...toColumns(rows, ...properties),
    ...toPositionColumns(rows.map((row) => row[at])),
  ]);
}

/** Creates a write that removes the rows with the given values. */
export function createDelete<T extends PgTable, Row extends object>(
  table: T,
  properties: readonly (Property<T> & keyof Row)[],
): BatchWrite<Row> {
  const name = getTableName(table);
  const text = `delete from ${name} t using ${unnestColumns(table, 2, properties)}
    where t.network = $1 and ${matchColumns(table, properties, 't')}`;
  return createWrite<Row>(`delete-${name}-by-${properties.join('-')}`, text, properties);
}
