import type { ClientBase, Pool } from 'pg';

/** Makes a subscription known to the database, in the transaction that adds it to the store. */
export async function addLane(db: ClientBase | Pool, subscription: string): Promise<void> {
  await db.query('insert into webhook_lanes (subscription) values ($1) on conflict do nothing', [
    subscription,
  ]);
}

/** The subscriptions that were added and not removed, and that are not among `present`. */
export async function missingLanes(db: ClientBase | Pool, present: Iterable<string>): Promise<string[]> {
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-missing',
    text: `select l.subscription from webhook_lanes l
      where l.removed_at is null and not exists (select from unnest($1::text[]) as p (id) where p.id = l.subscription)
      order by l.subscription`,
    values: [[...present]],
  });
  return rows.map(({ subscription }) => subscription);
}

/** Accepts that the subscriptions missing from the store are lost. @returns how many */
export async function forgetMissing(db: ClientBase | Pool, present: Iterable<string>): Promise<number> {
  const { rowCount } = await db.query(
    'update webhook_lanes set removed_at = now() where subscription = any($1)',
    [await missingLanes(db, present)],
  );
  return rowCount ?? 0;
}
