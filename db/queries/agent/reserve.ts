import type { ClientBase } from 'pg';

/** What a run takes of a measure on account of a subject, as in `agent_limits`; `dailyMax` null: no limit. */
export interface Claim {
  /** `wallet:<id>`, `owner:<address>`, `key:<id>` or `unplanned`. */
  subject: string;
  /** A coin type (base units), `gas` (MIST) or `runs`. */
  measure: string;
  amount: bigint;
  dailyMax: bigint | null;
}

/** A day's limit that has no room for a claim. Amounts are decimal digits. */
export interface OverLimit {
  subject: string;
  measure: string;
  dailyMax: string;
  /** What runs of the day have taken or set aside. */
  taken: string;
}

const reserveSql = `
with run as (
  select network, (started_at at time zone 'utc')::date as day from agent_runs where id = $1
), wanted as (
  select * from unnest($2::text[], $3::text[], $4::numeric[], $5::numeric[])
    as wanted (subject, measure, amount, daily_max)
), counted as (
  insert into agent_limits as l (network, subject, measure, day, reserved, spent, daily_max)
  select network, subject, measure, day, amount, 0, daily_max from wanted, run
  where daily_max is null or amount <= daily_max
  order by subject, measure
  on conflict (network, subject, measure, day) do update
    set reserved = l.reserved + excluded.reserved, daily_max = excluded.daily_max
    where excluded.daily_max is null or l.reserved + l.spent + excluded.reserved <= excluded.daily_max
  returning subject, measure
)
insert into agent_reservations as r (run, subject, measure, day, amount)
select $1, subject, measure, day, amount from wanted join counted using (subject, measure), run
on conflict (run, subject, measure) do update set amount = r.amount + excluded.amount
returning subject, measure`;

/**
 * Sets aside what a run takes of the limits of the day on which it began, in one conditional statement. Answers the
 * first limit without room; the caller's transaction must then not be committed, since other claims are set aside.
 * Each (subject, measure) stands once among the claims.
 */
export async function reserve(
  client: ClientBase,
  run: number,
  claims: readonly Claim[],
): Promise<OverLimit | undefined> {
  if (claims.length === 0) return undefined;
  const { rows } = await client.query<{ subject: string; measure: string }>(reserveSql, [
    run,
    claims.map(({ subject }) => subject),
    claims.map(({ measure }) => measure),
    claims.map(({ amount }) => amount.toString()),
    claims.map(({ dailyMax }) => dailyMax?.toString() ?? null),
  ]);
  const reserved = new Set(rows.map(({ subject, measure }) => `${subject} ${measure}`));
  const over = claims.find(({ subject, measure }) => !reserved.has(`${subject} ${measure}`));
  if (!over) return undefined;
  const { subject, measure, dailyMax } = over;
  return { subject, measure, dailyMax: String(dailyMax), taken: await takenToday(client, run, over) };
}

async function takenToday(
  client: ClientBase,
  run: number,
  { subject, measure }: Pick<Claim, 'subject' | 'measure'>,
): Promise<string> {
  const { rows } = await client.query<{ taken: string }>(
    `select (l.reserved + l.spent)::text as taken
      from agent_runs r join agent_limits l on l.network = r.network and l.subject = $2 and l.measure = $3
        and l.day = (r.started_at at time zone 'utc')::date
      where r.id = $1`,
    [run, subject, measure],
  );
  return rows[0]?.taken ?? '0';
}
