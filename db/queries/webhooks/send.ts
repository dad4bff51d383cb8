import type { Queryable } from '../queryable.ts';

/** Wakes the dispatchers, which look by themselves each second in any case. */
const tell = `select pg_notify('webhooks', '')`;

/** Has a test event sent, and answers the delivery's id. */
export async function addTestDelivery(
  db: Queryable,
  subscription: string,
  network: string,
  data: Record<string, unknown>,
): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `insert into webhook_deliveries (subscription, network, event, data, due_at)
      values ($1, $2, 'Test', $3, now()) returning id`,
    [subscription, network, data],
  );
  await db.query(tell);
  return rows[0]!.id;
}

/** As if it had not been tried yet; false where the subscription has no such delivery. */
export async function resendDelivery(db: Queryable, subscription: string, id: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update webhook_deliveries set state = 'pending', failures = 0, due_at = now()
      where subscription = $1 and id = $2`,
    [subscription, id],
  );
  await db.query(tell);
  return rowCount === 1;
}

interface ResendSince {
  subscription: string;
  events: readonly string[];
  network: string;
  since: Date;
  /** Most events in one go. */
  limit: number;
}

interface Resent {
  count: number;
  /** Time of the last event that was taken, where more may follow it. */
  lastMs: number | null;
}

/**
 * Has every event since then that the subscription asks for sent, whether it was delivered, failed or never queued.
 * Events whose deliveries are still to be written are left to that.
 */
export async function resendSince(
  db: Queryable,
  { subscription, events, network, since, limit }: ResendSince,
): Promise<Resent> {
  const { rows } = await db.query<{ count: number; last: Date | null }>(
    `with taken as (
      select e.checkpoint, e.tx_index, e.event_index, e.name, e.timestamp
      from webhook_cursors c join events e
        on e.network = c.network and e.source = 'registry' and e.name = any($2)
        and (e.checkpoint, e.tx_index, e.event_index) <= (c.checkpoint, c.tx_index, c.event_index)
        -- The newest first until one is too old: times grow with positions, and only positions have an index.
        and e.checkpoint >= coalesce((
          select b.checkpoint from events b
          where b.network = $3 and b.source = 'registry' and b.timestamp < $4
          order by b.checkpoint desc, b.tx_index desc, b.event_index desc limit 1), 0)
      where c.network = $3 and e.timestamp >= $4
      order by e.checkpoint, e.tx_index, e.event_index
      limit $5
    ), sent as (
      insert into webhook_deliveries as d
        (subscription, network, checkpoint, tx_index, event_index, event, due_at)
      select $1, $3, checkpoint, tx_index, event_index, name, now() from taken
      order by checkpoint, tx_index, event_index
      on conflict (subscription, network, checkpoint, tx_index, event_index)
        do update set state = 'pending', failures = 0, due_at = now()
    )
    select count(*)::int as count, max(timestamp) as last from taken`,
    [subscription, events, network, since, limit],
  );
  await db.query(tell);
  const { count, last } = rows[0]!;
  return { count, lastMs: count === limit && last ? last.getTime() : null };
}

/** Resumes deliveries to a receiver that was disabled after failures or is overloaded. */
export async function forgetFailures(db: Queryable, subscription: string): Promise<void> {
  await db.query(
    'update webhook_subscriptions set failing_since = null, held_until = null where subscription = $1',
    [subscription],
  );
  await db.query(tell);
}

/**
 * Remembers that a subscription was deleted, before the store forgets it: one that is missing from the store without
 * this was lost. Its worker then ends.
 */
export async function markRemoved(db: Queryable, subscription: string): Promise<void> {
  await db.query(
    `insert into webhook_subscriptions (subscription, removed_at) values ($1, now())
      on conflict (subscription) do update set removed_at = now(), lease = null, leased_until = null`,
    [subscription],
  );
}

/** Removes the deliveries of a subscription, and their attempts. */
export async function removeDeliveries(db: Queryable, subscription: string): Promise<void> {
  for (const table of ['webhook_deliveries', 'webhook_attempts']) {
    await db.query(`delete from ${table} where subscription = $1`, [subscription]);
  }
}
