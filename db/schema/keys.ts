import { bigint, date, pgTable, primaryKey, text } from '../orm/drizzle.ts';

/** Requests that were accepted with each API key. A killed gateway loses its counts of the last seconds. */
export const keyUsage = pgTable(
  'key_usage',
  {
    /** The day in UTC. */
    day: date('day').notNull(),
    keyId: text('key_id').notNull(),
    integrator: text('integrator').notNull(),
    requests: bigint('requests', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.keyId] })],
);
