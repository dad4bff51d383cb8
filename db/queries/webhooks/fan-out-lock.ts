import type { ClientBase } from 'pg';

/**
 * Until the end of the transaction: `exclusive` to whoever writes the network's deliveries, `shared` to whoever
 * adds a subscription. A subscription is thus added before the deliveries are written, or after.
 */
export async function lockFanOut(
  client: ClientBase,
  network: string,
  mode: 'exclusive' | 'shared',
): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await client.query(`select ${lock}(hashtextextended($1, 0))`, [`webhooks ${network}`]);
}

/** Until the end of the transaction, to whoever adds a subscription of this owner: their number has a bound. */
export async function lockOwner(client: ClientBase, owner: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhook owner ${owner}`]);
}

/** Place of the last registry event that is stored, by network; a network without events is absent. */
export async function lastEventPlaces(
  client: ClientBase,
): Promise<Map<string, [checkpoint: number, txIndex: number, eventIndex: number]>> {
  const { rows } = await client.query<{ network: string; place: [number, number, number] }>(
    `select network, json_build_array(last_checkpoint, last_tx_index, last_event_index) as place
      from sources where name = 'registry' and last_checkpoint is not null`,
  );
  return new Map(rows.map(({ network, place }) => [network, place]));
}
