import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import {
  changeFilter,
  hasEventNames,
  readPositionBefore,
  readPositions,
  type SubscriptionPosition,
  startPositions,
} from '../../db/queries/webhooks/positions.ts';
import { listStreams } from '../../db/queries/webhooks/streams.ts';
import { holdSubscription } from '../../db/queries/webhooks/subscriptions.ts';
import { transact } from '../../db/transaction.ts';
import { type Subscription, type Subscriptions, toFilter } from '../../lib/webhooks/subscriptions.ts';

interface AlignOptions {
  pool: Pool;
  sessions: Pool;
  store: Subscriptions;
  networks: readonly Network[];
}

/** Reads the positions of subscriptions by id, after updating those that do not match the store. */
export async function alignPositions(
  options: AlignOptions,
  subscriptions: readonly Subscription[],
): Promise<Map<string, SubscriptionPosition[]>> {
  const ids = subscriptions.map(({ id }) => id);
  const read = async () =>
    Map.groupBy(await readPositions(options.pool, ids), ({ subscription }) => subscription);
  const rows = await read();
  const streams = options.networks.flatMap(listStreams);
  const differing = subscriptions.filter((subscription) => {
    const positions = rows.get(subscription.id) ?? [];
    const isComplete = streams.every(({ key }) => positions.some((row) => row.stream === key));
    return !isComplete || !hasEventNames(positions, toFilter(subscription).events);
  });
  if (differing.length === 0) return rows;
  for (const { id } of differing) await align(options, id);
  return await read();
}

/** Updates the rows of a subscription to match the store, for example after a change that was interrupted. */
async function align({ sessions, store, networks }: AlignOptions, id: string): Promise<void> {
  await holdSubscription(sessions, id, async (client) => {
    const record = await store.find(id);
    if (!record) return;
    const filter = toFilter(record);
    const positions = await readPositions(client, [id]);
    for (const stream of networks.flatMap(listStreams)) {
      if (positions.some((row) => row.stream === stream.key)) continue;
      const requested = stream.log === 'registry' ? record.after?.[stream.network] : undefined;
      const start = requested ?? (await readPositionBefore(client, stream, record.createdMs));
      await startPositions(client, filter, [[stream.key, start]]);
    }
    await transact(client, () => changeFilter(client, filter));
  });
}
