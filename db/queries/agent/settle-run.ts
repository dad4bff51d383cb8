import type { ClientBase, Pool } from 'pg';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import type { KeyScope } from '../../schema/agent-access.ts';
import { inTransaction } from '../../transaction.ts';
import { toColumns } from '../queryable.ts';
import { buildKeyStandingSql, type KeyStanding } from './access.ts';
import {
  buildFreeParams,
  buildFreeSql,
  buildNotifyFreedSql,
  type FinalGasCost,
  type GasCoin,
} from './gas-coins.ts';
import {
  allCountedSql,
  buildClaimParams,
  buildFreezeCondition,
  buildReservingSql,
  type Claim,
  completeOrRefuse,
  type LimitExcess,
  reserve,
} from './open-run.ts';
import {
  addLines,
  buildLineParams,
  buildLinesSql,
  buildNextPositionSql,
  buildNotifySql,
  type NewLines,
  type RunLease,
  type SignedTransaction,
  unsyncedSql,
} from './runs.ts';

/** Facts that a signature depends on. They are checked in the statement that records it. */
export interface SigningConditions {
  /** Scope of the executor key that requested the run, as it was when the run was checked; null without a key. */
  scope: KeyScope | null;
  /** Service types and publishers of the called adaptors. None may be in quarantine. */
  subjects: readonly string[];
  /** Called adaptors that the operator must have confirmed, with the hashes of their manifests. */
  confirmed: readonly { serviceType: string; manifestHash: string }[];
}

/**
 * `quarantined`: the operator's reason to hold a called adaptor in quarantine.
 * `notConfirmed`: the operator no longer confirms a called adaptor at this manifest.
 * `callerEnded`, `callerChanged`: the executor key that requested the run no longer works, or has another scope.
 * `ownerChanged`: the wallet no longer belongs to the owner in the request.
 */
export type SignatureRecordResult =
  | 'recorded'
  | 'frozen'
  | { quarantined: string }
  | 'notConfirmed'
  | 'lost'
  | 'callerEnded'
  | 'callerChanged'
  | 'ownerChanged';

const signSql = `
with held as (
  select r.id, exists (select from agent_freezes f where ${buildFreezeCondition('r.network', 'r.wallet_id')}) as frozen,
    (select q.reason from quarantines q where q.network = r.network and q.subject = any ($18::text[])
      order by q.since limit 1) as quarantined,
    not exists (
      select from unnest($19::text[], $20::text[]) as needed (service_type, manifest_hash)
      where not exists (select from agent_adaptors a where a.network = r.network
        and a.service_type = needed.service_type and a.manifest_hash = needed.manifest_hash)
    ) as confirmed,
    ${buildKeyStandingSql('$7::timestamptz', '$6::jsonb')} as standing,
    exists (select from wallets w
      where w.network = r.network and w.wallet_id = r.wallet_id and w.owner = r.owner) as owned
  from agent_runs r join agent_gas_coins c on c.run = r.id and c.coin_id = $16 and c.version = $17
  where r.id = $1 and r.worker = $2 and r.state = 'running'
    and (select count(*) from agent_run_steps s where s.run = r.id) = $10::int for update
), run as (
  update agent_runs r set state = 'signed', transaction = $3, signatures = $4, digest = $5, bounds = $8,
    signed_checkpoint = $9, signed_at = $7
  from held where r.id = held.id and not held.frozen and held.quarantined is null and held.confirmed
    and held.standing = 'good' and held.owned returning r.id
), added as (${buildLinesSql('run', 10)})
select frozen, quarantined, confirmed, standing, owned, (select ${buildNotifySql(10)} from run) from held`;

/**
 * Records a signed transaction. It may be sent only after that. A database that crashed may have lost lines of the run, with
 * what their statements reserved: nothing is recorded then.
 * @param coin gas coin of the transaction, which must be leased to the run at this version
 */
export async function recordSigned(
  db: Pool,
  { run, worker }: RunLease,
  { transaction, signatures, digest, bounds, signedCheckpoint }: SignedTransaction,
  { scope, subjects, confirmed }: SigningConditions,
  { coinId, version }: Pick<GasCoin, 'coinId' | 'version'>,
  lines: NewLines,
): Promise<SignatureRecordResult> {
  const values = [
    run,
    worker,
    Buffer.from(transaction),
    signatures,
    digest,
    scope,
    lines.at,
    bounds,
    signedCheckpoint,
    ...buildLineParams(lines),
    coinId,
    version,
    subjects,
    ...toColumns(confirmed, 'serviceType', 'manifestHash'),
  ];
  const { rows } = await db.query<{
    frozen: boolean;
    quarantined: string | null;
    confirmed: boolean;
    standing: KeyStanding;
    owned: boolean;
  }>({ name: 'agent-sign', text: signSql, values });
  if (!rows[0]) return 'lost';
  if (rows[0].frozen) return 'frozen';
  if (rows[0].quarantined !== null) return { quarantined: rows[0].quarantined };
  if (!rows[0].confirmed) return 'notConfirmed';
  if (rows[0].standing === 'good' && !rows[0].owned) return 'ownerChanged';
  const records = { good: 'recorded', ended: 'callerEnded', changed: 'callerChanged' } as const;
  return records[rows[0].standing];
}

export interface RunOutcome {
  state: 'done' | 'failed';
  /** Stable word; null if the run is done. */
  code: string | null;
  /** Amounts of reserved coins that the run spent, the same for all subjects. The rest is released. */
  spent: readonly { measure: string; amount: bigint }[];
  /** Null if nothing was signed: all reserved gas is then released. */
  gas: FinalGasCost | null;
  lines: NewLines;
}

/**
 * Common table expressions that settle the reservations of the run in the row of `run` (`id`, `network`). The run itself
 * counts, however it ended. Limits are locked in the order of `reserve`, since runs of other wallets share some.
 * @param spent SQL of the amount that counts of the reservation `held`; `spent.amount` is that of its measure in the
 *   parameters 6 (measures) and 7 (amounts)
 */
const buildSettlingSql = (run: string, spent: string) => `
held as materialized (
  select l.network, l.subject, l.measure, l.day, r.amount
  from ${run} join agent_reservations r on r.run = ${run}.id join agent_limits l
    on l.network = ${run}.network and l.subject = r.subject and l.measure = r.measure and l.day = r.day
  order by l.subject, l.measure for update of l
), counted as (
  update agent_limits l
  set reserved = l.reserved - held.amount,
    spent = l.spent + case when held.measure = 'runs' then held.amount else ${spent} end
  from held left join unnest($6::text[], $7::numeric[]) as spent (measure, amount) using (measure)
  where l.network = held.network and l.subject = held.subject and l.measure = held.measure and l.day = held.day
)`;

const endSql = `
with ended as (
  update agent_runs set state = $3, code = $4, ended_at = $5, gas_charged = $8::numeric
  where id = $1 and worker = $2 and (state = 'running' or state = 'signed' and $8::numeric is not null)
  returning id, network
), ${buildSettlingSql('ended', "coalesce(case held.measure when 'gas' then $8::numeric else spent.amount end, 0)")},
added as (${buildLinesSql('ended', 9)}), freed as (${buildFreeSql('ended', 15)})
select ${buildNotifySql(9, { ended: true })}, ${buildNotifyFreedSql('freed')}, ${unsyncedSql} from ended`;

/**
 * Ends a run and settles its reservations, in one statement: coins by the amount that left the wallet, gas by the
 * charge. Returns `false` if another worker drives the run, the run has ended, or it was signed and `gas` is null.
 */
export async function endRun(
  db: Pool,
  { run, worker }: RunLease,
  { state, code, spent, gas, lines }: RunOutcome,
): Promise<boolean> {
  const measures = spent.map(({ measure }) => measure);
  const amounts = spent.map(({ amount }) => amount.toString());
  const charged = gas?.charged.toString() ?? null;
  const ended = [run, worker, state, code, lines.at, measures, amounts, charged];
  const values = [...ended, ...buildLineParams(lines), ...buildFreeParams(gas)];
  return (await db.query({ name: 'agent-end', text: endSql, values })).rowCount === 1;
}

const unsettledSql = `
with run as (
  update agent_runs set state = 'unknown', code = 'unknown', digest = $14
  where id = $1 and worker = $2 and (state = 'running' or state = 'signed' and digest = $14) returning id
), added as (${buildLinesSql('run', 3)}), freed as (${buildFreeSql('run', 9)})
select ${buildNotifySql(3, { ended: true })}, ${buildNotifyFreedSql('freed')} from run`;

/**
 * Leaves a run to the operator, whose transaction may have executed. It keeps its wallet and its reservations, and frees
 * its coin, since it can no longer execute. Returns `false` if another worker drives the run, the run has ended, or it was
 * signed with another digest.
 */
export async function leaveUnsettled(
  db: Pool,
  { run, worker }: RunLease,
  digest: string,
  lines: NewLines,
): Promise<boolean> {
  const values = [run, worker, ...buildLineParams(lines), ...buildFreeParams({ coin: null }), digest];
  return (await db.query({ name: 'agent-unsettled', text: unsettledSql, values })).rowCount === 1;
}

class ReservationRefusedError extends Error {
  readonly reason: LimitExcess | 'lost';

  constructor(reason: LimitExcess | 'lost') {
    super('nothing was set aside');
    this.reason = reason;
  }
}

/**
 * If the lines are already stored, an earlier try reserved the claims and only its answer was lost. Nothing is reserved
 * then.
 */
const reserveMoreSql = `
with run as (
  select id, network, started_at from agent_runs
  where id = $1 and worker = $2 and state in ('running', 'signed') for update
), added as (${buildLinesSql('run', 3)} on conflict (run, position) do nothing returning position
), fresh as (select count(*) = cardinality($4::text[]) as is_so from added), ${buildReservingSql(9, '(select is_so from fresh)')}
select ${buildNotifySql(3)}, ${unsyncedSql}, case when (select is_so from fresh) then ${allCountedSql} end from run`;

/**
 * Reserves further claims that were not known when the run was opened, and adds lines to it. If a limit would be
 * exceeded, it does neither and returns that limit. A retry after a lost answer does not reserve twice. `lost`: another
 * worker drives the run, or the run has ended.
 */
export async function reserveMore(
  db: Pool,
  { run, worker }: RunLease,
  claims: readonly Claim[],
  lines: NewLines,
): Promise<LimitExcess | 'lost' | undefined> {
  const values = [run, worker, ...buildLineParams(lines), ...buildClaimParams(claims)];
  const text = reserveMoreSql;
  const atOnce = await completeOrRefuse(db.query({ name: 'agent-reserve-more', text, values }));
  if (atOnce !== 'refused') return atOnce.rowCount === 0 ? 'lost' : undefined;
  try {
    await inTransaction(db, async (client) => {
      // This comes first because it locks the run: the reservation cannot outlive the run, and a concurrent try is
      // waited for.
      const added = await addLines(client, { run, worker }, lines);
      if (added === 'lost') throw new ReservationRefusedError('lost');
      if (added === 'again') return;
      const limit = await reserve(client, run, claims);
      if (limit) throw new ReservationRefusedError(limit);
    });
    return undefined;
  } catch (error) {
    if (error instanceof ReservationRefusedError) return error.reason;
    throw error;
  }
}

/** Verdict of an operator on a run whose outcome no node can report. */
export interface OperatorVerdict {
  outcome: 'executed' | 'not_executed';
  note: string;
  /** Amounts that the run spent of a coin, in base units, for coins where it is less than the reserved amount. */
  spent: readonly { coinType: string; amount: bigint }[];
  at: Date;
  /** The line that ends its stream. */
  line(run: { step: string; digest: string }): RunStep;
  /** The run's code after the settlement; null if it executed. */
  code: string | null;
}

export type Settlement =
  | { kind: 'settled' }
  | { kind: 'absent' }
  /** The run is in another state, which an operator cannot settle. */
  | { kind: 'otherState'; state: string }
  /** The amount in `spent[position]` is more than was reserved of its coin, which may be nothing. */
  | { kind: 'beyondReserved'; position: number; reserved: string };

interface UnknownRun {
  state: string;
  digest: string;
  step: string;
  nextPosition: number;
}

const lockSql = `
select state, digest,
  ${buildNextPositionSql('r.id')} as "nextPosition",
  (select s.step from agent_run_steps s where s.run = r.id order by s.position desc limit 1) as step
from agent_runs r where id = $1 for update`;

/** Several subjects reserve the same amount of a coin, though not every subject does. */
const reservedSql = `
select measure, min(amount)::text as amount from agent_reservations where run = $1 group by measure`;

const settleSql = `
with run as (
  update agent_runs set state = $2, code = $3, settled_note = $4, ended_at = $5 where id = $1 returning id, network
), ${buildSettlingSql('run', "case when $2 = 'done' then coalesce(spent.amount, held.amount) else 0 end")},
added as (${buildLinesSql('run', 8)})
select ${buildNotifySql(8)} from run`;

/** Ends an `unknown` run by an operator's verdict, and settles its reservations. */
export function settleUnknown(db: Pool, run: number, verdict: OperatorVerdict): Promise<Settlement> {
  return inTransaction(db, (client) => settle(client, run, verdict));
}

async function settle(client: ClientBase, run: number, verdict: OperatorVerdict): Promise<Settlement> {
  const found = (await client.query<UnknownRun>(lockSql, [run])).rows[0];
  if (!found) return { kind: 'absent' };
  const { state, digest, step, nextPosition } = found;
  if (state !== 'unknown') return { kind: 'otherState', state };
  const { outcome, note, spent, at, code } = verdict;
  const { rows } = await client.query<{ measure: string; amount: string }>(reservedSql, [run]);
  const reserved = new Map(rows.map(({ measure, amount }) => [measure, amount]));
  for (const [position, { coinType, amount }] of spent.entries()) {
    const most = reserved.get(coinType) ?? '0';
    if (amount > BigInt(most)) return { kind: 'beyondReserved', position, reserved: most };
  }
  await client.query(settleSql, [
    run,
    outcome === 'executed' ? 'done' : 'failed',
    code,
    note,
    at,
    spent.map(({ coinType }) => coinType),
    spent.map(({ amount }) => amount.toString()),
    ...buildLineParams({ position: nextPosition, lines: [verdict.line({ step, digest })], at }),
  ]);
  return { kind: 'settled' };
}
