import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/** A checkpoint sequence number; below 2^53 for as long as the chain can run. */
export const checkpointNumber = (name: string) => bigint(name, { mode: 'number' });

/** An instant; the API shows it as milliseconds since the epoch. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
