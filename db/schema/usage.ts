import { bigint, date, index, integer, pgTable, primaryKey, text } from '../orm/drizzle.ts';
import { amountTotal, eventPosition, inOrder, instant } from './columns.ts';

/**
 * Counted usage, append-only: one row for each distinct (transaction, wallet, service) among the wallet events that
 * name a service and move a positive amount. It covers every service, listed or not.
 */
export const serviceActions = pgTable(
  'service_actions',
  {
    network: text('network').notNull(),
    /**
     * Position of the first event that counts. No other action has it, since an event names one wallet and one service.
     */
    ...eventPosition(),
    /** Canonical service type. */
    serviceType: text('service_type').notNull(),
    walletId: text('wallet_id').notNull(),
    /** Owner of the wallet at that time. Null if the index does not know the wallet. */
    owner: text('owner'),
    /**
     * Sender of the transaction: `owner`, or `delegate` if it debited the sender's budget. Null for any other, such as a
     * service that pulls or deposits by itself.
     */
    signedBy: text('signed_by', { enum: ['owner', 'delegate'] }),
    /**
     * Addresses that acted: the wallet's owner at that time, the transaction's sender, and spenders and payers that the
     * events name.
     */
    actors: text('actors').array().notNull(),
    /**
     * The coins that it moved, each once. For each coin, `taken` has the amount that left the wallet, and `brought` the
     * amount that came in.
     */
    coins: text('coins').array().notNull().default([]),
    taken: amountTotal('taken').array().notNull().default([]),
    brought: amountTotal('brought').array().notNull().default([]),
    timestamp: instant('timestamp').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, ...inOrder(table)] }),
    index('service_actions_of_service').on(table.network, table.serviceType, ...inOrder(table)),
    index('service_actions_of_wallet').on(table.network, table.walletId, ...inOrder(table)),
    // Rows come in the order of their time, so a small index of its ranges finds the latest.
    index('service_actions_by_time').using('brin', table.timestamp),
  ],
);

/** The wallets that used a service, added up from `service_actions`. */
export const serviceVaults = pgTable(
  'service_vaults',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    walletId: text('wallet_id').notNull(),
    actions: bigint('actions', { mode: 'number' }).notNull(),
    lastActionAt: instant('last_action_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.walletId] }),
    index('service_vaults_of_wallet').on(table.network, table.walletId, table.serviceType),
  ],
);

/** Counted use of each service, added up from `service_actions`. */
export const serviceUsage = pgTable(
  'service_usage',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    actions: bigint('actions', { mode: 'number' }).notNull().default(0),
    uniqueVaults: integer('unique_vaults').notNull().default(0),
    lastActionAt: instant('last_action_at'),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType] })],
);

/** Counted use of each service by the day (UTC), added up from `service_actions`. */
export const serviceDays = pgTable(
  'service_days',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    actions: bigint('actions', { mode: 'number' }).notNull(),
    /** Distinct wallets of the day. */
    wallets: integer('wallets').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType, table.day] })],
);

/** Amounts that each service moved of each coin by the day (UTC), added up from `service_actions`. */
export const serviceCoinDays = pgTable(
  'service_coin_days',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    coin: text('coin').notNull(),
    /** Actions that moved the coin. */
    actions: bigint('actions', { mode: 'number' }).notNull(),
    /** Amount that left wallets, in the coin's smallest unit. */
    taken: amountTotal('taken').notNull(),
    /** Amount that came into wallets, in the coin's smallest unit. */
    brought: amountTotal('brought').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType, table.day, table.coin] })],
);

/** First counted action of each actor with a service. A review that the actor writes after it is verified. */
export const serviceActors = pgTable(
  'service_actors',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    actor: text('actor').notNull(),
    ...eventPosition(),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType, table.actor] })],
);
