import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { amount, checkpointNumber, instant } from './columns.ts';

/** Every wallet as its events left it. */
export const wallets = pgTable(
  'wallets',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    /** The present owner. */
    owner: text('owner').notNull(),
    /** Address that coins are sent to. */
    identity: text('identity').notNull(),
    paused: boolean('paused').notNull().default(false),
    createdAt: instant('created_at').notNull(),
    /** Position of its creation: of several wallets of an owner, the latest counts. */
    createdCheckpoint: checkpointNumber('created_checkpoint').notNull(),
    createdTxIndex: integer('created_tx_index').notNull(),
    createdEventIndex: integer('created_event_index').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId] }),
    index('wallets_of_owner').on(table.network, table.owner),
  ],
);

/** What a service may pull of a coin, by the owner's grant. A revoked grant has no row. */
export const serviceGrants = pgTable(
  'service_grants',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    serviceType: text('service_type').notNull(),
    /** Coin type; another wallet package may name its wildcard `0x…::wallet::AnyCoin`. */
    coin: text('coin').notNull(),
    /** What is left of it; null where the wallet's package bounds no grant. */
    allowance: amount('allowance'),
    /** What is left to pull at another's request or at nobody's; null where the owner has not allowed that. */
    pullCap: amount('pull_cap'),
    /** When it was last set. */
    grantedAt: instant('granted_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId, table.serviceType, table.coin] }),
    index('service_grants_of_service').on(table.network, table.serviceType, table.walletId, table.coin),
  ],
);

/** Addresses that may spend for a wallet. A removed delegate has no row, and no allowances. */
export const delegates = pgTable(
  'delegates',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    delegate: text('delegate').notNull(),
    addedAt: instant('added_at').notNull(),
    /** Null: never. */
    expiresAt: instant('expires_at'),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId, table.delegate] }),
    index('delegates_by_address').on(table.network, table.delegate, table.walletId),
  ],
);

/** A delegate's budgets: one for each service and one for each coin. */
export const delegateAllowances = pgTable(
  'delegate_allowances',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    delegate: text('delegate').notNull(),
    /** `service` or `coin`. */
    kind: text('kind').notNull(),
    /** Type of the service or the coin. */
    key: text('key').notNull(),
    /** What is left of it. */
    amount: amount('amount').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId, table.delegate, table.kind, table.key] }),
  ],
);
