import { bigint, integer, pgTable, primaryKey, text } from '../orm/drizzle.ts';
import { bytes, checkpointNumber, instant } from './columns.ts';

/**
 * Followed sources of each chain. One source is one filter with one cursor, so that a source added later reads its own
 * history and leaves the others alone.
 */
export const sources = pgTable(
  'sources',
  {
    network: text('network').notNull(),
    /** `registry`, `wallet`, `rules`, `agents`, `escrow` or `statements`. */
    name: text('name').notNull(),
    /** Digest of the genesis checkpoint: a node of another chain is refused. Empty until a node first answered. */
    chainId: text('chain_id').notNull(),
    /**
     * The filter's event types, joined by spaces. Types of later versions of the same packages are added before their
     * first event; any other change is refused. Empty like `chain_id`.
     */
    filter: text('filter').notNull(),
    /** Opaque resume point of `cursorProvider`; null before the first frame. */
    cursor: bytes('cursor'),
    /**
     * Url that the last progress came from, and that issued the cursor: any other node resumes after `checkpoint`
     * instead.
     */
    cursorProvider: text('cursor_provider'),
    /** Highest checkpoint covered in full; -1 before the first. Compare-and-swapped together with the rows. */
    checkpoint: checkpointNumber('checkpoint').notNull().default(-1),
    /**
     * Position of the last stored event; all three are null before the first. After a resume, a checkpoint may arrive
     * again: everything up to this position is already stored.
     */
    lastCheckpoint: checkpointNumber('last_checkpoint'),
    lastTxIndex: integer('last_tx_index'),
    lastEventIndex: integer('last_event_index'),
    /**
     * First checkpoint whose events are stored, but not yet processed into `listings`, `service_usage` and so on, as
     * while history is read. Null if nothing is left to do.
     */
    unsettledFrom: checkpointNumber('unsettled_from'),
    /** First such transaction of that checkpoint: totals must count each one once. */
    unsettledTxIndex: integer('unsettled_tx_index'),
    /** Timestamp of `checkpoint`, if known. */
    checkpointAt: instant('checkpoint_at'),
    /** Highest checkpoint of the chain at the last answer of a node. */
    chainTip: checkpointNumber('chain_tip'),
    /** Timestamp of that checkpoint: `computeSourceLag` measures against it. */
    chainTipAt: instant('chain_tip_at'),
    /** Estimated seconds until the source has caught up with the chain. Null once it has, and while no rate is known. */
    secondsLeft: integer('seconds_left'),
    eventCount: bigint('event_count', { mode: 'number' }).notNull().default(0),
    /** Number of events whose bytes did not decode; they are stored raw in `events`. */
    undecodedCount: bigint('undecoded_count', { mode: 'number' }).notNull().default(0),
    /** The reason why the source stopped or is being retried; null while it runs. */
    lastError: text('last_error'),
    lastErrorAt: instant('last_error_at'),
    /** Time at which it stopped for good because of `lastError`. Null while it runs or is being retried. */
    stoppedAt: instant('stopped_at'),
    /**
     * Time at which the indexer was first started without it. Its stored data stays, but is no longer updated. Null
     * while it is followed.
     */
    removedAt: instant('removed_at'),
    /**
     * Time from which a history waits for its first checks: from the first start, and from a start after a long gap.
     * Null once everything that it brought was checked.
     */
    unjudgedSince: instant('unjudged_since'),
    /** Time of the first start with it. Subscribers are notified of no listing whose version is older. */
    followedSince: instant('followed_since').notNull().defaultNow(),
    /** Time at which the node last answered. */
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.network, table.name] })],
);

/** Progress of each source in quarters of an hour of the last day, as the gateways sampled it. */
export const sourceQuarters = pgTable(
  'source_quarters',
  {
    network: text('network').notNull(),
    source: text('source').notNull(),
    fromAt: instant('from_at').notNull(),
    samples: integer('samples').notNull(),
    /** Samples in which the source was further behind than it may be. */
    late: integer('late').notNull(),
    /** Samples in which its last error was newer than the sample before. */
    failed: integer('failed').notNull(),
    lagSecondsMax: integer('lag_seconds_max').notNull(),
    /** Stored events of the source, in the first and in the last sample. */
    eventsFirst: bigint('events_first', { mode: 'number' }).notNull(),
    eventsLast: bigint('events_last', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.source, table.fromAt] })],
);
