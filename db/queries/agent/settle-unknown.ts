import type { ClientBase, Pool } from 'pg';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import { inTransaction } from '../../transaction.ts';
import { linesOf, linesSql, tellSql } from './runs.ts';

/** How an operator settles a run that no node can speak of. */
export interface OperatorVerdict {
  outcome: 'executed' | 'not_executed';
  note: string;
  /** What it took of a coin, in base units, where that is less than was set aside. */
  spent: readonly { coinType: string; amount: bigint }[];
  at: Date;
  /** The line that ends its stream. */
  line(run: { step: string; digest: string }): RunStep;
  /** The run's code from then on; null where it executed. */
  code: string | null;
}

export type Settlement =
  | { kind: 'settled' }
  | { kind: 'absent' }
  /** It is in another state, in which no operator settles it. */
  | { kind: 'otherState'; state: string }
  /** `spent[place]` is of a coin of which nothing, or less, was set aside. */
  | { kind: 'beyondReserved'; place: number; reserved: string };

interface UnknownRun {
  state: string;
  digest: string;
  step: string;
  places: number;
}

const lockSql = `
select state, digest,
  (select count(*)::int from agent_run_steps s where s.run = r.id) as places,
  (select s.step from agent_run_steps s where s.run = r.id order by s.place desc limit 1) as step
from agent_runs r where id = $1 for update`;

/** The same coin is set aside for several subjects alike, though not by each of them. */
const reservedSql = `
select measure, min(amount)::text as amount from agent_reservations where run = $1 group by measure`;

const settleSql = `
with run as (
  update agent_runs set state = $2, code = $3, settled_note = $4, ended_at = $5 where id = $1 returning id, network
), counted as (
  update agent_limits l
  set reserved = l.reserved - r.amount,
    spent = l.spent + case when $2 = 'done' then coalesce(spent.amount, r.amount) else 0 end
  from run join agent_reservations r on r.run = run.id
    left join unnest($6::text[], $7::numeric[]) as spent (measure, amount) using (measure)
  where l.network = run.network and l.subject = r.subject and l.measure = r.measure and l.day = r.day
), added as (${linesSql('run', 8)})
${tellSql('run')}`;

/** Ends an `unknown` run as an operator says, and what it had set aside with it. */
export function settleUnknown(db: Pool, run: number, verdict: OperatorVerdict): Promise<Settlement> {
  return inTransaction(db, (client) => settle(client, run, verdict));
}

async function settle(client: ClientBase, run: number, verdict: OperatorVerdict): Promise<Settlement> {
  const found = (await client.query<UnknownRun>(lockSql, [run])).rows[0];
  if (!found) return { kind: 'absent' };
  const { state, digest, step, places } = found;
  if (state !== 'unknown') return { kind: 'otherState', state };
  const { outcome, note, spent, at, code } = verdict;
  const { rows } = await client.query<{ measure: string; amount: string }>(reservedSql, [run]);
  const reserved = new Map(rows.map(({ measure, amount }) => [measure, amount]));
  for (const [place, { coinType, amount }] of spent.entries()) {
    const most = reserved.get(coinType) ?? '0';
    if (amount > BigInt(most)) return { kind: 'beyondReserved', place, reserved: most };
  }
  await client.query(settleSql, [
    ...[run, outcome === 'executed' ? 'done' : 'failed', code, note, at],
    spent.map(({ coinType }) => coinType),
    spent.map(({ amount }) => amount.toString()),
    ...linesOf({ place: places, lines: [verdict.line({ step, digest })], at }),
  ]);
  return { kind: 'settled' };
}
