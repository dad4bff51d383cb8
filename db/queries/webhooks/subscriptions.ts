import type { ClientBase } from 'pg';
import type { Queryable } from '../queryable.ts';
import { wakeDispatchers } from './deliveries.ts';

/** Makes subscriptions known to the database; a new one in the transaction that adds it to the store. */
export async function addSubscriptions(db: Queryable, subscriptions: readonly string[]): Promise<void> {
  const statement =
    'insert into webhook_subscriptions (subscription) select unnest($1::text[]) on conflict do nothing';
  await db.query(statement, [subscriptions]);
}

/** The subscriptions that were added and not removed, and that are not among `present`. */
export async function missingSubscriptions(db: Queryable, present: Iterable<string>): Promise<string[]> {
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-missing',
    text: `select s.subscription from webhook_subscriptions s
      where s.removed_at is null and not exists (select from unnest($1::text[]) as p (id) where p.id = s.subscription)
      order by s.subscription`,
    values: [[...present]],
  });
  return rows.map(({ subscription }) => subscription);
}

/** Accepts that the subscriptions missing from the store are lost. @returns how many */
export async function forgetMissingSubscriptions(db: Queryable, present: Iterable<string>): Promise<number> {
  const { rowCount } = await db.query(
    'update webhook_subscriptions set removed_at = now() where subscription = any($1)',
    [await missingSubscriptions(db, present)],
  );
  return rowCount ?? 0;
}

/** Until the end of the transaction, for one process that adds a subscription of this owner: their number is limited. */
export async function lockOwner(client: ClientBase, owner: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhook owner ${owner}`]);
}

/** When each subscription began to fail without a success since; those that do not are absent. */
export async function readFailing(
  db: Queryable,
  subscriptions: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ subscription: string; failing_since: Date }>({
    name: 'webhook-failing',
    text: `select subscription, failing_since from webhook_subscriptions
      where subscription = any($1) and failing_since is not null`,
    values: [subscriptions],
  });
  return new Map(rows.map((row) => [row.subscription, row.failing_since.getTime()]));
}

/** Resumes deliveries to a receiver that was disabled after failures or is overloaded. */
export async function forgetFailures(db: Queryable, subscription: string): Promise<void> {
  await db.query(
    'update webhook_subscriptions set failing_since = null, held_until = null where subscription = $1',
    [subscription],
  );
  await db.query(wakeDispatchers);
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
