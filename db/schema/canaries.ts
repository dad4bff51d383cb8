import type { CanaryRun, CanaryState } from '../../lib/canaries/judge.ts';
import { boolean, date, index, integer, jsonb, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { instant } from './columns.ts';

/** Entries with a verified publisher, whose ops are simulated in turns. */
export const canaries = pgTable(
  'canaries',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    /** Version that the catalog shows. Another one makes the simulations due at once. */
    version: integer('version').notNull(),
    /** Time of the last simulations. Null before the first. */
    ranAt: instant('ran_at'),
    nextCheckAt: instant('next_check_at').notNull().defaultNow(),
    /** `true` if that time has come: entries become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.publisher] }),
    index('canaries_next_checks').on(table.network, table.nextCheckAt).where(sql`not check_ready`),
    index('canaries_of_publisher')
      .on(table.network, table.publisher, table.serviceType)
      .where(sql`check_ready`),
  ],
);

/** The ops of these entries, with what their last simulations show. */
export const canaryOps = pgTable(
  'canary_ops',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    /** `module::entry`, with `#2` behind it for the second op of that function. */
    op: text('op').notNull(),
    /** Position of the op in the manifest. */
    position: integer('position').notNull(),
    state: text('state').$type<CanaryState>().notNull(),
    /** Time since which it has that state. */
    since: instant('since').notNull(),
    /** The reason why it was not simulated the last time. Null if it was. */
    untried: text('untried'),
    /** `true` once a call of it worked. */
    everWorked: boolean('ever_worked').notNull(),
    /** Time of the last run. Null before the first. */
    triedAt: instant('tried_at'),
    /** The last three runs, the newest last. */
    runs: jsonb('runs').$type<CanaryRun[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType, table.publisher, table.op] })],
);

/** Simulated calls of each op by the day (UTC), of the last 90 days. */
export const canaryDays = pgTable(
  'canary_days',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    op: text('op').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    worked: integer('worked').notNull(),
    failed: integer('failed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.publisher, table.op, table.day] }),
    index('canary_days_by_day').on(table.network, table.day),
  ],
);

/** Time from which a network's node may get the next simulation of a canary: all processes share the bound on load. */
export const canaryPaces = pgTable('canary_paces', {
  network: text('network').primaryKey(),
  freeAt: instant('free_at').notNull(),
});
