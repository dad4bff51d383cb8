import { bigint, customType, numeric, timestamp } from 'drizzle-orm/pg-core';

/** A checkpoint sequence number; below 2^53 for as long as the chain can run. */
export const checkpointNumber = (name: string) => bigint(name, { mode: 'number' });

/** An instant; the API shows it as milliseconds since the epoch. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/** Base units of a coin, up to 2^64 - 1 as on the chain. In a limit, 2^64 - 1 means unlimited. */
export const amount = (name: string) => numeric(name, { precision: 20, scale: 0 });

/** A sum of amounts, each of which may be up to 2^64 - 1 base units. */
export const amountTotal = (name: string) => numeric(name, { precision: 38, scale: 0 });

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
