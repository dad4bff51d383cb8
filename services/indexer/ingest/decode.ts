import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { SourceState } from '../../../db/queries/sources.ts';
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
    throw new Error('the node left out a part of a transaction that was requested');
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

/** `registry::Registered` of `0x..::registry::Registered`, without type parameters. */
function pathOf(type: string): string {
  const generic = type.indexOf('<');
  return type.slice(type.indexOf('::') + 2, generic < 0 ? undefined : generic);
}

/**
 * The position of the last event taken. Events come in chain order, so an event that is not after it is stored already:
 * a node that sends a checkpoint again sends its first events again.
 */
export class Position {
  #checkpoint: number;
  #txIndex: number;
  #eventIndex: number;

  constructor(stored: Pick<SourceState, 'lastCheckpoint' | 'lastTxIndex' | 'lastEventIndex'>) {
    this.#checkpoint = stored.lastCheckpoint ?? -1;
    this.#txIndex = stored.lastTxIndex ?? -1;
    this.#eventIndex = stored.lastEventIndex ?? -1;
  }

  /** The events after the position, which moves to the last of them. */
  advance<Data extends EventData>(events: ChainEvent<Data>[]): ChainEvent<Data>[] {
    const fresh = events.filter((event) => this.#isBefore(event));
    const last = fresh.at(-1);
    if (last) {
      this.#checkpoint = last.checkpoint;
      this.#txIndex = last.txIndex;
      this.#eventIndex = last.eventIndex;
    }
    return fresh;
  }

  #isBefore({ checkpoint, txIndex, eventIndex }: ChainEvent<EventData>): boolean {
    if (checkpoint !== this.#checkpoint) return checkpoint > this.#checkpoint;
    if (txIndex !== this.#txIndex) return txIndex > this.#txIndex;
    return eventIndex > this.#eventIndex;
  }
}
