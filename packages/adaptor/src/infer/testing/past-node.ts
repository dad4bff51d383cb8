import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import type { TransactionLister } from '../history.ts';

const {
  Argument_ArgumentKind: From,
  Input_InputKind: Kind,
  Owner_OwnerKind: Owner,
  QueryEndReason,
} = GrpcTypes;
const { ExecutedTransaction, Input, Argument } = GrpcTypes;

export const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

/** Id of the package with the module `market`. */
export const packageId = id(0xabc);

/** An argument of a past call in these tests: an object by its number, a u64, a number of bytes, or a result. */
export type TestArgument =
  | { shared: number }
  | { immutable: number }
  | { owned: number }
  | { party: number }
  | { u64: number }
  | { bytes: number }
  /** BCS in hex. */
  | { raw: string }
  | 'result';
interface Call {
  name: string;
  type: string;
  args: TestArgument[];
}
export interface TestTransaction {
  succeeds: boolean;
  calls: Call[];
  /** Number of the sender's address. Default: 500. */
  sender?: number;
}

export const buildDigest = (seconds: number) => `digest${seconds}`;

/** The transaction as a node returns it. It has one input for each value, however often it is used. */
export function buildTransaction(
  { succeeds, calls, sender = 500 }: TestTransaction,
  seconds: number,
): GrpcTypes.ExecutedTransaction {
  const inputs: string[] = [];
  const commands = calls.map(({ name, type, args }) => ({
    command: {
      oneofKind: 'moveCall',
      moveCall: {
        package: packageId,
        module: 'market',
        function: name,
        typeArguments: [type],
        arguments: args.map((given) => {
          if (given === 'result') return Argument.create({ kind: From.RESULT, result: 0 });
          const key = JSON.stringify(given);
          if (!inputs.includes(key)) inputs.push(key);
          return Argument.create({ kind: From.INPUT, input: inputs.indexOf(key) });
        }),
      },
    },
  }));
  const given = inputs.map((key): Exclude<TestArgument, 'result'> => JSON.parse(key));
  const changedObjects = given.flatMap((each) => {
    if ('owned' in each) return [{ objectId: id(each.owned), inputOwner: { kind: Owner.ADDRESS } }];
    if ('party' in each) return [{ objectId: id(each.party), inputOwner: { kind: Owner.CONSENSUS_ADDRESS } }];
    return 'shared' in each ? [{ objectId: id(each.shared), inputOwner: { kind: Owner.SHARED } }] : [];
  });
  const gas = { objectId: id(1), inputOwner: { kind: Owner.ADDRESS } };
  return ExecutedTransaction.create({
    digest: buildDigest(seconds),
    timestamp: { seconds: BigInt(seconds), nanos: 0 },
    effects: {
      status: { success: succeeds },
      changedObjects: [gas, ...changedObjects],
      unchangedConsensusObjects: [],
    },
    transaction: {
      sender: id(sender),
      kind: {
        data: {
          oneofKind: 'programmableTransaction',
          programmableTransaction: { inputs: given.map(buildInput), commands },
        },
      },
    },
  } as never);
}

function buildInput(given: Exclude<TestArgument, 'result'>): GrpcTypes.Input {
  if ('u64' in given)
    return Input.create({ kind: Kind.PURE, pure: bcs.u64().serialize(given.u64).toBytes() });
  if ('bytes' in given) return Input.create({ kind: Kind.PURE, pure: new Uint8Array(given.bytes) });
  if ('raw' in given) return Input.create({ kind: Kind.PURE, pure: Buffer.from(given.raw, 'hex') });
  const [objectId] = Object.values(given).map(id);
  const consensus = 'shared' in given || 'party' in given;
  return Input.create({
    kind: consensus ? Kind.SHARED : Kind.IMMUTABLE_OR_OWNED,
    objectId: objectId!,
    version: 7n,
  });
}

export interface NodeBehavior {
  /** Transactions for one request. */
  page: number;
  /** Numbers of transactions before an abort, one for each list that the node aborts, in order. */
  breaks?: number[];
  /** Called with the index of each transaction before it is sent. */
  onSend?: (index: number) => void;
}

/** A node with these transactions, latest first. */
export function nodeWith(
  past: readonly TestTransaction[],
  { page, breaks = [], onSend }: NodeBehavior,
): TransactionLister {
  const breaking = [...breaks];
  async function* responses({ options }: GrpcTypes.ListTransactionsRequest, abort: AbortSignal) {
    const from = options?.before ? Number(Buffer.from(options.before).toString()) + 1 : 0;
    const limit = Math.min(page, options?.limit ?? 50);
    const stopAt = from + (breaking.shift() ?? Number.POSITIVE_INFINITY);
    for (let index = from; ; index++) {
      onSend?.(index);
      if (abort.aborted) throw new RpcError('cancelled', 'CANCELLED');
      if (index === stopAt) throw new RpcError('aborted', 'UNAVAILABLE');
      const one = past[index];
      if (!one) {
        yield { end: { reason: QueryEndReason.CHECKPOINT_BOUND } };
        return;
      }
      const isLast = index === from + limit - 1;
      yield {
        transaction: buildTransaction(one, past.length - index),
        watermark: { cursor: Buffer.from(String(index)) },
        ...(isLast && { end: { reason: QueryEndReason.ITEM_LIMIT } }),
      };
      if (isLast) return;
    }
  }
  return {
    ledgerService: {
      listTransactions: (request, options) => ({ responses: responses(request, options!.abort!) }),
    },
  };
}
