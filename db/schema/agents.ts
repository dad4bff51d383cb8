import {
  bigint,
  boolean,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  sql,
  text,
  unique,
} from '../orm/drizzle.ts';
import { amount, amountTotal, creation, inOrderBy, instant } from './columns.ts';

/** Agents, as their own profiles describe them. */
export const agents = pgTable(
  'agents',
  {
    network: text('network').notNull(),
    /** The agent's own address. */
    agent: text('agent').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    skills: text('skills').array().notNull(),
    cardUrl: text('card_url'),
    version: integer('version').notNull(),
    /** False after the agent unlisted itself. */
    listed: boolean('listed').notNull(),
    registeredAt: instant('registered_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** Released jobs that it provided: counted when it registers, and changed by each of its jobs that is released. */
    completedJobs: integer('completed_jobs').notNull().default(0),
    /** Sum of what these jobs paid, in base units, whatever their coins. */
    earned: amountTotal('earned').notNull().default('0'),
    /** Rank by the owners that hired it (docs/ranking.md): the order of the agents. */
    rank: numeric('rank', { precision: 30, scale: 3 }).notNull().default('0'),
    /** Distinct owners of the wallets that hired it; `newHirers` of them are new. */
    hirers: integer('hirers').notNull().default(0),
    newHirers: integer('new_hirers').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.agent] }),
    index('agents_by_rank')
      .on(table.network, sql`(-rank)`, sql`name collate "C"`, sql`agent collate "C"`)
      .where(sql`listed`),
  ],
);

/** Released jobs of each provider by coin, added up from `jobs`. */
export const providerEarnings = pgTable(
  'provider_earnings',
  {
    network: text('network').notNull(),
    provider: text('provider').notNull(),
    /** Null if the package's events do not contain it, until the job's object is read. */
    coin: text('coin'),
    jobs: integer('jobs').notNull(),
    /** Base units. */
    amount: amountTotal('amount').notNull(),
  },
  (table) => [
    unique('provider_earnings_of_coin').on(table.network, table.provider, table.coin).nullsNotDistinct(),
    index('provider_earnings_by_jobs').on(table.network, table.provider, sql`(-jobs)`, table.coin),
  ],
);

/** Escrow jobs. Columns that some packages' events do not fill are null until a check has read the job's object. */
export const jobs = pgTable(
  'jobs',
  {
    network: text('network').notNull(),
    jobId: text('job_id').notNull(),
    walletId: text('wallet_id').notNull(),
    provider: text('provider').notNull(),
    /** Address that hired the provider: the wallet's owner at that time. */
    payer: text('payer'),
    /** Coin type. */
    coin: text('coin'),
    /** Payment of the provider in base units. Null until funding if only funding fixes it. */
    amount: amount('amount'),
    /** 0 open, 1 funded, 2 submitted, 3 released, 4 refunded. */
    state: smallint('state').notNull(),
    /** The task, in the payer's words. */
    brief: text('brief'),
    /** The submitted result; null before. */
    note: text('note'),
    deadlineAt: instant('deadline_at'),
    /**
     * Milliseconds after the deadline in which submitted work may still be judged. Null if the package's events do not
     * contain it.
     */
    reviewMs: bigint('review_ms', { mode: 'number' }),
    /** Type of the witness that may judge. */
    assessorType: text('assessor_type').notNull(),
    /** Address that the assessor cap was minted for. `assessor_cap_id` is the cap. */
    assessor: text('assessor'),
    assessorCapId: text('assessor_cap_id'),
    funder: text('funder'),
    /** `true` if the money came out of a wallet, to which a refund then goes. */
    fromWallet: boolean('from_wallet'),
    refundedTo: text('refunded_to'),
    /** `cancelled`, `expired` or `rejected`. */
    refundReason: text('refund_reason'),
    ...creation(),
    fundedAt: instant('funded_at'),
    submittedAt: instant('submitted_at'),
    releasedAt: instant('released_at'),
    refundedAt: instant('refunded_at'),
    checkError: text('check_error'),
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Time at which the job's object is read for data that the events did not contain. Null if nothing is missing. */
    nextCheckAt: instant('next_check_at'),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.jobId] }),
    index('jobs_newest').on(table.network, ...inOrderBy('created', table)),
    index('jobs_of_state').on(table.network, table.state, ...inOrderBy('created', table)),
    index('jobs_of_provider').on(table.network, table.provider, ...inOrderBy('created', table)),
    index('jobs_of_payer').on(table.network, table.payer, ...inOrderBy('created', table)),
    index('jobs_of_wallet').on(table.network, table.walletId, ...inOrderBy('created', table)),
    index('jobs_due_checks').on(table.nextCheckAt).where(sql`next_check_at is not null`),
  ],
);
