import type { ClientBase, Pool } from 'pg';

/** Makes a subscription known to the database, in the transaction that adds it to the store. */
export async function addSubscription(db: ClientBase | Pool, subscription: string): Promise<void> {
  await db.query('insert into webhook_subscriptions (subscription) values ($1) on conflict do nothing', [
    subscription,
  ]);
}

/** The subscriptions that were added and not removed, and that are not among `present`. */
export async function missingSubscriptions(
  db: ClientBase | Pool,
  present: Iterable<string>,
): Promise<string[]> {
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-missing',
    text: `select l.subscription from webhook_subscriptions l
      where l.removed_at is null and not exists (select from unnest($1::text[]) as p (id) where p.id = l.subscription)
      order by l.subscription`,
    values: [[...present]],
  });
  return rows.map(({ subscription }) => subscription);
}

/** Accepts that the subscriptions missing from the store are lost. @returns how many */
export async function forgetMissingSubscriptions(
  db: ClientBase | Pool,
  present: Iterable<string>,
): Promise<number> {
  const { rowCount } = await db.query(
    'update webhook_subscriptions set removed_at = now() where subscription = any($1)',
    [await missingSubscriptions(db, present)],
  );
  return rowCount ?? 0;
}

/**
 * Until the end of the transaction: `exclusive` for the process that writes the network's deliveries, `shared` for one
 * that adds a subscription. A subscription is thus added before the deliveries are written, or after.
 */
export async function lockFanOut(
  client: ClientBase,
  network: string,
  mode: 'exclusive' | 'shared',
): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await client.query(`select ${lock}(hashtextextended($1, 0))`, [`webhooks ${network}`]);
}

/** Until the end of the transaction, for one process that adds a subscription of this owner: their number is limited. */
export async function lockOwner(client: ClientBase, owner: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhook owner ${owner}`]);
}

/** Position of the last registry event that is stored, by network; a network without events is absent. */
export async function lastEventPositions(
  client: ClientBase,
): Promise<Map<string, [checkpoint: number, txIndex: number, eventIndex: number]>> {
  const { rows } = await client.query<{ network: string; position: [number, number, number] }>(
    `select network, json_build_array(last_checkpoint, last_tx_index, last_event_index) as position
      from sources where name = 'registry' and last_checkpoint is not null`,
  );
  return new Map(rows.map(({ network, position }) => [network, position]));
}
