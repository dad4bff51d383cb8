import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytes, checkpointNumber, instant } from './columns.ts';

/** Every event of every source, as it came from the chain. Append-only; the public id is `<txDigest>:<eventIndex>`. */
export const events = pgTable(
  'events',
  {
    network: text('network').notNull(),
    checkpoint: checkpointNumber('checkpoint').notNull(),
    txIndex: integer('tx_index').notNull(),
    eventIndex: integer('event_index').notNull(),
    source: text('source').notNull(),
    txDigest: text('tx_digest').notNull(),
    sender: text('sender').notNull(),
    /** Time of the checkpoint that holds the transaction. */
    timestamp: instant('timestamp').notNull(),
    /** Full type with its defining id. */
    type: text('type').notNull(),
    /** The type's last part: `Registered`, `Attested`, ... */
    name: text('name').notNull(),
    /** The event's own fields in camelCase; null when the bytes did not decode. */
    data: jsonb('data').$type<Record<string, unknown>>(),
    /** BCS, kept always: a decoder that learns more can read history again without the chain. */
    contents: bytes('contents').notNull(),
    decodeError: text('decode_error'),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.checkpoint, table.txIndex, table.eventIndex] }),
    uniqueIndex('events_public_id').on(table.network, table.txDigest, table.eventIndex),
    // Subscribers read the registry's events in order; between two of them lie any number of wallets' events.
    index('events_of_registry')
      .on(table.network, table.checkpoint, table.txIndex, table.eventIndex)
      .where(sql`source = 'registry'`),
  ],
);
