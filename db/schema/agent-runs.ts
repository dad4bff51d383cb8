import { sql } from 'drizzle-orm';
import {
  bigint,
  date,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytes, instant } from './columns.ts';

/** Sums of amounts, each of which may be up to 2^64 - 1 base units. */
const total = (name: string) => numeric(name, { precision: 38, scale: 0 });

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
     * more whether it executed: an operator settles it), `done` or `failed`. One run of a wallet is open at a time,
     * and one signed run of a managed key. An `unknown` run keeps its wallet and not the key.
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
    gasCharged: total('gas_charged'),
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
    uniqueIndex('agent_runs_signed').on(table.network, table.agent).where(sql`state = 'signed'`),
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
    amount: total('amount').notNull(),
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
    reserved: total('reserved').notNull(),
    /** Of runs that have ended. */
    spent: total('spent').notNull(),
    /** The limit when it was last reserved against; null: none. */
    dailyMax: total('daily_max'),
  },
  (table) => [primaryKey({ columns: [table.network, table.subject, table.measure, table.day] })],
);
