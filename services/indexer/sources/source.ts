import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { ClientBase } from 'pg';
import type { PositionedTable, StoredEvent, TransactionPosition } from '../../../db/queries/sources.ts';
import type { EventCodec } from '../../../lib/chain/events/codec.ts';
import type { NetworkSettings, SourceName } from '../../../lib/config/networks.ts';

/** Decoded data of an event. `fields` are stored unchanged in the event's row. */
export interface EventData {
  fields: object;
}

/** An event as the chain has it, with its decoded data; `null` if its bytes do not decode. */
export interface ChainEvent<Data extends EventData> extends StoredEvent {
  data: Data | null;
}

/** A package whose events are followed. */
export interface FollowedPackage {
  /** Id of the package's first version. */
  packageId: string;
  /** The setting that names it, without the network. */
  setting: string;
  /** Modules that emit known events. Some of them may be missing, but not all. */
  modules: readonly string[];
}

/**
 * A part of each chain that the indexer follows: a filter, the meaning of its events, and what follows from them. Each
 * source has its own cursor, so that adding one does not move the others.
 */
export interface Source<Data extends EventData> {
  name: SourceName;
  packages(settings: NetworkSettings): FollowedPackage[];
  /**
   * @param path `module::Name`
   * @throws when the bytes do not decode, or cannot be stored; the event is then stored raw
   */
  decode(path: string, contents: Uint8Array): Data;
  /**
   * Applies events in chain order to the source's own tables, in the transaction that stores the events. Each event
   * comes once, and all events of a transaction together.
   */
  append(client: ClientBase, network: Network, events: readonly ChainEvent<Data>[]): Promise<void>;
  /**
   * Tables of `append` whose rows are settled. Their number bounds a transaction. If absent, the work of `settle` does
   * not grow with the history.
   */
  settledTables?: readonly PositionedTable[];
  /**
   * Updates what follows from everything that was appended at or after `from`, once for each transaction, in the order of
   * the chain. It waits until history has been read, since later events would replace most of it. If absent, nothing
   * follows from the events.
   * @param before checkpoint before which it ends. Default: the end of the chain
   */
  settle?(client: ClientBase, network: Network, from: TransactionPosition, before?: number): Promise<void>;
}

/** Applies events in chain order to tables, as a part of a source's `append`. */
export type Append<Data extends EventData> = Source<Data>['append'];

/** An event that decoded; `name` is its key in the codec. */
export type DecodedEvent<Events> = {
  [Name in keyof Events & string]: { name: Name; fields: Events[Name] };
}[keyof Events & string];

/**
 * Maximum number of bytes of a text in an index of the tables. Our packages emit much less. Another package may
 * emit more, and one event that cannot be stored would stop all that follow it.
 */
export const textBytesMax = 1_024;
const hashDigitsMax = 128;
const versionMax = 2 ** 31 - 1;
/** Fields that are in no index. The chain limits their length. */
const freeTexts = new Set(['note', 'brief', 'description', 'assetName']);

/** @throws with the reason, when the bytes do not decode or exceed what can be stored */
export function decodeForStorage<Events>(
  codec: EventCodec<Events>,
  name: string,
  contents: Uint8Array,
): DecodedEvent<Events> {
  if (!codec.isName(name)) throw new Error('The package is not known to emit an event of this name.');
  const fields = codec.decode(name, contents) as Record<string, unknown>;
  for (const field in fields) {
    const value = fields[field];
    const max = field === 'manifestHash' ? hashDigitsMax : textBytesMax;
    if (typeof value === 'string' && value.length > max / 4 && !freeTexts.has(field)) {
      if (Buffer.byteLength(value) > max) throw new Error(`${field} is longer than ${max} bytes.`);
    }
    if (field === 'version' && Number(value) > versionMax) throw new Error(`version is above ${versionMax}.`);
  }
  return { name, fields } as DecodedEvent<Events>;
}

/** Returns the events of a transaction that belong to the source, in order. */
export function decodeEvents<Data extends EventData>(
  transaction: GrpcTypes.ExecutedTransaction,
  source: Pick<Source<Data>, 'decode'>,
  eventTypes: readonly string[],
): ChainEvent<Data>[] {
  const { digest, checkpoint, transactionIndex, timestamp, events } = transaction;
  const sender = transaction.transaction?.sender;
  if (!digest || checkpoint === undefined || transactionIndex === undefined || !timestamp || !sender) {
    throw new Error('the node left out a part of a transaction that was requested');
  }
  const decoded: ChainEvent<Data>[] = [];
  const timestampMs = Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6);
  events?.events.forEach((event, eventIndex) => {
    const type = event.eventType ?? '';
    if (!eventTypes.some((prefix) => type.startsWith(prefix) && type.startsWith('::', prefix.length))) return;
    const contents = event.contents?.value ?? new Uint8Array();
    const path = parsePath(type);
    decoded.push({
      checkpoint: Number(checkpoint),
      txIndex: Number(transactionIndex),
      eventIndex,
      txDigest: digest,
      sender,
      timestampMs,
      type,
      name: path.slice(path.lastIndexOf('::') + 2),
      contents,
      ...tryDecode(source, path, contents),
    });
  });
  return decoded;
}

function tryDecode<Data extends EventData>(
  source: Pick<Source<Data>, 'decode'>,
  path: string,
  contents: Uint8Array,
) {
  try {
    return { data: source.decode(path, contents), decodeError: null };
  } catch (error) {
    return { data: null, decodeError: getErrorMessage(error) };
  }
}

/** Returns `registry::Registered` for `0x..::registry::Registered`, without type parameters. */
function parsePath(type: string): string {
  const generic = type.indexOf('<');
  return type.slice(type.indexOf('::') + 2, generic < 0 ? undefined : generic);
}
