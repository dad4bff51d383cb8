import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  sql,
  text,
  unique,
} from '../orm/drizzle.ts';
import { checkpointNumber, inOrder, instant } from './columns.ts';

/**
 * An event's position in its stream: checkpoint, index of the transaction in the checkpoint, index of the event in the
 * transaction.
 */
const eventPosition = (name: string) => bigint(name, { mode: 'number' }).array();

/**
 * Stream of an event: `<network>` for events of the registry, `<network>.service` for those of the service, whose
 * position is their number and two zeros.
 */
const stream = () => text('stream').notNull();

/**
 * Position of each subscription in each stream. Every event at or before it is settled: delivered, in
 * `webhook_retries`, or not matching. If no new event matches a subscription, its row stays as it is.
 */
export const webhookPositions = pgTable(
  'webhook_positions',
  {
    subscription: text('subscription').notNull(),
    stream: stream(),
    position: eventPosition('position').notNull(),
    /**
     * Event names of the subscription by stretches of the stream: `[{ after, events, change }]`, the last one open. A
     * pause is a stretch without events. `events` is null if only the key-value store has them.
     */
    segments: jsonb('segments').notNull(),
    /**
     * Number of the last change of the stretches. A worker that read the row before the change detects it by this
     * number.
     */
    changes: integer('changes').notNull().default(0),
    /** Wallet whose granted services the events must be about. Null: any. It never changes. */
    wallet: text('wallet'),
    /** Service type, in canonical form, that the events must be about. Null: any. It never changes. */
    serviceType: text('service_type'),
    /** Publisher whose listings the events must be about. Null: any. It never changes. */
    publisher: text('publisher'),
  },
  (table) => [primaryKey({ columns: [table.subscription, table.stream] })],
);

/** Deliveries to send besides the events after a position: failed ones, tests, and resends. */
export const webhookRetries = pgTable(
  'webhook_retries',
  {
    /** `wh_...`: the id in the key-value store. */
    subscription: text('subscription').notNull(),
    id: bigint('id', { mode: 'number' }).notNull().generatedByDefaultAsIdentity(),
    stream: stream(),
    /** Position of the event; all three null for a test event. */
    checkpoint: checkpointNumber('checkpoint'),
    txIndex: integer('tx_index'),
    eventIndex: integer('event_index'),
    /** `Registered`, ...; `Test` for a test event. */
    event: text('event').notNull(),
    /** Data of a test event. For others, the event has it. */
    data: jsonb('data').$type<Record<string, unknown>>(),
    /** Number of attempts whose outcome is known. An event with none waits in the order of first attempts. */
    attempts: smallint('attempts').notNull().default(0),
    /** Failed attempts since the last resend: they decide when the next one is due. */
    failures: smallint('failures').notNull().default(0),
    /** The attempts, the oldest first, each with the fields of the columns for the last attempt in `webhook_log`. */
    earlier: jsonb('earlier').notNull().default([]),
    /** Time of the next attempt. */
    dueAt: instant('due_at').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.subscription, table.id] }),
    unique('webhook_retries_once').on(table.subscription, table.stream, ...inOrder(table)),
    // A subscription is due if its first row here is. The second index has those that are sent to an overloaded receiver.
    index('webhook_retries_due_of').on(table.subscription, table.stream, table.dueAt),
    index('webhook_retries_again')
      .on(table.subscription, table.stream, table.dueAt)
      .where(sql`not (attempts = 0 and checkpoint is not null)`),
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
    stream: stream(),
    /** Position of the event; all three null for a test event. */
    checkpoint: checkpointNumber('checkpoint'),
    txIndex: integer('tx_index'),
    eventIndex: integer('event_index'),
    event: text('event').notNull(),
    /** Its id in `webhook_retries`; null if the first attempt settled it. */
    retry: bigint('retry', { mode: 'number' }),
    /** Data of a test event. */
    data: jsonb('data').$type<Record<string, unknown>>(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at').notNull().defaultNow(),
    /** Start time of the last attempt. */
    startedAt: instant('started_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** One of `attemptOutcomes` in `db/queries/webhooks/attempts.ts`. */
    outcome: text('outcome').notNull(),
    /** HTTP status; null without a response. */
    status: smallint('status'),
    /** Error message; null after a success. */
    error: text('error'),
    /** Beginning of the response's body, printable; null if there was none. */
    response: text('response'),
    /** The attempts before the last one, the oldest first; null if there were none. */
    earlier: jsonb('earlier'),
  },
  (table) => [index('webhook_log_of_subscription').on(table.subscription, table.createdAt)],
);

/**
 * One row for each subscription: its lease and the state of its receiver. The subscriptions themselves (url, events,
 * secret) are in the key-value store. By these rows the dispatcher detects a subscription that the store has lost.
 */
export const webhookSubscriptions = pgTable('webhook_subscriptions', {
  subscription: text('subscription').primaryKey(),
  /** Owner, who may delete it when the store has lost it. Null if it was created before this was stored. */
  owner: text('owner'),
  addedAt: instant('added_at').notNull().defaultNow(),
  /**
   * Time at which the store was first known to have it. A subscription that was never confirmed was never reported to
   * its owner, and cannot be lost.
   */
  confirmedAt: instant('confirmed_at'),
  /** Time from which the store has no record of it; null while it has one. */
  lostAt: instant('lost_at'),
  /** The dispatcher that has leased it, until `leased_until`; null if there is none. */
  lease: text('lease'),
  leasedUntil: instant('leased_until'),
  /** Time at which it was last leased: the one that has waited longest is next. */
  takenAt: instant('taken_at'),
  /** No first attempts are sent before this time, because the receiver was overloaded. Null if it is not. */
  heldUntil: instant('held_until'),
  /** Time of the first failure since the last success; null after a success. */
  failingSince: instant('failing_since'),
  /**
   * Time at which its owner deleted it, or its loss was accepted: it is then not looked up in the store. Null before.
   */
  removedAt: instant('removed_at'),
});
