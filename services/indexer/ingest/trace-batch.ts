import { getTracing, type TraceKey, type Tracing } from '../../../lib/tracing/tracing.ts';
import type { ChainEvent, EventData } from '../sources/source.ts';

interface StoredBatch {
  network: string;
  source: string;
  chainId: string;
  events: readonly ChainEvent<EventData>[];
  /** Times in milliseconds since the epoch: the first event was decoded, and the transaction began and committed. */
  receivedMs: number;
  beganMs: number;
  storedMs: number;
}

/** Records the spans of a live batch: those of each checkpoint, and the root of each event of the registry, which webhooks send. */
export function traceBatch(batch: StoredBatch): void {
  const tracing = getTracing();
  if (!tracing) return;
  for (const [checkpoint, events] of Map.groupBy(batch.events, (event) => event.checkpoint)) {
    traceCheckpoint(tracing, batch, checkpoint, events);
  }
}

function traceCheckpoint(
  tracing: Tracing,
  { network, source, chainId, receivedMs, beganMs, storedMs }: StoredBatch,
  checkpoint: number,
  events: StoredBatch['events'],
): void {
  const key: TraceKey = ['checkpoint', chainId, source, checkpoint];
  // The clock of the chain may be ahead.
  const startMs = Math.min(events[0]!.timestampMs, receivedMs);
  const attributes = {
    'marketplace.network': network,
    'marketplace.source': source,
    'marketplace.checkpoint': checkpoint,
    'messaging.batch.message_count': events.length,
  };
  const root = tracing.start('index checkpoint', {
    kind: 'consumer',
    key,
    isRoot: true,
    startMs,
    attributes,
  });
  const parent = root.spanContext();
  tracing.start('receive events', { parent, startMs }).end(receivedMs);
  const database = { 'db.system.name': 'postgresql', 'db.operation.name': 'COMMIT' };
  tracing
    .start('store events', { kind: 'client', parent, startMs: beganMs, attributes: database })
    .end(storedMs);
  root.end(storedMs);
  if (source !== 'registry') return;
  for (const { name, txDigest, eventIndex } of events) {
    const id = `${txDigest}:${eventIndex}`;
    const message = {
      'messaging.operation.name': 'create',
      'messaging.operation.type': 'create',
      'messaging.destination.name': name,
      'messaging.message.id': id,
    };
    tracing
      .start(`create ${name}`, {
        kind: 'producer',
        key: ['event', network, id],
        isRoot: true,
        startMs,
        links: [parent],
        attributes: message,
      })
      .end(storedMs);
  }
}
