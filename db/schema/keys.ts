import { bigint, date, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/** Requests that API keys were good for. A killed gateway loses the last seconds of its own. */
export const keyUsage = pgTable(
  'key_usage',
  {
    /** In UTC. */
    day: date('day').notNull(),
    keyId: text('key_id').notNull(),
    integrator: text('integrator').notNull(),
    requests: bigint('requests', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.keyId] })],
);
