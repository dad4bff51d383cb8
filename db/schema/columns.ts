import type { ExtraConfigColumn } from 'drizzle-orm/pg-core';
import { bigint, customType, integer, numeric, timestamp } from '../orm/drizzle.ts';

/** A checkpoint sequence number; below 2^53 for as long as the chain can run. */
export const checkpointNumber = (name: string) => bigint(name, { mode: 'number' });

/** An instant; the API shows it as milliseconds since the epoch. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const eventPosition = () => ({
  checkpoint: checkpointNumber('checkpoint').notNull(),
  txIndex: integer('tx_index').notNull(),
  eventIndex: integer('event_index').notNull(),
});

/** Time and position of the event that created the row. */
export const creation = () => ({
  createdAt: instant('created_at').notNull(),
  createdCheckpoint: checkpointNumber('created_checkpoint').notNull(),
  createdTxIndex: integer('created_tx_index').notNull(),
  createdEventIndex: integer('created_event_index').notNull(),
});

/** Returns the columns of a position in the order of the chain, for an index. */
export const inOrder = <Column>(table: Record<keyof ReturnType<typeof eventPosition>, Column>) =>
  [table.checkpoint, table.txIndex, table.eventIndex] as const;

/** Returns the columns of a position with a prefix, such as `created` for the event that created the row. */
export const inOrderBy = <Prefix extends string>(
  prefix: Prefix,
  table: Record<`${Prefix}Checkpoint` | `${Prefix}TxIndex` | `${Prefix}EventIndex`, ExtraConfigColumn>,
) => [table[`${prefix}Checkpoint`], table[`${prefix}TxIndex`], table[`${prefix}EventIndex`]] as const;

/** Base units of a coin, up to 2^64 - 1 as on the chain. In a limit, 2^64 - 1 means unlimited. */
export const amount = (name: string) => numeric(name, { precision: 20, scale: 0 });

/** A sum of amounts, each of which may be up to 2^64 - 1 base units. */
export const amountTotal = (name: string) => numeric(name, { precision: 38, scale: 0 });

/** A set of ranges of `bigint`. */
export const bigintMultirange = customType<{ data: string }>({ dataType: () => 'int8multirange' });

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
