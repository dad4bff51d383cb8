import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { ChainEvent, EventData, Source } from '../sources/source.ts';

/** The events of a transaction that belong to the source, in order. */
export function eventsOf<Data extends EventData>(
  transaction: GrpcTypes.ExecutedTransaction,
  source: Pick<Source<Data>, 'decode'>,
  eventTypes: readonly string[],
): ChainEvent<Data>[] {
  const { digest, checkpoint, transactionIndex, timestamp, events } = transaction;
  const sender = transaction.transaction?.sender;
  if (!digest || checkpoint === undefined || transactionIndex === undefined || !timestamp || !sender) {
    throw new Error('the node left out a part of a transaction that was asked for');
  }
  const found: ChainEvent<Data>[] = [];
  const timestampMs = Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6);
  events?.events.forEach((event, eventIndex) => {
    const type = event.eventType ?? '';
    if (!eventTypes.some((prefix) => type.startsWith(prefix) && type.startsWith('::', prefix.length))) return;
    const contents = event.contents?.value ?? new Uint8Array();
    const path = pathOf(type);
    found.push({
      checkpoint: Number(checkpoint),
      txIndex: Number(transactionIndex),
      eventIndex,
      txDigest: digest,
      sender,
      timestampMs,
      type,
      name: path.slice(path.lastIndexOf('::') + 2),
      contents,
      ...decoded(source, path, contents),
    });
  });
  return found;
}

function decoded<Data extends EventData>(
  source: Pick<Source<Data>, 'decode'>,
  path: string,
  contents: Uint8Array,
) {
  try {
    return { data: source.decode(path, contents), decodeError: null };
  } catch (error) {
    return { data: null, decodeError: messageOf(error) };
  }
}

/** `0x..::registry::Registered` is `registry::Registered`; type parameters stay out. */
function pathOf(type: string): string {
  const generic = type.indexOf('<');
  return type.slice(type.indexOf('::') + 2, generic < 0 ? undefined : generic);
}
