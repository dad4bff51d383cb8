/**
 * The list methods of a full node over real gRPC for a generated chain. All frames are encoded in advance, into files, so
 * that the benchmark measures the reader, and a long chain needs no more memory than a short one. Runs as a process; prints
 * one line of JSON when it is ready.
 */

import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { serveGrpc } from '@adaptor-marketplace/localnet/rpc/server/serve';
import { bindService } from '@adaptor-marketplace/localnet/rpc/server/service';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { type Encoded, passEncoded } from '../../test/support/frames/encoded-responses.ts';
import { packageMessage, timestampMessage } from '../../test/support/frames/messages.ts';
import { packageIds } from '../../test/support/frames/packages.ts';
import { moveAway } from '../../test/support/move-away.ts';
import { decodePlace, encodePlace, type FrameWork, headLength, type WrittenFrames } from './frames.ts';

const { QueryEndReason, ListTransactionsResponse } = GrpcTypes;
const pageSize = 500;

const [events = '1000000', delayMs = '0'] = process.argv.slice(2);
const seed = 1;
const dir = await mkdtemp(join(tmpdir(), 'bench-frames-'));

/** The frames of a source, in a file. */
interface FrameFile extends WrittenFrames {
  file: FileHandle;
}

/** Each source's frames are made on a core of their own. Half of the events are from a registry, half from wallets. */
async function generateFrames(source: FrameWork['source'], count: number): Promise<FrameFile> {
  const work: FrameWork = { source, events: count, seed, path: join(dir, source) };
  const [written] = await once(
    new Worker(new URL('frames.ts', import.meta.url), { workerData: work }),
    'message',
  );
  return { ...written, file: await open(work.path) };
}

const readLength = 256 * 1024;

/** The frames from an offset of the file on, with their checkpoints. */
async function* framesFrom(
  { file, size }: FrameFile,
  offset: number,
): AsyncGenerator<{ checkpoint: number; bytes: Buffer }> {
  let at = offset;
  while (at < size) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(readLength), 0, readLength, at);
    let next = 0;
    while (next + headLength <= bytesRead) {
      const begin = next + headLength;
      const end = begin + buffer.readUInt32LE(next);
      if (end > bytesRead) break;
      yield { checkpoint: buffer.readUInt32LE(next + 4), bytes: buffer.subarray(begin, end) };
      next = end;
    }
    if (next === 0) throw new Error(`the frame at ${at} is longer than ${readLength} bytes`);
    at += next;
  }
}

const half = Math.round(Number(events) / 2);
const [registry, wallet] = await Promise.all([
  generateFrames('registry', Number(events) - half),
  generateFrames('wallet', half),
]);
const tip = Math.max(registry.last, wallet.last) + 10;

/** Fields to append to the bytes of a frame: a message may have its fields in any order and in parts. */
const itemLimit = ListTransactionsResponse.toBinary({ end: { reason: QueryEndReason.ITEM_LIMIT } });
const encodeBound = (end: bigint) =>
  ListTransactionsResponse.toBinary({
    watermark: { cursor: encodePlace(Number.MAX_SAFE_INTEGER), checkpoint: end - 1n },
    end: { reason: QueryEndReason.CHECKPOINT_BOUND },
  });

async function* listTransactions({
  filter,
  startCheckpoint = 0n,
  endCheckpoint = BigInt(tip + 1),
  options,
}: GrpcTypes.ListTransactionsRequest): AsyncGenerator<Encoded> {
  const predicate = filter?.terms[0]?.literals[0]?.predicate;
  const isWallet =
    predicate?.oneofKind === 'eventType' && predicate.eventType.eventType?.startsWith(packageIds.wallet);
  const source = isWallet ? wallet : registry;
  const before = source.offsets.findLast(({ checkpoint }) => checkpoint <= startCheckpoint);
  const frames = framesFrom(source, options?.after ? decodePlace(options.after) : (before?.offset ?? 0));
  // A cursor names a frame that was sent.
  if (options?.after) await frames.next();
  let sent = 0;
  for await (const { checkpoint, bytes } of frames) {
    if (checkpoint >= endCheckpoint) break;
    if (checkpoint < startCheckpoint) continue;
    if (++sent === pageSize) return yield { bytes: Buffer.concat([bytes, itemLimit]) };
    yield { bytes };
  }
  yield { bytes: encodeBound(endCheckpoint) };
}

const server = await serveGrpc({
  host: '127.0.0.1',
  port: 0,
  services: [
    {
      service: passEncoded(GrpcTypes.LedgerService, ['ListTransactions']),
      methods: {
        ...bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
          getServiceInfo: async () => ({
            chainId: `bench ${seed}`,
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
        yield { watermark: { cursor: encodePlace(Number.MAX_SAFE_INTEGER) } };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    }),
  ],
});
const sum = (field: 'size' | 'transactions') => registry[field] + wallet[field];
const url = await moveAway(server.url, Number(delayMs), new AsyncDisposableStack());
console.log(JSON.stringify({ url, tip, transactions: sum('transactions'), bytes: sum('size') }));
process.once('SIGTERM', () => {
  void rm(dir, { recursive: true }).finally(() => process.exit(0));
});
