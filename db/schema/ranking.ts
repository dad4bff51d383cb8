import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { amountTotal, instant } from './columns.ts';

/** SUI that the policies of an owner's wallets paid to each recipient, in MIST. */
export const ownerPayments = pgTable(
  'owner_payments',
  {
    network: text('network').notNull(),
    owner: text('owner').notNull(),
    recipient: text('recipient').notNull(),
    paid: amountTotal('paid').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.owner, table.recipient] })],
);

/** Recipients that the operator names as independent: what an owner pays to them is not got back. */
export const rankingPayees = pgTable(
  'ranking_payees',
  { network: text('network').notNull(), address: text('address').notNull() },
  (table) => [primaryKey({ columns: [table.network, table.address] })],
);

const part = (name: string) => numeric(name).notNull().default('0');

/** The owners whose wallets used a service, with what each adds to the rank of the service (docs/ranking.md). */
export const serviceOwners = pgTable(
  'service_owners',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    /** Owner of the wallet when its use was added up. */
    owner: text('owner').notNull(),
    actions: bigint('actions', { mode: 'number' }).notNull(),
    /** Creation of the oldest of its wallets that used the service. */
    walletAt: instant('wallet_at').notNull(),
    lastActionAt: instant('last_action_at').notNull(),
    /** Null until the owner was counted. New: young, or without use of a service of another package. */
    isNew: boolean('is_new'),
    /** Credit of a proven owner at its last use; it grows with the time of that use instead of fading. */
    proven: part('proven'),
    /** Weight of the owner that no payment proves. */
    unproven: part('unproven'),
    /** Weight of its review; 0 without one. */
    reviewWeight: part('review_weight'),
    /** Score of its review times that weight. */
    reviewSum: part('review_sum'),
    /** `true` until the columns from `is_new` on are computed again. */
    due: boolean('due').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.owner] }),
    index('service_owners_of_owner').on(table.network, table.owner),
    index('service_owners_due').on(table.network).where(sql`due`),
  ],
);

/** Totals of `service_owners` for each service, from which its rank follows. */
export const serviceRanks = pgTable(
  'service_ranks',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    owners: integer('owners').notNull(),
    newOwners: integer('new_owners').notNull(),
    proven: part('proven'),
    unproven: part('unproven'),
    reviewWeight: part('review_weight'),
    reviewSum: part('review_sum'),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType] })],
);
