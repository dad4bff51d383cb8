import { boolean, index, pgTable, primaryKey, text } from '../orm/drizzle.ts';
import { amount, creation, instant } from './columns.ts';

/** Every wallet after its latest event. */
export const wallets = pgTable(
  'wallets',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    /** The current owner. */
    owner: text('owner').notNull(),
    /** Address that coins are sent to. */
    identity: text('identity').notNull(),
    paused: boolean('paused').notNull().default(false),
    /** If an owner has several wallets, the latest counts. */
    ...creation(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId] }),
    index('wallets_of_owner').on(table.network, table.owner),
  ],
);

/** Grants by owners: the amount of a coin that a service may pull. A revoked grant has no row. */
export const serviceGrants = pgTable(
  'service_grants',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    serviceType: text('service_type').notNull(),
    /** Coin type; another wallet package may name its wildcard `0x…::wallet::AnyCoin`. */
    coin: text('coin').notNull(),
    /** Remaining allowance in base units. Null if the wallet's package does not limit grants. */
    allowance: amount('allowance'),
    /** Remaining amount, in base units, that others may have the service pull. Null if the owner has not allowed it. */
    pullCap: amount('pull_cap'),
    /** Time at which it was last set. */
    grantedAt: instant('granted_at').notNull(),
    /** Time from which the coin is granted without a break. */
    firstGrantedAt: instant('first_granted_at').notNull(),
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
    /** Null: it does not expire. */
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
    kind: text('kind').$type<'service' | 'coin'>().notNull(),
    /** Type of the service or the coin. */
    key: text('key').notNull(),
    /** Remaining budget in base units. */
    amount: amount('amount').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId, table.delegate, table.kind, table.key] }),
  ],
);
