import { index, jsonb, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { bytes, eventPosition, inOrder, instant } from './columns.ts';

/** Every event of every source, as it came from the chain. Append-only; the public id is `<txDigest>:<eventIndex>`. */
export const events = pgTable(
  'events',
  {
    network: text('network').notNull(),
    ...eventPosition(),
    source: text('source')
      .$type<'registry' | 'wallet' | 'rules' | 'agents' | 'escrow' | 'statements'>()
      .notNull(),
    txDigest: text('tx_digest').notNull(),
    sender: text('sender').notNull(),
    /** Time of the checkpoint that holds the transaction. */
    timestamp: instant('timestamp').notNull(),
    /** Full type with its defining id. */
    type: text('type').notNull(),
    /** Last part of the type, such as `Registered` or `Attested`. */
    name: text('name').notNull(),
    /** Fields of the event in camelCase; null if the bytes did not decode. */
    data: jsonb('data').$type<Record<string, unknown>>(),
    /** BCS bytes, which are always stored: a better decoder can read history again without the chain. */
    contents: bytes('contents').notNull(),
    decodeError: text('decode_error'),
  },
  (table) => [
    primaryKey({ columns: [table.network, ...inOrder(table)] }),
    // Subscribers read the registry's events in order. Between two of them there can be any number of wallets' events.
    index('events_of_registry')
      .on(table.network, ...inOrder(table))
      .where(sql`source = 'registry'`),
    // These sources have few events, which a query would otherwise search for among all events of wallets.
    index('events_of_source')
      .on(table.network, table.source, ...inOrder(table))
      .where(sql`source in ('rules', 'agents', 'escrow')`),
    index('events_of_spends')
      .on(table.network, sql`(data->>'walletId')`, ...inOrder(table))
      .where(sql`source = 'wallet' and name = 'SpendConfirmed'`),
    // Most events are of wallets. A hash takes less than half the space of a wallet's id, so more of the index stays in
    // memory, where inserts in random order need it. Queries compare the id itself in the row.
    index('events_of_wallets')
      .on(table.network, sql`hashtextextended(data->>'walletId', 0)`, ...inOrder(table))
      .where(sql`source = 'wallet'`),
    index('events_of_caps')
      .on(table.network, sql`(data->>'capId')`, ...inOrder(table))
      .where(sql`source = 'wallet' and data->>'capId' is not null`),
    index('events_of_rules')
      .on(table.network, sql`(data->>'ruleType')`, ...inOrder(table))
      .where(sql`source = 'rules' and data->>'ruleType' is not null`),
    index('events_of_allowlists')
      .on(table.network, sql`(data->>'allowlistId')`, ...inOrder(table))
      .where(sql`source = 'rules' and data->>'allowlistId' is not null`),
    index('events_of_agents')
      .on(table.network, sql`(data->>'agent')`, ...inOrder(table))
      .where(sql`source = 'agents'`),
    index('events_of_jobs')
      .on(table.network, sql`(data->>'jobId')`, ...inOrder(table))
      .where(sql`source = 'escrow'`),
    // For `analytics.registry_events`, which has this expression. Ids are random, so inserts need the whole index in
    // memory. A hash index is smaller than a tree of ids: it has four bytes of each.
    index('registry_events_by_id')
      .using('hash', sql`((tx_digest || ':') || event_index::text)`)
      .where(sql`source = 'registry'`),
    index('registry_events_by_time').on(table.timestamp).where(sql`source = 'registry'`),
    index('registry_events_by_sender').on(table.sender, table.timestamp).where(sql`source = 'registry'`),
  ],
);
