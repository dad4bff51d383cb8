import type { Pool } from 'pg';

/** An owner's plan. Times are milliseconds since the epoch. */
export interface Plan {
  owner: string;
  plan: string;
  grantedMs: number;
  /** Null: until it is ended. */
  endsMs: number | null;
}

interface PlanRow {
  owner: string;
  plan: string;
  granted_at: Date;
  ends_at: Date | null;
}

const toPlan = ({ granted_at, ends_at, ...row }: PlanRow): Plan => ({
  ...row,
  grantedMs: granted_at.getTime(),
  endsMs: ends_at?.getTime() ?? null,
});

/** Grants a plan in place of the one that the owner had. */
export async function grantPlan(
  db: Pool,
  { owner, plan, grantedAt, endsAt }: { owner: string; plan: string; grantedAt: Date; endsAt: Date | null },
): Promise<void> {
  await db.query(
    `insert into agent_plans (owner, plan, granted_at, ends_at) values ($1, $2, $3, $4)
      on conflict (owner) do update
      set plan = excluded.plan, granted_at = excluded.granted_at, ends_at = excluded.ends_at`,
    [owner, plan, grantedAt, endsAt],
  );
}

/** False where the owner has no plan that is active at `now`. */
export async function endPlan(db: Pool, owner: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update agent_plans set ends_at = $2 where owner = $1 and (ends_at is null or ends_at > $2)',
    [owner, now],
  );
  return rowCount === 1;
}

export async function hasPlan(db: Pool, owner: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'agent-plan',
    text: 'select from agent_plans where owner = $1 and (ends_at is null or ends_at > $2)',
    values: [owner, now],
  });
  return rowCount === 1;
}

/** Plans that are active at `now`, in the order of their owners. */
export async function listPlans(db: Pool, now: Date, limit: number): Promise<Plan[]> {
  const { rows } = await db.query<PlanRow>(
    `select owner, plan, granted_at, ends_at from agent_plans where ends_at is null or ends_at > $1
      order by owner collate "C" limit $2`,
    [now, limit],
  );
  return rows.map(toPlan);
}
