import { bcs, TypeTagSerializer } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { fromHex, toBase58, toHex } from '@mysten/sui/utils';
import { listPackages } from '../stream/event-filter.ts';
import { TransactionEvents } from './chain-bcs.ts';
import { CheckpointFileError, type FileTransaction } from './checkpoint-file.ts';

const { ChangedObject_OutputObjectState: OutputState } = GrpcTypes;

const systemAddress = `0x${'0'.repeat(64)}`;
/** Second byte of the data of a transaction that anyone can send. The other kinds are the system's. */
const programmableKind = 0;

/** Position of a transaction, and the timestamp of its checkpoint. */
interface Position {
  checkpoint: number;
  index: number;
  timestampMs: number;
}

/** Decodes what the indexer uses of a transaction. Undefined if it has no matching event and wrote no package. */
type TransactionDecoder = (
  transaction: FileTransaction,
  position: Position,
) => GrpcTypes.ExecutedTransaction | undefined;

/**
 * Returns a decoder of the transactions that match, as a node would list them.
 * @param eventTypes prefixes (`0x..::registry`), of which one must match
 */
export function createTransactionDecoder(eventTypes: readonly string[]): TransactionDecoder {
  const packages = listPackages(eventTypes).map((id) => Buffer.from(fromHex(id)));
  const prefixes = eventTypes.map((type) => `${type}::`);

  /** Most transactions have no event of the packages, and are not decoded. */
  function findEvents(bytes: Uint8Array): GrpcTypes.Event[] {
    const { buffer, byteOffset, byteLength } = bytes;
    const text = Buffer.from(buffer, byteOffset, byteLength);
    if (!packages.some((id) => text.includes(id))) return [];
    const events = decodeEvents(bytes);
    const matches = events.some(({ eventType = '' }) =>
      prefixes.some((prefix) => eventType.startsWith(prefix)),
    );
    return matches ? events : [];
  }

  return ({ digest, data, events: eventBytes, written }, { checkpoint, index, timestampMs }) => {
    const events = eventBytes ? findEvents(eventBytes) : [];
    if (events.length === 0 && written.length === 0) return undefined;
    return GrpcTypes.ExecutedTransaction.create({
      digest: toBase58(digest),
      checkpoint: BigInt(checkpoint),
      transactionIndex: BigInt(index),
      timestamp: {
        seconds: BigInt(Math.floor(timestampMs / 1_000)),
        nanos: (timestampMs % 1_000) * 1_000_000,
      },
      transaction: GrpcTypes.Transaction.create({ sender: readSender(data) }),
      effects: GrpcTypes.TransactionEffects.create({
        changedObjects: written.map((id) => ({
          objectId: `0x${toHex(id)}`,
          outputState: OutputState.PACKAGE_WRITE,
        })),
      }),
      events: { events },
    });
  };
}

function decodeEvents(bytes: Uint8Array): GrpcTypes.Event[] {
  try {
    return TransactionEvents.parse(bytes).map(({ type, contents }) => ({
      // A node writes no space between type arguments.
      eventType: TypeTagSerializer.tagToString({ struct: type }).replaceAll(', ', ','),
      contents: { value: contents },
    }));
  } catch (cause) {
    throw new CheckpointFileError('events are malformed', { cause });
  }
}

function readSender(data: Uint8Array): string {
  if (data[1] !== programmableKind) return systemAddress;
  try {
    const { V1 } = bcs.TransactionData.parse(data);
    return V1.sender;
  } catch (cause) {
    throw new CheckpointFileError('the data of a transaction is malformed', { cause });
  }
}
