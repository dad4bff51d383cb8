/**
 * The list methods of a full node over real gRPC for a generated chain. All frames are encoded in advance, so that the
 * benchmark measures the reader. Runs as a process; prints one line of JSON when it is ready.
 */

import { serveGrpc } from '@adaptor-marketplace/localnet/rpc/server/serve';
import { bindService } from '@adaptor-marketplace/localnet/rpc/server/service';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { MessageType } from '@protobuf-ts/runtime';
import type { ServiceType } from '@protobuf-ts/runtime-rpc';
import { type GeneratedTransaction, generateChain } from '../../test/support/frames/chain.ts';
import { generateMarket } from '../../test/support/frames/market/generate.ts';
import {
  encodeCursor,
  packageMessage,
  timestampMessage,
  transactionMessage,
} from '../../test/support/frames/messages.ts';
import { packageIds } from '../../test/support/frames/packages.ts';

const { QueryEndReason, ListTransactionsResponse } = GrpcTypes;
const pageSize = 500;

const [events = '1000000', seed = '1'] = process.argv.slice(2);
/** Half of the events are from a registry, half from wallets. */
const half = Math.round(Number(events) / 2);
const chain = generateChain({ seed: Number(seed), events: Number(events) - half });
const wallets = walletTransactions(half);
const tip = Math.max(chain.last, wallets.at(-1)!.checkpoint) + 10;

/** An encoded message. */
interface Encoded {
  bytes: Uint8Array;
}

/** The items that match a filter, with their frames and the positions of their cursors. */
function listOf(transactions: GeneratedTransaction[]) {
  const frames: Encoded[] = transactions.map((made) => ({
    bytes: ListTransactionsResponse.toBinary({
      transaction: transactionMessage(made),
      watermark: {
        cursor: encodeCursor('bench', made.checkpoint, made.txIndex),
        checkpoint: BigInt(made.checkpoint - 1),
      },
    }),
  }));
  const places = new Map(
    transactions.map((made, index) => [`bench ${made.checkpoint} ${made.txIndex}`, index]),
  );
  return { frames, places };
}

/** That many events of the wallet package. One in fifty sets up a wallet, the others use them. */
function walletTransactions(count: number): GeneratedTransaction[] {
  const transactions = Math.ceil(count / 3);
  const made = generateMarket({
    seed: Number(seed) + 1,
    transactions,
    size: 200,
    wallets: Math.ceil(count / 50 / 5),
    actions: 0.95,
  });
  const kept: GeneratedTransaction[] = [];
  let left = count;
  for (const transaction of made.transactions) {
    const own = transaction.events.filter(({ type }) => type.startsWith(packageIds.wallet)).slice(0, left);
    // After the registry's transactions in each checkpoint.
    const txIndex = transaction.txIndex + 10_000;
    if (own.length > 0) kept.push({ ...transaction, txIndex, events: own });
    left -= own.length;
    if (left === 0) return kept;
  }
  throw new Error(`the generated chain holds ${left} events too few`);
}

const lists = { registry: listOf(chain.transactions), wallet: listOf(wallets) };
/** Fields to append to the bytes of a frame: a message may have its fields in any order and in parts. */
const itemLimit = ListTransactionsResponse.toBinary({ end: { reason: QueryEndReason.ITEM_LIMIT } });
const bound = ListTransactionsResponse.toBinary({
  watermark: { cursor: encodeCursor('bench', tip, 1e6), checkpoint: BigInt(tip) },
  end: { reason: QueryEndReason.CHECKPOINT_BOUND },
});

async function* listTransactions({
  filter,
  options,
}: GrpcTypes.ListTransactionsRequest): AsyncGenerator<Encoded> {
  const predicate = filter?.terms[0]?.literals[0]?.predicate;
  const isWallet =
    predicate?.oneofKind === 'eventType' && predicate.eventType.eventType?.startsWith(packageIds.wallet);
  const { frames, places } = isWallet ? lists.wallet : lists.registry;
  const after = options?.after ? (places.get(Buffer.from(options.after).toString()) ?? frames.length) : -1;
  const end = Math.min(after + 1 + pageSize, frames.length);
  for (let i = after + 1; i < end; i++) {
    const frame = frames[i]!;
    yield i === after + pageSize ? { bytes: Buffer.concat([frame.bytes, itemLimit]) } : frame;
  }
  if (end < after + 1 + pageSize) yield { bytes: bound };
}

/** The same service, which does not encode list responses again. */
const passing: Pick<MessageType<Encoded>, 'toBinary'> = { toBinary: ({ bytes }) => bytes };
const ledgerService = {
  ...GrpcTypes.LedgerService,
  typeName: GrpcTypes.LedgerService.typeName,
  methods: GrpcTypes.LedgerService.methods.map((method) =>
    method.name === 'ListTransactions' ? { ...method, O: { ...passing } } : method,
  ),
} as ServiceType;

const server = await serveGrpc({
  host: '127.0.0.1',
  port: 0,
  services: [
    {
      service: ledgerService,
      methods: {
        ...bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
          getServiceInfo: async () => ({
            chainId: chain.chainId,
            checkpointHeight: BigInt(tip),
            timestamp: timestampMessage(Date.UTC(2026, 0, 1) + tip * 250),
            lowestAvailableCheckpoint: 0n,
          }),
          getObject: async () => ({}),
        }).methods,
        listTransactions,
      },
    },
    bindService<SuiGrpcClient['movePackageService']>(GrpcTypes.MovePackageService, {
      getPackage: async ({ packageId = '' }) => ({ package: packageMessage(packageId, {}) }),
    }),
    bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
      async *subscribeTransactions(_request, { signal }) {
        yield { watermark: { cursor: encodeCursor('bench', tip, 1e6), checkpoint: BigInt(tip) } };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    }),
  ],
});
const all = [...lists.registry.frames, ...lists.wallet.frames];
const bytes = all.reduce((sum, frame) => sum + frame.bytes.length, 0);
console.log(JSON.stringify({ url: server.url, tip, transactions: all.length, bytes }));
process.once('SIGTERM', () => process.exit(0));
