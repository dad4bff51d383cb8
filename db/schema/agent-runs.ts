import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { amountTotal, bytes, instant } from './columns.ts';

/** What a run's transaction may do to its wallet, over all of its steps; amounts are decimal digits of base units. */
export interface RunBounds {
  /** At most, of each coin that leaves. */
  takes: { coinType: string; amount: string }[];
  /** At least, of each coin that comes in. */
  brings: { coinType: string; amount: string }[];
}

/** Actions that the agent was asked to run and took on. What was refused before is not a run. */
export const agentRuns = pgTable(
  'agent_runs',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    /** The wallet's owner as the request names them. */
    owner: text('owner').notNull(),
    action: text('action').notNull(),
    /** The request as it was understood. */
    request: jsonb('request').$type<Record<string, unknown>>().notNull(),
    /** The caller's name for it; null where the caller gave none. */
    requestId: text('request_id'),
    /** From 1: a request whose run failed before anything was signed is tried again under the same request id. */
    attempt: integer('attempt').notNull().default(1),
    /** sha256 of the canonical request, lower-case hex: tells a repetition from another request of that name. */
    requestHash: text('request_hash').notNull(),
    /** Who asked: `key:<id>`, `internal` or `session:<address>`. */
    caller: text('caller').notNull(),
    /** Address of the managed key, whose coins pay the gas. */
    agent: text('agent').notNull(),
    /** Address that acts for the wallet: one of the wallet's own, or the managed key's. Null until it is chosen. */
    sender: text('sender'),
    /**
     * `running` (nothing is signed), `signed` (it may be on the chain), `unknown` (signed, and no node can say any
     * more whether it executed: an operator settles it), `done` or `failed`. One run of a wallet is open at a time. A
     * run that is `running` or `signed` keeps its gas coin, an `unknown` one only its wallet.
     */
    state: text('state').notNull().default('running'),
    /** The process that drives it, alive for as long as it holds the advisory lock of this number. */
    worker: bigint('worker', { mode: 'number' }).notNull(),
    /** What was signed, recorded before it is sent. */
    transaction: bytes('transaction'),
    /** Of the sender, then of the one who pays the gas if that is another address. Base64. */
    signatures: text('signatures').array(),
    digest: text('digest'),
    /** What it may do to the wallet, which its events are held against once it has executed. */
    bounds: jsonb('bounds').$type<RunBounds>(),
    /** The newest checkpoint of the node when it was signed: a node that keeps all after it can rule it out. */
    signedCheckpoint: bigint('signed_checkpoint', { mode: 'number' }),
    signedAt: instant('signed_at'),
    /** What the chain charged for its gas, in MIST, less rebates; null until it is known. */
    gasCharged: amountTotal('gas_charged'),
    /** Why an operator settled it as they did; null where none did. */
    settledNote: text('settled_note'),
    /** Why it failed, one stable word; null where it did not. */
    code: text('code'),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (table) => [
    uniqueIndex('agent_runs_once').on(table.network, table.walletId, table.requestId, table.attempt),
    uniqueIndex('agent_runs_open')
      .on(table.network, table.walletId)
      .where(sql`state in ('running', 'signed', 'unknown')`),
    // The few that have not ended, for the operator: however long ago they began.
    index('agent_runs_open_by_id').on(table.id).where(sql`state in ('running', 'signed', 'unknown')`),
    index('agent_runs_of_wallet').on(table.network, table.walletId, table.id),
  ],
);

/** The lines of a run's stream, in order: one row for each line. */
export const agentRunSteps = pgTable(
  'agent_run_steps',
  {
    run: bigint('run', { mode: 'number' }).notNull(),
    /** From 0. */
    position: integer('position').notNull(),
    step: text('step').notNull(),
    /** `active`, `done` or `error`. */
    status: text('status').notNull(),
    detail: text('detail'),
    digest: text('digest'),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.run, table.position] })],
);

/** What a run set aside of the day's limits before it signed. */
export const agentReservations = pgTable(
  'agent_reservations',
  {
    run: bigint('run', { mode: 'number' }).notNull(),
    /** As in `agent_limits`. */
    subject: text('subject').notNull(),
    measure: text('measure').notNull(),
    /** In UTC: the day of the limit that it counts against, also where the run ends on the next one. */
    day: date('day').notNull(),
    amount: amountTotal('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.run, table.subject, table.measure] })],
);

/** What the runs of a subject have taken of a day's limit. */
export const agentLimits = pgTable(
  'agent_limits',
  {
    network: text('network').notNull(),
    /** `wallet:<id>`, `owner:<address>`, `key:<id>`, or `unplanned`: all callers that no operator vouches for. */
    subject: text('subject').notNull(),
    /** A coin type (base units), `gas` (MIST) or `runs` (how many). */
    measure: text('measure').notNull(),
    /** In UTC. */
    day: date('day').notNull(),
    /** Of runs that are still open. */
    reserved: amountTotal('reserved').notNull(),
    /** Of runs that have ended. */
    spent: amountTotal('spent').notNull(),
    /** The limit when it was last reserved against; null: none. */
    dailyMax: amountTotal('daily_max'),
  },
  (table) => [primaryKey({ columns: [table.network, table.subject, table.measure, table.day] })],
);

/**
 * Coins of the managed address that pay gas, as last known. A signed transaction whose outcome is open keeps its coin,
 * so that no coin is in two of them: `run` is that of the run, `split` the digest of the key's own split.
 */
export const agentGasCoins = pgTable(
  'agent_gas_coins',
  {
    network: text('network').notNull(),
    /** The managed address. */
    payer: text('payer').notNull(),
    coinId: text('coin_id').notNull(),
    version: bigint('version', { mode: 'number' }).notNull(),
    digest: text('digest').notNull(),
    /** In MIST. */
    balance: amountTotal('balance').notNull(),
    /** The open run that it is leased to. */
    run: bigint('run', { mode: 'number' }),
    split: text('split'),
    /** It may have changed since: nobody leases it before it is read again. */
    stale: boolean('stale').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.payer, table.coinId] }),
    index('agent_gas_coins_run').on(table.run).where(sql`run is not null`),
    check('agent_gas_coins_one_use', sql`num_nonnulls(run, split) <= 1`),
  ],
);

/** The signed split of a managed address's coins whose outcome is open. */
export const agentGasSplits = pgTable(
  'agent_gas_splits',
  {
    network: text('network').notNull(),
    payer: text('payer').notNull(),
    transaction: bytes('transaction').notNull(),
    signature: text('signature').notNull(),
    digest: text('digest').notNull(),
    /** What each coin that it makes holds, in MIST; the rest stays with the first of those that it merges. */
    amount: amountTotal('amount').notNull(),
    /** As `signed_checkpoint` of a run. */
    signedCheckpoint: bigint('signed_checkpoint', { mode: 'number' }).notNull(),
    signedAt: instant('signed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.payer] })],
);
