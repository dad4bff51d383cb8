import { boolean, integer, pgTable, primaryKey, text } from '../orm/drizzle.ts';
import { checkpointNumber, instant } from './columns.ts';

/** Providers of each network, as the indexer sees them. Written every five seconds; `/status` shows them. */
export const nodeProviders = pgTable(
  'node_providers',
  {
    network: text('network').notNull(),
    /** Host and port of the provider. */
    host: text('host').notNull(),
    /** `true` for the one that is followed. */
    inUse: boolean('in_use').notNull(),
    /** `healthy`, `lagging`, `limited` or `failing`. */
    state: text('state').notNull(),
    /** Reason for any state but `healthy`. */
    reason: text('reason'),
    /** Newest checkpoint of the provider; null before its first answer. */
    tip: checkpointNumber('tip'),
    /** Chain time behind the newest tip of all providers; null if the tip is old. */
    lagMs: integer('lag_ms'),
    /** Moving average of the response times. */
    latencyMs: integer('latency_ms'),
    /** Maximum number of requests in 30 seconds; null without a budget. */
    budget: integer('budget'),
    /** Requests that the budget allowed at once after the last one. */
    budgetLeft: integer('budget_left'),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.host] })],
);
