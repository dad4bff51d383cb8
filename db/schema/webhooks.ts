import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import { checkpointNumber, instant } from './columns.ts';

/** An event's place in its network: checkpoint, index of the transaction in it, index of the event in that. */
const eventPosition = (name: string) => bigint(name, { mode: 'number' }).array();

/**
 * How far each subscription has got in each network. Every event at or before the position is settled: delivered,
 * in `webhook_retries`, or not asked for. A subscription to which nothing new matches keeps its row as it is.
 */
export const webhookPositions = pgTable(
  'webhook_positions',
  {
    subscription: text('subscription').notNull(),
    network: text('network').notNull(),
    position: eventPosition('position').notNull(),
    /**
     * Which events it asks for, by stretches of the network: `[{ after, events, change }]`, the last one open. A pause
     * is a stretch without events. `events` is null where only the key-value store knows.
     */
    segments: jsonb('segments').notNull(),
    /** Number of the last stretch that was begun: a worker that read the row before it knows by this. */
    changes: integer('changes').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.subscription, table.network] })],
);

/** What is still to be sent besides the events after a position: failed deliveries, tests, and resends. */
export const webhookRetries = pgTable(
  'webhook_retries',
  {
    /** `wh_...`, of the key-value store. */
    subscription: text('subscription').notNull(),
    id: bigint('id', { mode: 'number' }).notNull().generatedByDefaultAsIdentity(),
    network: text('network').notNull(),
    /** Position of the event; all three null for a test event. */
    checkpoint: checkpointNumber('checkpoint'),
    txIndex: integer('tx_index'),
    eventIndex: integer('event_index'),
    /** `Registered`, ...; `Test` for a test event. */
    event: text('event').notNull(),
    /** Of a test event; that of others is the event's own. */
    data: jsonb('data').$type<Record<string, unknown>>(),
    /** Attempts whose end is known. An event with none waits in the order of first attempts. */
    attempts: smallint('attempts').notNull().default(0),
    /** Of these, the ones since the last resend: they decide when the next one is due. */
    failures: smallint('failures').notNull().default(0),
    /** The attempts, the oldest first, as `webhook_log` has the last one in columns. */
    earlier: jsonb('earlier').notNull().default([]),
    /** When it is sent next. */
    dueAt: instant('due_at').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.subscription, table.id] }),
    unique('webhook_retries_once').on(
      table.subscription,
      table.network,
      table.checkpoint,
      table.txIndex,
      table.eventIndex,
    ),
    index('webhook_retries_due').on(table.dueAt),
  ],
);

/**
 * Deliveries that are settled: delivered, or no attempt is left. One row for each, with the last attempt in columns.
 * Partitioned by the day of `ended_at`; `keepLogDays` makes and drops the partitions.
 */
export const webhookLog = pgTable(
  'webhook_log',
  {
    subscription: text('subscription').notNull(),
    network: text('network').notNull(),
    /** Position of the event; all three null for a test event. */
    checkpoint: checkpointNumber('checkpoint'),
    txIndex: integer('tx_index'),
    eventIndex: integer('event_index'),
    event: text('event').notNull(),
    /** The number it had in `webhook_retries`; null where the first attempt settled it. */
    retry: bigint('retry', { mode: 'number' }),
    /** Of a test event. */
    data: jsonb('data').$type<Record<string, unknown>>(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at').notNull().defaultNow(),
    /** When the last attempt was started. */
    startedAt: instant('started_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** `delivered`, `http_status`, `redirect`, `timeout`, `network`, `forbidden_address` or `forbidden_url`. */
    outcome: text('outcome').notNull(),
    /** HTTP status; null where none came. */
    status: smallint('status'),
    /** What went wrong, in words; null where it went well. */
    error: text('error'),
    /** Beginning of the answer's body, printable; null where there was none. */
    response: text('response'),
    /** The attempts before the last one, the oldest first; null where there were none. */
    earlier: jsonb('earlier'),
  },
  (table) => [index('webhook_log_of_subscription').on(table.subscription, table.createdAt)],
);

/**
 * One row for each subscription: its lease and how its receiver fares. The subscriptions themselves (url, events, secret)
 * are in the key-value store; by these rows the dispatcher notices one that the store has lost.
 */
export const webhookSubscriptions = pgTable('webhook_subscriptions', {
  subscription: text('subscription').primaryKey(),
  /** Who may delete it when the store has lost it; null for one that was made before this was stored. */
  owner: text('owner'),
  addedAt: instant('added_at').notNull().defaultNow(),
  /** When the store was known to have it: one that was never confirmed was never answered, and cannot be lost. */
  confirmedAt: instant('confirmed_at'),
  /** Since when the store has no record of it; null while it has one. */
  lostAt: instant('lost_at'),
  /** The dispatcher that has taken it, until `leased_until`; null when none has. */
  lease: text('lease'),
  leasedUntil: instant('leased_until'),
  /** When it was last taken: who has waited longest is next. */
  takenAt: instant('taken_at'),
  /** No first attempts before, since the receiver was overloaded; null when it is not. */
  heldUntil: instant('held_until'),
  /** First of the failures since the last success; null after a success. */
  failingSince: instant('failing_since'),
  /** When its owner deleted it, or its loss was accepted: the store is not asked for it; null before. */
  removedAt: instant('removed_at'),
});
