import type { Database } from '../../db/client.ts';

/** Stores registry events as the indexer does: with the source's row, in one transaction, and with a notification. */
export function registryEvents(db: Database) {
  let stored = 0;

  /** Returns the ids of the new events, in order. `data` are fields beside service type and version. */
  async function addEvents(
    count: number,
    name = 'Registered',
    { network = 'testnet', data = {} } = {},
  ): Promise<string[]> {
    const first = stored;
    stored += count;
    const { rows } = await db.pool.query<{ ids: string[] }>(
      `with added as (
        insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name,
          data, contents)
        select $1, 10 + n / 4, n % 4 / 2, n % 2, 'registry', 'digest' || n / 2, '0x1',
          to_timestamp(1750000000 + n / 4), '0x1::registry::' || $2, $2,
          jsonb_build_object('serviceType', '0x1::a::B' || n, 'version', n) || $5::jsonb, '\\x'
        from generate_series($3::int, $3::int + $4::int - 1) as n
        returning checkpoint, tx_index, event_index, tx_digest || ':' || event_index as id
      ), moved as (
        insert into sources (network, name, chain_id, filter, last_checkpoint, last_tx_index, last_event_index)
        select $1, 'registry', 'chain', 'filter', checkpoint, tx_index, event_index from added
        order by checkpoint desc, tx_index desc, event_index desc limit 1
        on conflict (network, name) do update set last_checkpoint = excluded.last_checkpoint,
          last_tx_index = excluded.last_tx_index, last_event_index = excluded.last_event_index
        returning pg_notify('indexed', $1)
      )
      select array_agg(id order by checkpoint, tx_index, event_index) as ids from added, moved`,
      [network, name, first, count, JSON.stringify(data)],
    );
    return rows[0]!.ids;
  }

  /** Stores the source as an indexer does that has started and has found no event yet. */
  async function follow(network = 'testnet'): Promise<void> {
    await db.pool.query(
      `insert into sources (network, name, chain_id, filter) values ($1, 'registry', 'chain', 'filter')
        on conflict do nothing`,
      [network],
    );
  }

  return { addEvents, follow };
}

/** Streams and positions of a subscription's settled events, in the order in which they were stored. */
export async function readAttempts(db: Database, subscription: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ position: string }>(
    `select stream || ' ' || concat_ws(',', checkpoint, tx_index, event_index) as position from webhook_log
      where subscription = $1 order by ended_at`,
    [subscription],
  );
  return rows.map(({ position }) => position);
}
