import { bigint, boolean, index, integer, numeric, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { amountTotal, checkpointNumber, instant } from './columns.ts';

/** SUI that an owner paid to each recipient by the policies of its wallets and for released jobs, in MIST. */
export const ownerPayments = pgTable(
  'owner_payments',
  {
    network: text('network').notNull(),
    owner: text('owner').notNull(),
    recipient: text('recipient').notNull(),
    paid: amountTotal('paid').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.owner, table.recipient] }),
    // Finds the owners whose weights change when a recipient becomes a payee or stops being one.
    index('owner_payments_of_recipient').on(table.network, table.recipient, table.owner),
  ],
);

/** Addresses that owners of wallets are linked to. A link is never removed. */
export const ownerLinks = pgTable(
  'owner_links',
  {
    network: text('network').notNull(),
    owner: text('owner').notNull(),
    address: text('address').notNull(),
    /** `true`: a wallet was transferred between the owner and the address. `false`: the owner made it a delegate. */
    isTransfer: boolean('is_transfer').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.owner, table.address] })],
);

/** Recipients that the operator names as independent: an owner cannot get back what it pays to them. */
export const rankingPayees = pgTable(
  'ranking_payees',
  { network: text('network').notNull(), address: text('address').notNull() },
  (table) => [primaryKey({ columns: [table.network, table.address] })],
);

/**
 * Owners whose credits all become due. An owner may have any number of credits, so a transaction makes a fixed number of
 * them due, and the owners take turns.
 */
export const ownersDue = pgTable(
  'owners_due',
  {
    network: text('network').notNull(),
    owner: text('owner').notNull(),
    /** Last credit that became due, in the order of `rank_credits_of_owner`. */
    afterAgent: boolean('after_agent').notNull().default(false),
    afterAt: instant('after_at').notNull().default(sql`'-infinity'`),
    afterSubject: text('after_subject').notNull().default(''),
    /** `true`: the owner changed after its first credits became due, so all become due once more. */
    again: boolean('again').notNull().default(false),
    turnAt: instant('turn_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.owner] }),
    index('owners_due_by_turn').on(table.network, table.turnAt, table.owner),
  ],
);

/**
 * Newly verified publishers of services. The credits of owners that are linked to them become due. A service may have any
 * number of owners, so a transaction reads a fixed number of their credits, and the publishers take turns.
 */
export const publishersDue = pgTable(
  'publishers_due',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    /** Owner of the last credit that was read. */
    afterOwner: text('after_owner').notNull().default(''),
    turnAt: instant('turn_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.publisher] }),
    index('publishers_due_by_turn').on(table.network, table.turnAt, table.serviceType, table.publisher),
  ],
);

/**
 * Addresses that became payees or stopped being payees. The owners that paid them become due, a fixed number in each
 * transaction.
 */
export const payeesDue = pgTable(
  'payees_due',
  {
    network: text('network').notNull(),
    address: text('address').notNull(),
    /** Last owner that became due. */
    afterOwner: text('after_owner').notNull().default(''),
    turnAt: instant('turn_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.address] }),
    index('payees_due_by_turn').on(table.network, table.turnAt, table.address),
  ],
);

/**
 * Wallets that were indexed after jobs that they had paid for. The credits of these jobs get the age of the wallet, a
 * fixed number of jobs in each transaction.
 */
export const walletsDue = pgTable(
  'wallets_due',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    /** Position of the last job that was read, in the order of `jobs_of_wallet`. */
    afterCheckpoint: checkpointNumber('after_checkpoint').notNull().default(-1),
    afterTxIndex: integer('after_tx_index').notNull().default(-1),
    afterEventIndex: integer('after_event_index').notNull().default(-1),
    turnAt: instant('turn_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId] }),
    index('wallets_due_by_turn').on(table.network, table.turnAt, table.walletId),
  ],
);

const part = (name: string) => numeric(name).notNull().default('0');

/** The owners whose wallets used a service or hired an agent, with what each adds to its rank (docs/ranking.md). */
export const rankCredits = pgTable(
  'rank_credits',
  {
    network: text('network').notNull(),
    /** Service type, or address of an agent. */
    subject: text('subject').notNull(),
    isAgent: boolean('is_agent').notNull(),
    /** Owner of the wallet at the time of its use, or of the creation of its job. */
    owner: text('owner').notNull(),
    /** Uses of the service that the owner signed, or jobs that the agent completed. */
    uses: bigint('uses', { mode: 'number' }).notNull(),
    /** Creation of the oldest wallet of these uses or jobs. Null if the index does not have the wallet. */
    walletAt: instant('wallet_at'),
    firstUseAt: instant('first_use_at').notNull(),
    /** Last of `uses`; null if there is none. */
    lastUseAt: instant('last_use_at'),
    /** Last use that a delegate signed for the owner; null if there is none. */
    delegatedAt: instant('delegated_at'),
    /** Null until it is computed. New: the owner's wallet is young, or it used no other package or agent before. */
    isNew: boolean('is_new'),
    /** Credit of a proven owner. It does not fade, so it is larger the later the last use is. */
    proven: part('proven'),
    /** Part of the owner's weight that no payment proves. */
    unproven: part('unproven'),
    /** Weight of the owner's review; 0 without one. */
    reviewWeight: part('review_weight'),
    /** Score of the review times `review_weight`. */
    reviewSum: part('review_sum'),
    /** `true` until the columns from `is_new` on are computed again. */
    due: boolean('due').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.subject, table.owner] }),
    index('rank_credits_of_owner').on(
      table.network,
      table.owner,
      table.isAgent,
      table.firstUseAt,
      table.subject,
    ),
    index('rank_credits_due').on(table.network, table.subject).where(sql`due`),
  ],
);

/** Totals of `rank_credits` for each service and agent, from which its rank follows. */
export const ranks = pgTable(
  'ranks',
  {
    network: text('network').notNull(),
    subject: text('subject').notNull(),
    owners: integer('owners').notNull(),
    newOwners: integer('new_owners').notNull(),
    lastUseAt: instant('last_use_at').notNull(),
    proven: part('proven'),
    unproven: part('unproven'),
    reviewWeight: part('review_weight'),
    reviewSum: part('review_sum'),
  },
  (table) => [primaryKey({ columns: [table.network, table.subject] })],
);
