import { type Queryable, toMsSql } from '../queryable.ts';

interface DispatchState {
  /** Checkpoint of the last registry event of each network. A subscription that has received all events is there. */
  heads: Record<string, number | null>;
  /**
   * Numbers of subscriptions: known to the database, leased by a dispatcher now, held, failing, and missing from the
   * store.
   */
  subscriptions: { known: number; leased: number; held: number; failing: number; missing: number };
  /** Time at which a dispatcher last leased a subscription; null if none ever did. */
  lastTakenMs: number | null;
  /** Deliveries that wait for another attempt, after a failure or on request. */
  retries: { waiting: number; overdue: number; oldestDueMs: number | null };
}

/** Time after which a due delivery counts as overdue. A busy dispatcher may take that long. */
const overdueAfter = `interval '1 minute'`;

export async function readDispatchState(db: Queryable): Promise<DispatchState> {
  const { rows } = await db.query<DispatchState>({
    name: 'webhook-dispatch-state',
    text: `
select
  (select coalesce(json_object_agg(network, last_checkpoint), '{}') from sources where name = 'registry') as heads,
  json_build_object('known', count(s.subscription), 'leased', count(*) filter (where leased_until > now()),
    'held', count(*) filter (where held_until > now()), 'failing', count(*) filter (where failing_since is not null),
    'missing', count(*) filter (where lost_at is not null)) as subscriptions,
  ${toMsSql('max(taken_at)')} as "lastTakenMs",
  json_build_object('waiting', max(r.waiting), 'overdue', max(r.overdue),
    'oldestDueMs', ${toMsSql('max(r.oldest)')}) as retries
from (
  select count(*) as waiting, count(*) filter (where due_at < now() - ${overdueAfter}) as overdue, min(due_at) as oldest
  from webhook_retries
) r left join webhook_subscriptions s on s.removed_at is null`,
  });
  return rows[0]!;
}
