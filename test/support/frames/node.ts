import { serveGrpc } from '@adaptor-marketplace/localnet/rpc/server/serve';
import { bindService, type CallContext } from '@adaptor-marketplace/localnet/rpc/server/service';
import { GrpcError, GrpcStatusCode } from '@adaptor-marketplace/localnet/rpc/server/status';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { GeneratedChain, GeneratedTransaction } from './chain.ts';
import {
  capPackage,
  decodeCursor,
  encodeCursor,
  packageMessage,
  packageObjectMessage,
  publishEffects,
  timestampMessage,
  transactionMessage,
  upgradeCapMessage,
} from './messages.ts';

const { QueryEndReason } = GrpcTypes;

/** Faults of a node. Tests may change them while it serves. */
export interface Faults {
  /** Calls that fail with UNAVAILABLE before anything else happens. */
  unavailableCalls: number;
  /** Message of their error. */
  unavailableMessage: string;
  /** Methods that fail with UNAVAILABLE at every call. */
  unavailableMethods: string[];
  /** Frames after which the next streams abort, one entry each. */
  dropAfter: number[];
  /** Frames after which the next subscriptions send nothing more, one entry each. */
  stallAfter: number[];
  /** Highest checkpoint of the list index, if the index is behind. */
  listTip: number | undefined;
  /** Lowest checkpoint whose transactions the node still has. */
  lowestAvailable: number;
  listIndex: 'served' | 'disabled' | 'unimplemented';
  /** `true`: checkpoints come without their transactions, as from an archive that has no store of them. */
  bareCheckpoints: boolean;
}

interface FrameNode {
  url: string;
  faults: Faults;
  /** Highest checkpoint so far. */
  readonly tip: number;
  /** Extends the chain to this checkpoint, which subscribers receive. */
  advance(checkpoint: number): void;
  /** Number of calls by method. */
  calls: Record<string, number>;
  close(): Promise<void>;
}

export interface FrameNodeOptions {
  chain: GeneratedChain;
  /** First tip of the chain. */
  tip: number;
  /** Name in the node's cursors, which distinguishes them from those of another node. */
  provider?: string;
  faults?: Partial<Faults>;
  /** Maximum number of transactions in a list. */
  pageMax?: number;
  /** Adaptor packages by id. Each has a witness `adaptor::Adaptor`, and its publisher is `sender`. */
  packages?: Record<string, PublishedPackage>;
}

export interface PublishedPackage {
  sender: string;
  /** Owner of the UpgradeCap. Tests may change it while the node serves. */
  capOwner?: string;
  /** Bytecode of the module `adaptor`. Tests may change it while the node serves. */
  contents?: Uint8Array;
  /** Functions of that module. */
  functions?: GrpcTypes.FunctionDescriptor[];
  /** Id of the first version. Absent if it is the first one. */
  originalId?: string;
}

/** A full node that serves a generated chain over real gRPC, and misbehaves on request. */
export async function startFrameNode(options: FrameNodeOptions): Promise<FrameNode> {
  const { chain, provider = 'a', pageMax = 500, packages = {} } = options;
  const faults: Faults = {
    unavailableCalls: 0,
    unavailableMessage: 'the node is restarting',
    unavailableMethods: [],
    dropAfter: [],
    stallAfter: [],
    listTip: undefined,
    lowestAvailable: 0,
    listIndex: 'served',
    bareCheckpoints: false,
    ...options.faults,
  };
  const calls: Record<string, number> = {};
  let tip = options.tip;
  let grown = Promise.withResolvers<void>();
  const byCheckpoint = Map.groupBy(chain.transactions, (transaction) => transaction.checkpoint);

  function enter(method: string): void {
    calls[method] = (calls[method] ?? 0) + 1;
    if (faults.unavailableMethods.includes(method)) throw unavailable(faults.unavailableMessage);
    if (faults.unavailableCalls > 0) {
      faults.unavailableCalls--;
      throw unavailable(faults.unavailableMessage);
    }
  }

  const matches = (made: GeneratedTransaction, filter: GrpcTypes.TransactionFilter | undefined) => {
    const prefixes = (filter?.terms ?? []).flatMap(({ literals }) =>
      literals.flatMap(({ predicate }) =>
        predicate.oneofKind === 'eventType' ? [`${predicate.eventType.eventType}::`] : [],
      ),
    );
    return made.events.some(({ type }) => prefixes.some((prefix) => type.startsWith(prefix)));
  };

  async function* listTransactions(request: GrpcTypes.ListTransactionsRequest) {
    enter('listTransactions');
    if (faults.listIndex === 'disabled') throw unavailable('rpc indexes are disabled');
    if (faults.listIndex === 'unimplemented')
      throw new GrpcError(GrpcStatusCode.UNIMPLEMENTED, 'unknown method');
    const drop = faults.dropAfter.shift() ?? Number.POSITIVE_INFINITY;
    const after = request.options?.after && decodeCursor(provider, request.options.after);
    const tipAfter = (faults.listTip ?? tip) + 1;
    const from = Math.max(Number(request.startCheckpoint ?? 0), after?.[0] ?? 0);
    const requestedEnd = Number(request.endCheckpoint ?? Number.POSITIVE_INFINITY);
    const end = Math.min(requestedEnd, tipAfter);
    if (from >= tipAfter) {
      yield endFrame({ cursor: encodeCursor(provider, tipAfter, -1) }, QueryEndReason.LEDGER_TIP);
      return;
    }
    const first = lowerBound(chain.transactions, from, after);
    const isLeft = (chain.transactions[first]?.checkpoint ?? Number.POSITIVE_INFINITY) < end;
    // The full node does the same, also if the end is the tip of an index that is behind.
    if (after && (from >= end || (isInside(chain.transactions, first - 1, after) && !isLeft))) {
      yield endFrame({ cursor: request.options!.after! }, QueryEndReason.CURSOR_BOUND);
      return;
    }
    if (from < faults.lowestAvailable) {
      throw new GrpcError(GrpcStatusCode.OUT_OF_RANGE, 'requested data below earliest available');
    }
    const limit = Math.min(request.options?.limit ?? 50, pageMax);
    let sent = 0;
    for (let i = first; i < chain.transactions.length; i++) {
      const made = chain.transactions[i]!;
      if (made.checkpoint >= end) break;
      if (!matches(made, request.filter)) continue;
      if (sent === drop) throw unavailable('the stream broke');
      sent++;
      const covered = made.checkpoint - 1 >= from ? BigInt(made.checkpoint - 1) : undefined;
      const watermark = {
        cursor: encodeCursor(provider, made.checkpoint, made.txIndex),
        checkpoint: covered,
      };
      const transaction = transactionMessage(made);
      if (sent === limit) {
        yield { transaction, watermark, end: { reason: QueryEndReason.ITEM_LIMIT } };
        return;
      }
      yield { transaction, watermark };
    }
    const reason = requestedEnd <= tipAfter ? QueryEndReason.CHECKPOINT_BOUND : QueryEndReason.LEDGER_TIP;
    yield endFrame({ cursor: encodeCursor(provider, end, -1), checkpoint: BigInt(end - 1) }, reason);
  }

  /** Yields each checkpoint after the current tip as the chain grows. Faults count its frames. */
  async function* subscribe<T>(
    method: string,
    context: CallContext,
    buildFrames: (checkpoint: number) => T[],
  ) {
    enter(method);
    const drop = faults.dropAfter.shift() ?? Number.POSITIVE_INFINITY;
    const stall = faults.stallAfter.shift() ?? Number.POSITIVE_INFINITY;
    let sent = 0;
    for (let next = tip + 1; ; next++) {
      while (next > tip) await grown.promise;
      for (const frame of buildFrames(next)) {
        if (sent === drop) throw unavailable('the stream broke');
        if (sent === stall)
          await new Promise((_, reject) => context.signal.addEventListener('abort', reject));
        sent++;
        yield frame;
      }
    }
  }

  async function* subscribeTransactions(
    request: GrpcTypes.SubscribeTransactionsRequest,
    context: CallContext,
  ) {
    /** First checkpoint that the stream has in full. */
    let entry: number | undefined;
    let quiet = 0;
    yield* subscribe('subscribeTransactions', context, (checkpoint) => {
      const frames: GrpcTypes.SubscribeTransactionsResponse[] = [];
      if (entry === undefined) frames.push({ watermark: { cursor: encodeCursor(provider, checkpoint, -1) } });
      entry ??= checkpoint;
      const covered = checkpoint > entry ? BigInt(checkpoint - 1) : undefined;
      const matching = (byCheckpoint.get(checkpoint) ?? []).filter((made) => matches(made, request.filter));
      for (const made of matching) {
        const cursor = encodeCursor(provider, checkpoint, made.txIndex);
        frames.push({
          transaction: transactionMessage(made),
          watermark: { cursor, checkpoint: covered },
        });
      }
      quiet = matching.length > 0 ? 0 : quiet + 1;
      if (quiet === quietCheckpoints) {
        quiet = 0;
        const cursor = encodeCursor(provider, checkpoint + 1, -1);
        frames.push({ watermark: { cursor, checkpoint: BigInt(checkpoint) } });
      }
      return frames;
    });
  }

  const checkpointMessage = (sequence: number) => {
    const transactions = (byCheckpoint.get(sequence) ?? []).map(transactionMessage);
    const named = transactions.map(({ digest }) =>
      GrpcTypes.CheckpointedTransactionInfo.create({ transaction: digest }),
    );
    return GrpcTypes.Checkpoint.create({
      sequenceNumber: BigInt(sequence),
      digest: `digest ${sequence}`,
      contents: GrpcTypes.CheckpointContents.create({ transactions: named }),
      transactions: faults.bareCheckpoints ? [] : transactions,
    });
  };

  const listVersions = (first: string): [string, ...string[]] => [
    first,
    ...Object.keys(packages).filter((id) => packages[id]!.originalId === first),
  ];

  const server = await serveGrpc({
    host: '127.0.0.1',
    port: 0,
    onInternalError: (error) => console.error(error),
    services: [
      bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
        async getServiceInfo() {
          enter('getServiceInfo');
          return {
            chainId: chain.chainId,
            checkpointHeight: BigInt(tip),
            timestamp: timestampMessage(Date.UTC(2026, 0, 1) + tip * 250),
            lowestAvailableCheckpoint: BigInt(faults.lowestAvailable),
          };
        },
        async getObject({ objectId = '' }) {
          const capOwnerPackage = capPackage(objectId);
          const owner = capOwnerPackage && packages[capOwnerPackage]?.capOwner;
          if (capOwnerPackage && owner) {
            const newest = listVersions(capOwnerPackage).at(-1)!;
            return { object: upgradeCapMessage(capOwnerPackage, owner, newest) };
          }
          const adaptor = packages[objectId];
          return {
            object: GrpcTypes.Object.create({
              objectId,
              version: 1n,
              previousTransaction: `publish ${objectId}`,
              package: adaptor && packageObjectMessage(adaptor.originalId ?? objectId, adaptor.contents),
            }),
          };
        },
        async getTransaction({ digest }) {
          const packageId = digest?.split(' ')[1] ?? '';
          const { sender, capOwner } = packages[packageId] ?? {};
          const transaction = GrpcTypes.Transaction.create({ sender });
          const effects = capOwner === undefined ? undefined : publishEffects(packageId);
          const checkpoint = BigInt(chain.publishedAt);
          return {
            transaction: GrpcTypes.ExecutedTransaction.create({ digest, checkpoint, transaction, effects }),
          };
        },
        async getCheckpoint({ checkpointId }) {
          enter('getCheckpoint');
          const sequence =
            checkpointId.oneofKind === 'sequenceNumber' ? Number(checkpointId.sequenceNumber) : -1;
          if (sequence > tip || sequence < faults.lowestAvailable) {
            throw new GrpcError(GrpcStatusCode.NOT_FOUND, `no checkpoint ${sequence}`);
          }
          return { checkpoint: checkpointMessage(sequence) };
        },
        listTransactions,
      }),
      bindService<SuiGrpcClient['movePackageService']>(GrpcTypes.MovePackageService, {
        async getPackage({ packageId }) {
          enter('getPackage');
          return { package: packageMessage(packageId ?? '', packages) };
        },
        async listPackageVersions({ packageId }) {
          enter('listPackageVersions');
          if (faults.listIndex === 'disabled') throw new GrpcError(GrpcStatusCode.NOT_FOUND, 'not found');
          if (faults.listIndex === 'unimplemented')
            throw new GrpcError(GrpcStatusCode.UNIMPLEMENTED, 'unknown method');
          const versions = listVersions(packageId ?? '');
          return { versions: versions.map((id, at) => ({ packageId: id, version: BigInt(at + 1) })) };
        },
      }),
      bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
        subscribeTransactions,
        subscribeCheckpoints: (_request, context) =>
          subscribe('subscribeCheckpoints', context, (sequence) => [
            { cursor: BigInt(sequence), checkpoint: checkpointMessage(sequence) },
          ]),
      }),
    ],
  });

  return {
    url: server.url,
    faults,
    calls,
    get tip() {
      return tip;
    },
    advance(checkpoint) {
      tip = Math.max(tip, checkpoint);
      grown.resolve();
      grown = Promise.withResolvers();
    },
    close: () => server.close(),
  };
}

/** Checkpoints without a frame after which a subscription reports its progress. */
const quietCheckpoints = 25;

const endFrame = (watermark: GrpcTypes.Watermark, reason: GrpcTypes.QueryEndReason) => ({
  watermark,
  end: { reason },
});

/** `true` if the cursor names a transaction of the chain, and not the end of a checkpoint. */
function isInside(transactions: GeneratedTransaction[], index: number, after: [number, number]): boolean {
  const named = transactions[index];
  return named?.checkpoint === after[0] && named.txIndex === after[1];
}

const unavailable = (message: string) => new GrpcError(GrpcStatusCode.UNAVAILABLE, message);

/** Index of the first transaction at or above `from` and after the cursor. */
function lowerBound(transactions: GeneratedTransaction[], from: number, after: [number, number] | undefined) {
  let [low, high] = [0, transactions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { checkpoint, txIndex } = transactions[middle]!;
    const isBelow =
      checkpoint < from ||
      (after !== undefined && (checkpoint < after[0] || (checkpoint === after[0] && txIndex <= after[1])));
    if (isBelow) low = middle + 1;
    else high = middle;
  }
  return low;
}
