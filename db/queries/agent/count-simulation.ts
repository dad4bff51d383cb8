import type { Pool } from 'pg';

interface CountedSimulation {
  network: string;
  /** Subject of the limit, as in `agent_limits`. */
  subject: string;
  /** The most simulations of the subject on a UTC day; at least 1. */
  dailyMax: bigint;
  at: Date;
}

const countSql = `
insert into agent_limits as l (network, subject, measure, day, reserved, spent, daily_max)
values ($1, $2, 'simulations', ($3::timestamptz at time zone 'utc')::date, 0, 1, $4)
on conflict (network, subject, measure, day) do update set spent = l.spent + 1, daily_max = excluded.daily_max
  where l.spent < excluded.daily_max
returning 1`;

/** Counts a simulation on its UTC day. Returns `false`, and counts nothing, if the subject has reached its maximum. */
export async function countSimulation(
  db: Pool,
  { network, subject, dailyMax, at }: CountedSimulation,
): Promise<boolean> {
  const values = [network, subject, at, dailyMax.toString()];
  const { rowCount } = await db.query({ name: 'agent-count-simulation', text: countSql, values });
  return rowCount === 1;
}
