import { GrpcTypes } from '@mysten/sui/grpc';
import { timestampMessage, transactionMessage } from '../../test/support/frames/messages.ts';
import { digestCheckpoint, type SparseChain } from './sparse-chain.ts';

const { Checkpoint } = GrpcTypes;

/** Changed objects and events of a transaction of others, and bytes of an event. */
const [changedObjects, events, eventBytes] = [5, 2, 150];

/**
 * Encodes whole checkpoints of a chain within the read mask of a reader that filters by itself. The transactions of others
 * are the same in all checkpoints and are encoded once.
 */
export function createCheckpointEncoder(chain: SparseChain): (checkpoint: number) => Buffer {
  const { transactionsPerCheckpoint: count } = chain.shape;
  const others = Array.from({ length: count }, (_, index) => encodeOther(index));
  const contents = Checkpoint.toBinary({
    transactions: [],
    contents: {
      transactions: Array.from({ length: count }, (_, index) =>
        GrpcTypes.CheckpointedTransactionInfo.create({ transaction: digestCheckpoint(index) }),
      ),
    },
  });
  return (sequence) => {
    const head = Checkpoint.toBinary({
      sequenceNumber: BigInt(sequence),
      digest: digestCheckpoint(sequence),
      summary: { timestamp: timestampMessage(chain.findTimeMs(sequence)), commitments: [] },
      transactions: [],
    });
    const match = chain.findMatch(sequence * count);
    const isMatching = match < chain.shape.matches && chain.findCheckpoint(match) === sequence;
    const index = chain.findIndex(match);
    const transactions = isMatching
      ? others.with(index, encodeTransaction(transactionMessage(chain.createTransaction(match))))
      : others;
    // A message may have its fields in parts.
    return Buffer.concat([head, contents, ...transactions]);
  };
}

const encodeTransaction = (transaction: GrpcTypes.ExecutedTransaction) =>
  Checkpoint.toBinary({ transactions: [transaction] });

function encodeOther(index: number): Uint8Array {
  const type = `0x${'c3'.repeat(32)}::pool::Swapped`;
  const message = transactionMessage({
    checkpoint: 0,
    txIndex: index,
    digest: digestCheckpoint(index),
    timestampMs: 0,
    sender: `0x${'d4'.repeat(32)}`,
    events: Array.from({ length: events }, () => ({ type, contents: Buffer.alloc(eventBytes, index) })),
  });
  // Inside a checkpoint, what the checkpoint says for all of them is left out.
  message.checkpoint = undefined;
  message.timestamp = undefined;
  message.effects = GrpcTypes.TransactionEffects.create({
    status: { success: true },
    changedObjects: Array.from({ length: changedObjects }, (_, object) => describeChange(index, object)),
  });
  return encodeTransaction(message);
}

function describeChange(transaction: number, object: number): GrpcTypes.ChangedObject {
  const owner = GrpcTypes.Owner.create({
    kind: GrpcTypes.Owner_OwnerKind.ADDRESS,
    address: `0x${'e5'.repeat(32)}`,
  });
  return GrpcTypes.ChangedObject.create({
    objectId: `0x${Buffer.alloc(32, transaction * 16 + object).toString('hex')}`,
    inputState: GrpcTypes.ChangedObject_InputObjectState.EXISTS,
    inputVersion: 1_000n,
    inputDigest: digestCheckpoint(object),
    inputOwner: owner,
    outputState: GrpcTypes.ChangedObject_OutputObjectState.OBJECT_WRITE,
    outputVersion: 1_001n,
    outputDigest: digestCheckpoint(object + 1),
    outputOwner: owner,
    idOperation: GrpcTypes.ChangedObject_IdOperation.NONE,
    objectType: '0x2::coin::Coin<0x2::sui::SUI>',
  });
}
