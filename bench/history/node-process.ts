/**
 * A full node of a chain that is generated as it is read, with list indexes or without, at several distances. The chain goes on
 * while it is followed, without matches. Runs as a process: it sends its urls, and answers each message with its counts.
 */

import { serveGrpc } from '@adaptor-marketplace/localnet/rpc/server/serve';
import { bindService } from '@adaptor-marketplace/localnet/rpc/server/service';
import { GrpcError, GrpcStatusCode, notFound } from '@adaptor-marketplace/localnet/rpc/server/status';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { registryPackageId } from '../../test/support/frames/chain.ts';
import { type Encoded, passEncoded } from '../../test/support/frames/encoded-responses.ts';
import { packageMessage, timestampMessage, transactionMessage } from '../../test/support/frames/messages.ts';
import { moveAway } from '../../test/support/move-away.ts';
import { encodeCursor, listMatches } from './node-lists.ts';
import { type ChainShape, checkpointMs, digestCheckpoint, SparseChain } from './sparse-chain.ts';
import { createCheckpointEncoder } from './whole-checkpoints.ts';

export interface NodeOptions extends ChainShape {
  /** `false`: the node has only whole checkpoints. */
  isIndexed: boolean;
  scanTransactions: number;
  /** Round trips to the node, in milliseconds. */
  delays: number[];
}

export interface NodeAddress {
  /** Urls by their round trip in milliseconds. */
  urls: Record<number, string>;
  /** Bytes of a checkpoint without a match. */
  checkpointBytes: number;
}

export interface NodeCounts {
  lists: number;
  /** Matches in lists. */
  items: number;
  /** Whole checkpoints that were requested. */
  checkpoints: number;
  cpuSeconds: number;
  residentMegabytes: number;
}

const options: NodeOptions = JSON.parse(process.argv[2]!);
const { isIndexed, scanTransactions } = options;
const begunMs = Date.now();
const chain = new SparseChain(options, begunMs - options.checkpoints * checkpointMs);
const encodeCheckpoint = createCheckpointEncoder(chain);
const findTip = () => options.checkpoints - 1 + Math.floor((Date.now() - begunMs) / checkpointMs);
const createMessage = (match: number) => transactionMessage(chain.createTransaction(match));
const counts = { lists: 0, items: 0, checkpoints: 0 };

const noIndex = () => new GrpcError(GrpcStatusCode.UNAVAILABLE, 'rpc indexes are disabled');

async function* listTransactions(request: GrpcTypes.ListTransactionsRequest) {
  if (!isIndexed) throw noIndex();
  counts.lists += 1;
  for (const frame of listMatches({ chain, tip: findTip(), scanTransactions, createMessage }, request)) {
    if (frame.transaction) counts.items += 1;
    yield frame;
  }
}

function getCheckpoint({ checkpointId, readMask }: GrpcTypes.GetCheckpointRequest): Encoded {
  const sequence =
    checkpointId.oneofKind === 'sequenceNumber' ? Number(checkpointId.sequenceNumber) : findTip();
  if (sequence > findTip()) throw notFound(`checkpoint ${sequence} is not there yet`);
  if (readMask?.paths.join() === 'digest') {
    const checkpoint = GrpcTypes.Checkpoint.create({ digest: digestCheckpoint(sequence) });
    return { bytes: GrpcTypes.GetCheckpointResponse.toBinary({ checkpoint }) };
  }
  counts.checkpoints += 1;
  const bytes = encodeCheckpoint(sequence);
  return { bytes: Buffer.concat([Buffer.from([0x0a]), encodeVarint(bytes.length), bytes]) };
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

/** Yields each checkpoint that the chain makes, until the signal aborts. */
async function* followTip(signal: AbortSignal): AsyncGenerator<number> {
  let next = findTip() + 1;
  while (!signal.aborted) {
    for (; next <= findTip(); next += 1) yield next;
    await Promise.race([new Promise((resolve) => setTimeout(resolve, checkpointMs)), aborted(signal)]);
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));

/** A node reports progress after as many checkpoints without a match. */
const tickEvery = 25;
const publication = 'publication of the registry';

const server = await serveGrpc({
  host: '127.0.0.1',
  port: 0,
  services: [
    {
      service: passEncoded(GrpcTypes.LedgerService, ['GetCheckpoint']),
      methods: {
        ...bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
          getServiceInfo: async () => ({
            chainId: digestCheckpoint(0),
            checkpointHeight: BigInt(findTip()),
            timestamp: timestampMessage(chain.findTimeMs(findTip())),
            lowestAvailableCheckpoint: 0n,
          }),
          getObject: async ({ objectId }) => {
            if (objectId !== registryPackageId) throw notFound(`object ${objectId} not found`);
            return { object: { previousTransaction: publication } };
          },
          getTransaction: async ({ digest }) => {
            if (digest !== publication) throw notFound(`transaction ${digest} not found`);
            return { transaction: GrpcTypes.ExecutedTransaction.create({ checkpoint: 0n }) };
          },
        }).methods,
        listTransactions,
        getCheckpoint: async (request: GrpcTypes.GetCheckpointRequest) => getCheckpoint(request),
      },
    },
    bindService<SuiGrpcClient['movePackageService']>(GrpcTypes.MovePackageService, {
      getPackage: async ({ packageId = '' }) => ({ package: packageMessage(packageId, {}) }),
      listPackageVersions: async ({ packageId = '' }) => {
        // A node without the index of versions says so.
        if (!isIndexed) throw notFound(`package ${packageId} not found`);
        return { versions: [{ packageId, version: 1n }] };
      },
    }),
    bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
      async *subscribeTransactions(_request, { signal }) {
        const { transactionsPerCheckpoint } = options;
        yield { watermark: { cursor: encodeCursor(findTip() * transactionsPerCheckpoint) } };
        let ticks = 0;
        for await (const checkpoint of followTip(signal)) {
          if (++ticks % tickEvery > 0) continue;
          const cursor = encodeCursor((checkpoint + 1) * transactionsPerCheckpoint);
          yield { watermark: { cursor, checkpoint: BigInt(checkpoint) } };
        }
      },
      async *subscribeCheckpoints(_request, { signal }) {
        for await (const sequence of followTip(signal)) {
          const checkpoint = GrpcTypes.Checkpoint.fromBinary(encodeCheckpoint(sequence));
          yield { cursor: BigInt(sequence), checkpoint };
        }
      },
    }),
  ],
});

const proxies = new AsyncDisposableStack();
const urls: Record<number, string> = {};
for (const delayMs of options.delays) urls[delayMs] = await moveAway(server.url, delayMs, proxies);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const residentMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  const answer: NodeCounts = { ...counts, cpuSeconds: (user + system) / 1e6, residentMegabytes };
  process.send!(answer);
});
process.send!({ urls, checkpointBytes: encodeCheckpoint(0).length } satisfies NodeAddress);
process.once('disconnect', async () => {
  await proxies.disposeAsync();
  await server.close();
  process.exit();
});
