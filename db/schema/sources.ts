import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, checkpointNumber, instant } from './columns.ts';

/**
 * What is followed of each chain: one source is one filter with one cursor, so that a source added later
 * reads its own history and leaves the others alone.
 */
export const sources = pgTable(
  'sources',
  {
    network: text('network').notNull(),
    /** `registry`, `wallet`, `rules`, `agents` or `escrow`. */
    name: text('name').notNull(),
    /** Digest of the genesis checkpoint: the database refuses a node of another chain. Empty until a node was heard. */
    chainId: text('chain_id').notNull(),
    /**
     * The filter's event types, joined by spaces. Types of later versions of the same packages are added before their
     * first event; any other change is refused. Empty like `chain_id`.
     */
    filter: text('filter').notNull(),
    /** Opaque resume point of `cursorProvider`; null before the first frame. */
    cursor: bytes('cursor'),
    /** Url of the node that gave the cursor: any other node resumes after `checkpoint` instead. */
    cursorProvider: text('cursor_provider'),
    /** Highest checkpoint covered in full; -1 before the first. Compare-and-swapped together with the rows. */
    checkpoint: checkpointNumber('checkpoint').notNull().default(-1),
    /**
     * Position of the last stored event; all three null before the first. A resumed reader may bring a checkpoint
     * again, and everything up to here is then already stored.
     */
    lastCheckpoint: checkpointNumber('last_checkpoint'),
    lastTxIndex: integer('last_tx_index'),
    lastEventIndex: integer('last_event_index'),
    /**
     * First checkpoint whose events are stored without what is settled from them (`listings`, `service_usage`),
     * as while history is read; null when nothing is left to do.
     */
    unsettledFrom: checkpointNumber('unsettled_from'),
    /** First such transaction of that checkpoint: what adds up must take each one once. */
    unsettledTxIndex: integer('unsettled_tx_index'),
    /** Timestamp of `checkpoint`, where known. */
    checkpointAt: instant('checkpoint_at'),
    /** Highest checkpoint of the chain when last heard of. */
    chainTip: checkpointNumber('chain_tip'),
    /** Timestamp of that checkpoint: `sourceLagSeconds` measures against it. */
    chainTipAt: instant('chain_tip_at'),
    eventCount: bigint('event_count', { mode: 'number' }).notNull().default(0),
    /** Events whose bytes did not decode; kept raw in `events`. */
    undecodedCount: bigint('undecoded_count', { mode: 'number' }).notNull().default(0),
    /** Why the source stopped or is being retried; null while it runs. */
    lastError: text('last_error'),
    lastErrorAt: instant('last_error_at'),
    /** When it stopped for good, for `lastError`; null while it runs or is being retried. */
    stoppedAt: instant('stopped_at'),
    /** When the indexer was started without it: what is stored stays, and grows old. Null while it is followed. */
    removedAt: instant('removed_at'),
    /**
     * Since when a history waits for its first judgement by the checks: from the first start, and from one after a long
     * time away; null once all that it brought was judged.
     */
    unjudgedSince: instant('unjudged_since'),
    /** When the node was last heard. */
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.network, table.name] })],
);
