import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import {
  changeFilter,
  hasEventNames,
  readPositionBefore,
  readPositions,
  readRegistryTimes,
  type SubscriptionPosition,
  startPositions,
} from '../../db/queries/webhooks/positions.ts';
import { listStreams, type Stream } from '../../db/queries/webhooks/streams.ts';
import { holdSubscription } from '../../db/queries/webhooks/subscriptions.ts';
import { transact } from '../../db/transaction.ts';
import { type Subscription, type Subscriptions, toFilter } from '../../lib/webhooks/subscriptions.ts';

interface AlignOptions {
  pool: Pool;
  sessions: Pool;
  store: Subscriptions;
  networks: readonly Network[];
}

interface AlignedPositions {
  positions: ReadonlyMap<string, SubscriptionPosition[]>;
  /** Subscriptions that start in a stream when its source has read up to the time at which they were created. */
  waiting: ReadonlySet<string>;
}

/** Reads the positions of subscriptions by id, after updating those that do not match the store. */
export async function alignPositions(
  options: AlignOptions,
  subscriptions: readonly Subscription[],
): Promise<AlignedPositions> {
  const ids = subscriptions.map(({ id }) => id);
  const read = async () =>
    Map.groupBy(await readPositions(options.pool, ids), ({ subscription }) => subscription);
  const positions = await read();
  const streams = options.networks.flatMap(listStreams);
  const missing = new Map(
    subscriptions.map(({ id }) => [id, streams.filter((stream) => !hasPosition(positions.get(id), stream))]),
  );
  const isComplete = [...missing.values()].every((streams) => streams.length === 0);
  const readUpTo = isComplete ? new Map<string, number>() : await readRegistryTimes(options.pool);
  const waiting = new Set<string>();
  const differing = subscriptions.filter((subscription) => {
    const { id } = subscription;
    const starting = missing.get(id)!.filter((stream) => mayStart(stream, subscription, readUpTo));
    if (starting.length < missing.get(id)!.length) waiting.add(id);
    return starting.length > 0 || !hasEventNames(positions.get(id) ?? [], toFilter(subscription).events);
  });
  if (differing.length === 0) return { positions, waiting };
  for (const { id } of differing) await align(options, id, readUpTo);
  return { positions: await read(), waiting };
}

const hasPosition = (positions: readonly SubscriptionPosition[] = [], { key }: Stream) =>
  positions.some(({ stream }) => stream === key);

/** Difference of the clocks of the host that creates a subscription and of the chain: within it, an event may come after. */
const clockDifferenceMsMax = 60_000;

const computeStartMs = ({ log }: Stream, { createdMs }: Subscription) =>
  log === 'registry' ? createdMs - clockDifferenceMsMax : createdMs;

const findRequested = ({ log, network }: Stream, { after }: Subscription) =>
  log === 'registry' ? after?.[network] : undefined;

/** Returns `true` if the stream has all events that the subscription does not get. */
const mayStart = (stream: Stream, subscription: Subscription, readUpTo: ReadonlyMap<string, number>) =>
  stream.log === 'service' ||
  findRequested(stream, subscription) !== undefined ||
  (readUpTo.get(stream.network) ?? Number.NEGATIVE_INFINITY) >= computeStartMs(stream, subscription);

/** Updates the rows of a subscription to match the store, for example after a change that was interrupted. */
async function align(
  { sessions, store, networks }: AlignOptions,
  id: string,
  readUpTo: ReadonlyMap<string, number>,
): Promise<void> {
  await holdSubscription(sessions, id, async (client) => {
    const record = await store.find(id);
    if (!record) return;
    const filter = toFilter(record);
    const positions = await readPositions(client, [id]);
    for (const stream of networks.flatMap(listStreams)) {
      if (hasPosition(positions, stream) || !mayStart(stream, record, readUpTo)) continue;
      const start =
        findRequested(stream, record) ??
        (await readPositionBefore(client, stream, computeStartMs(stream, record)));
      await startPositions(client, filter, [[stream.key, start]]);
    }
    await transact(client, () => changeFilter(client, filter));
  });
}
