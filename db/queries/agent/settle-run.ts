import type { Pool } from 'pg';
import { inTransaction } from '../../transaction.ts';
import { freezeOf } from './open-run.ts';
import { type Claim, type OverLimit, reserve } from './reserve.ts';
import { linesOf, linesSql, type NewLines, tellSql } from './steps.ts';

/** A run and the worker that drives it: nothing is written for one that another worker has taken over. */
export interface Driven {
  run: number;
  worker: number;
}

/** What was signed, as it is sent. */
export interface Signed {
  transaction: Uint8Array;
  /** Of the sender, then of the one who pays the gas if that is another address. Base64. */
  signatures: string[];
  digest: string;
  /** The node's newest checkpoint, read before the signature was made. Null: not recorded. */
  signedCheckpoint: number | null;
}

export type SignedRecord = 'recorded' | 'frozen' | 'lost' | 'keyBusy';

const signSql = `
with held as (
  select r.id, exists (select from agent_freezes f where ${freezeOf('r.network', 'r.wallet_id')}) as frozen
  from agent_runs r where r.id = $1 and r.worker = $2 and r.state = 'running' for update
), run as (
  update agent_runs r set state = 'signed', transaction = $3, signatures = $4, digest = $5, signed_checkpoint = $6,
    signed_at = $7
  from held where r.id = held.id and not held.frozen returning r.id
), added as (${linesSql('run', 8)}), told as (${tellSql('run')})
select frozen, (select count(*) from told) from held`;

/** Whether no run that the key signed waits for its verdict: its coins are not to be used twice. */
export async function isKeyFree(db: Pool, network: string, agent: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'agent-key-free',
    text: `select from agent_runs where network = $1 and agent = $2 and state = 'signed'`,
    values: [network, agent],
  });
  return rowCount === 0;
}

/** Records what is about to be sent: only then may it be. */
export async function recordSigned(
  db: Pool,
  { run, worker }: Driven,
  { transaction, signatures, digest, signedCheckpoint }: Signed,
  lines: NewLines,
): Promise<SignedRecord> {
  const signed = [Buffer.from(transaction), signatures, digest, signedCheckpoint, lines.at];
  const values = [run, worker, ...signed, ...linesOf(lines)];
  try {
    const { rows } = await db.query<{ frozen: boolean }>({ name: 'agent-sign', text: signSql, values });
    if (!rows[0]) return 'lost';
    return rows[0].frozen ? 'frozen' : 'recorded';
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'agent_runs_signed')
      return 'keyBusy';
    throw error;
  }
}

export interface Ending {
  state: 'done' | 'failed';
  /** Stable word; null where it is done. */
  code: string | null;
  /** What it took of what was set aside, for all subjects alike; the rest is given back. */
  spent: readonly { measure: string; amount: bigint }[];
  lines: NewLines;
}

const endSql = `
with ended as (
  update agent_runs set state = $3, code = $4, ended_at = $5
  where id = $1 and worker = $2 and state in ('running', 'signed') returning id, network
), counted as (
  update agent_limits l
  set reserved = l.reserved - r.amount, spent = l.spent + coalesce(spent.amount, 0)
  from ended join agent_reservations r on r.run = ended.id
    left join unnest($6::text[], $7::numeric[]) as spent (measure, amount) using (measure)
  where l.network = ended.network and l.subject = r.subject and l.measure = r.measure and l.day = r.day
), added as (${linesSql('ended', 8)})
${tellSql('ended')}`;

/** Ends a run and settles what it had set aside, at once. False where it is not, or no longer, this worker's. */
export async function endRun(
  db: Pool,
  { run, worker }: Driven,
  { state, code, spent, lines }: Ending,
): Promise<boolean> {
  const measures = spent.map(({ measure }) => measure);
  const amounts = spent.map(({ amount }) => amount.toString());
  const values = [run, worker, state, code, lines.at, measures, amounts, ...linesOf(lines)];
  return (await db.query({ name: 'agent-end', text: endSql, values })).rowCount === 1;
}

const unsettledSql = `
with run as (
  update agent_runs set state = 'unknown', code = 'unknown'
  where id = $1 and worker = $2 and state = 'signed' returning id
), added as (${linesSql('run', 3)})
${tellSql('run')}`;

/**
 * Leaves a signed run to the operator: it keeps its wallet and what it set aside, and frees the key. False where it is
 * not this worker's to drive.
 */
export async function leaveUnsettled(db: Pool, { run, worker }: Driven, lines: NewLines): Promise<boolean> {
  const values = [run, worker, ...linesOf(lines)];
  return (await db.query({ name: 'agent-unsettled', text: unsettledSql, values })).rowCount === 1;
}

class Over extends Error {
  readonly limit: OverLimit;

  constructor(limit: OverLimit) {
    super('over a limit');
    this.limit = limit;
  }
}

/** Sets more aside for a run, of what was not known when it was opened; answers the limit that does not bear it. */
export async function reserveMore(
  db: Pool,
  run: number,
  claims: readonly Claim[],
): Promise<OverLimit | undefined> {
  try {
    await inTransaction(db, async (client) => {
      const limit = await reserve(client, run, claims);
      if (limit) throw new Over(limit);
    });
    return undefined;
  } catch (error) {
    if (error instanceof Over) return error.limit;
    throw error;
  }
}
