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
  sql,
  text,
  uniqueIndex,
} from '../orm/drizzle.ts';
import { amountTotal, bytes, instant } from './columns.ts';

/** Limits of a run's effect on its wallet, over all of its steps. Amounts are decimal digits of base units. */
export interface RunBounds {
  /** Maximum of each coin that leaves. */
  takes: { coinType: string; amount: string }[];
  /** Minimum of each coin that comes in. */
  brings: { coinType: string; amount: string }[];
}

/** Actions that the agent accepted to run. A request that was refused before that is not a run. */
export const agentRuns = pgTable(
  'agent_runs',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    /** The wallet's owner as the request names them. */
    owner: text('owner').notNull(),
    action: text('action').notNull(),
    /** The parsed request. */
    request: jsonb('request').$type<Record<string, unknown>>().notNull(),
    /** Id that the caller chose for the request; null if there is none. */
    requestId: text('request_id'),
    /** From 1: a request whose run failed before anything was signed is tried again under the same request id. */
    attempt: integer('attempt').notNull().default(1),
    /**
     * sha256 of the canonical request, lower-case hex. It distinguishes a repetition from another request with the same
     * id.
     */
    requestHash: text('request_hash').notNull(),
    /** Caller that requested the run: `key:<id>`, `internal` or `session:<address>`. */
    caller: text('caller').notNull(),
    /** Address of the managed key, whose coins pay the gas. */
    agent: text('agent').notNull(),
    /** Address that acts for the wallet: one of the wallet's own, or the managed key's. Null until it is chosen. */
    sender: text('sender'),
    /**
     * `running` (nothing is signed), `signed` (it may be on the chain), `unknown` (signed, but no node can report any
     * longer if it executed: an operator settles it), `done` or `failed`. One run of a wallet is open at a time. A run
     * that is `running` or `signed` keeps its gas coin, an `unknown` one only its wallet.
     */
    state: text('state').notNull().default('running'),
    /** The process that drives it. It is alive as long as it holds the advisory lock of this number. */
    worker: bigint('worker', { mode: 'number' }).notNull(),
    /** The signed transaction, recorded before it is sent. */
    transaction: bytes('transaction'),
    /** Base64 signatures: the sender's, then the gas payer's if that is another address. */
    signatures: text('signatures').array(),
    digest: text('digest'),
    /** Limits of its effect on the wallet. Its events are checked against them after it has executed. */
    bounds: jsonb('bounds').$type<RunBounds>(),
    /**
     * The newest checkpoint of the node when it was signed. A node that has all checkpoints after it can rule out that
     * the transaction executed.
     */
    signedCheckpoint: bigint('signed_checkpoint', { mode: 'number' }),
    signedAt: instant('signed_at'),
    /** Charge by the chain for its gas, in MIST, less rebates. Null until it is known. */
    gasCharged: amountTotal('gas_charged'),
    /** The operator's reason for the settlement; null if no operator settled it. */
    settledNote: text('settled_note'),
    /** Reason of the failure, one stable word; null if it did not fail. */
    code: text('code'),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (table) => [
    uniqueIndex('agent_runs_once').on(table.network, table.walletId, table.requestId, table.attempt),
    uniqueIndex('agent_runs_open')
      .on(table.network, table.walletId)
      .where(sql`state in ('running', 'signed', 'unknown')`),
    // The few runs that have not ended, for the operator, regardless of their age.
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

/** Amounts of daily limits that a run reserved before it signed. */
export const agentReservations = pgTable(
  'agent_reservations',
  {
    run: bigint('run', { mode: 'number' }).notNull(),
    /** Subject of the limit, as in `agent_limits`. */
    subject: text('subject').notNull(),
    measure: text('measure').notNull(),
    /** The day (UTC) of the limit that it counts against, even if the run ends on the next one. */
    day: date('day').notNull(),
    amount: amountTotal('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.run, table.subject, table.measure] })],
);

/** Use of a daily limit by the runs of a subject. */
export const agentLimits = pgTable(
  'agent_limits',
  {
    network: text('network').notNull(),
    /**
     * `wallet:<id>`, `owner:<address>`, `key:<id>`, or `unplanned`: all callers that have neither a plan nor a key of
     * the operator.
     */
    subject: text('subject').notNull(),
    /** A coin type (base units), `gas` (MIST), `runs` or `simulations` (their number). */
    measure: text('measure').notNull(),
    /** The day in UTC. */
    day: date('day').notNull(),
    /** Amount that open runs have reserved. */
    reserved: amountTotal('reserved').notNull(),
    /** Amount that ended runs have spent. */
    spent: amountTotal('spent').notNull(),
    /** The limit when it was last reserved against; null: none. */
    dailyMax: amountTotal('daily_max'),
  },
  (table) => [primaryKey({ columns: [table.network, table.subject, table.measure, table.day] })],
);

/**
 * Coins of the managed address that pay gas, as last known. A signed transaction whose outcome is open keeps its coin,
 * so that no coin is in two of them. `run` is the run, `split` the digest of the key's own split.
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
    /** The coin may have changed since: it is not leased before it is read again. */
    stale: boolean('stale').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.payer, table.coinId] }),
    index('agent_gas_coins_run').on(table.run).where(sql`run is not null`),
    check('agent_gas_coins_one_use', sql`num_nonnulls(run, split) <= 1`),
  ],
);

/** Balance of each managed address in quarters of an hour of the last day, as the gateways sampled it. */
export const agentGasQuarters = pgTable(
  'agent_gas_quarters',
  {
    network: text('network').notNull(),
    /** The managed address. */
    payer: text('payer').notNull(),
    fromAt: instant('from_at').notNull(),
    /** Sum of its known coins at the last sample, in MIST. */
    balance: amountTotal('balance').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.payer, table.fromAt] })],
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
    /**
     * Balance of each coin that the split creates, in MIST. The rest stays with the first of the coins that it merges.
     */
    amount: amountTotal('amount').notNull(),
    /** The node's newest checkpoint when it was signed, like `signed_checkpoint` of a run. */
    signedCheckpoint: bigint('signed_checkpoint', { mode: 'number' }).notNull(),
    signedAt: instant('signed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.payer] })],
);
