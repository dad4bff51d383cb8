import { sql } from 'drizzle-orm';
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

/** Up to which registry event each network's deliveries are written: moved together with them. */
export const webhookCursors = pgTable('webhook_cursors', {
  network: text('network').primaryKey(),
  checkpoint: checkpointNumber('checkpoint').notNull(),
  txIndex: integer('tx_index').notNull(),
  eventIndex: integer('event_index').notNull(),
  movedAt: instant('moved_at').notNull().defaultNow(),
});

/** One registry event, or a test event, for one subscription. A resend uses the same row again. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    /** `wh_...`, of the key-value store. */
    subscription: text('subscription').notNull(),
    /** Grows with the event's position in its network. */
    id: bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    network: text('network').notNull(),
    /** Position of the event; all three null for a test event. */
    checkpoint: checkpointNumber('checkpoint'),
    txIndex: integer('tx_index'),
    eventIndex: integer('event_index'),
    /** `Registered`, ...; `Test` for a test event. */
    event: text('event').notNull(),
    /** Of a test event; that of others is the event's own. */
    data: jsonb('data').$type<Record<string, unknown>>(),
    /** `pending`, `delivered` or `failed` (no attempt is left). */
    state: text('state').notNull().default('pending'),
    /** Attempts whose end is known. */
    attempts: smallint('attempts').notNull().default(0),
    /** Of these, the ones since the last resend: they decide when the next one is due. */
    failures: smallint('failures').notNull().default(0),
    /** When it is sent next; null when it is not. */
    dueAt: instant('due_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When the last attempt ended. */
    endedAt: instant('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.subscription, table.id] }),
    unique('webhook_deliveries_once').on(
      table.subscription,
      table.network,
      table.checkpoint,
      table.txIndex,
      table.eventIndex,
    ),
    index('webhook_deliveries_first')
      .on(table.subscription, table.network, table.id)
      .where(sql`due_at is not null and attempts = 0 and checkpoint is not null`),
    index('webhook_deliveries_again')
      .on(table.subscription, table.network, table.dueAt)
      .where(sql`due_at is not null and (attempts > 0 or checkpoint is null)`),
    index('webhook_deliveries_age').using('brin', table.createdAt),
  ],
);

/** One finished attempt. An attempt that a crash interrupts leaves no row and is repeated. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    subscription: text('subscription').notNull(),
    delivery: bigint('delivery', { mode: 'number' }).notNull(),
    number: smallint('number').notNull(),
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
  },
  (table) => [
    primaryKey({ columns: [table.subscription, table.delivery, table.number] }),
    index('webhook_attempts_age').using('brin', table.startedAt),
  ],
);

/**
 * One row for each subscription: its lease and how its receiver fares. The subscriptions themselves (url, events, secret)
 * are in the key-value store; by these rows the dispatcher notices one that the store has lost.
 */
export const webhookSubscriptions = pgTable('webhook_subscriptions', {
  subscription: text('subscription').primaryKey(),
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
