import type { Pool } from 'pg';

/** What a read runs on: the pool, one client of it, or a share of it. */
export type Queryable = Pick<Pool, 'query'>;

/** One statement, planned once per connection under its name: twice as fast as an unnamed one. */
export interface Statement {
  name: string;
  text: string;
}

/** Where an event is on its chain, and the time of its checkpoint. */
export interface EventPosition {
  checkpoint: number;
  /** Index of the transaction in its checkpoint. */
  txIndex: number;
  /** Index of the event in its transaction. */
  eventIndex: number;
  timestampMs: number;
}

/** The fields of rows as arrays, one for each field: the parameters of an `unnest`. Undefined becomes null. */
export function toColumns<Row extends object>(rows: readonly Row[], ...fields: (keyof Row)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field] ?? null));
}

/** The same for the positions of the events that made the rows: time, checkpoint, transaction, event. */
export const toPositionColumns = (positions: readonly EventPosition[]): unknown[][] => [
  positions.map(({ timestampMs }) => new Date(timestampMs)),
  ...toColumns(positions, 'checkpoint', 'txIndex', 'eventIndex'),
];
