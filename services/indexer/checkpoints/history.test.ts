import { zstdCompressSync } from 'node:zlib';
import { GrpcTypes } from '@mysten/sui/grpc';
import { toHex } from '@mysten/sui/utils';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createOutbound } from '../../../lib/outbound/index.ts';
import { type Bucket, startBucket } from '../../../test/support/checkpoints/bucket.ts';
import { exportCheckpoints, readCheckpoint, toFile } from '../../../test/support/checkpoints/export.ts';
import {
  type RegistryNetwork,
  startRegistryNetwork,
} from '../../../test/support/checkpoints/registry-network.ts';
import { useForFile } from '../../../test/support/use-for-file.ts';
import { decodeEvents } from '../sources/source.ts';
import { openFilteredReader } from '../stream/filtered-reader.ts';
import { type Frame, listWrittenPackages } from '../stream/frames.ts';
import { openNode } from '../stream/node.ts';
import type { LedgerHistory, LedgerRange } from '../stream/reader.ts';
import { openScanningReader } from '../stream/scanning-reader.ts';
import { openBucket, usualLimits } from './bucket.ts';
import { openBucketHistory } from './history.ts';
import { shareBucket } from './shared-bucket.ts';

const { signal } = new AbortController();
/** Files with the usual limits that are read side by side. */
const usualAhead = 64;
const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'], connectionsPerHost: 'unbounded' });

let files: Map<number, Uint8Array>;
let eventTypes: string[];
let last: number;
let bucket: Bucket;

const network = useForFile(startRegistryNetwork);
beforeAll(async () => {
  for (let made = 0; made < 2 * usualAhead; made++) await network.register(made % 3);
  last = await network.tip();
  files = await exportCheckpoints(network.client, last);
  eventTypes = [`${network.settings.registryPackageId}::registry`];
});
afterAll(async () => {
  await outbound.close();
});
beforeEach(async () => {
  bucket = await startBucket(files);
  onTestFinished(() => bucket.close());
});

const openHistory = (timeoutMs?: number) =>
  openBucketHistory(openBucket({ url: bucket.url, outbound, ...(timeoutMs && { timeoutMs }) }), eventTypes);

/** Reads a range and returns its frames, also those before an error. */
async function collect(
  history: Pick<LedgerHistory, 'sendHistory'>,
  range: LedgerRange,
  frames: Frame[] = [],
) {
  const sink = { push: (frame: Frame) => frames.push(frame), ready: async () => undefined };
  await history.sendHistory(range, { ...sink, push: (frame) => void sink.push(frame) }, signal);
  return frames;
}

/** The events and written packages that the indexer takes of the frames. */
const readFrames = (frames: readonly Frame[]) =>
  frames.flatMap(({ transaction }) =>
    transaction
      ? [
          {
            written: listWrittenPackages(transaction),
            events: decodeEvents(transaction, { decode: () => ({ fields: {} }) }, eventTypes).map(
              (event) => ({
                ...event,
                contents: toHex(event.contents),
              }),
            ),
          },
        ]
      : [],
  );

const wholeRange = () => ({ from: 0, to: last + 1 });

describe('a history of files', () => {
  test('is the same as that of a node that is scanned, with the packages that were written', async () => {
    const node = openNode(network.localnet.rpcUrl, network.client);
    const scanned = await collect(openScanningReader(node, eventTypes, { idleMs: 5_000 }), wholeRange());
    const read = await collect(openHistory(), wholeRange());
    expect(readFrames(read)).toEqual(readFrames(scanned));
    expect(readFrames(read).flatMap(({ written }) => written)).toContain(network.settings.registryPackageId);
    expect(read.at(-1)?.covered).toBe(last);
  });

  test('has the events that a node lists by filter', async () => {
    const node = openNode(network.localnet.rpcUrl, network.client);
    const listed = await collect(openFilteredReader(node, eventTypes, { idleMs: 5_000 }), wholeRange());
    const events = (frames: Frame[]) => readFrames(frames).flatMap((each) => each.events);
    expect(events(await collect(openHistory(), wholeRange()))).toEqual(events(listed));
    expect(events(listed).length).toBeGreaterThan(usualAhead / 2);
  });

  test('continues at a cursor', async () => {
    const first = await collect(openHistory(), { from: 0, to: 20 });
    const after = first.at(-1)?.cursor;
    const rest = await collect(openHistory(), { after, from: 20, to: last + 1 });
    expect(readFrames([...first, ...rest])).toEqual(readFrames(await collect(openHistory(), wholeRange())));
  });

  /** Keeps each file but the first ones back until so many are open. Returns the most that were open at the same time. */
  const countOpen = async (released: number): Promise<number> => {
    const open: (() => void)[] = [];
    let openMax = 0;
    bucket.intervene = (sequence, response) => {
      if (sequence < usualAhead / 2) return false;
      open.push(() => response.end(bucket.files.get(sequence)));
      openMax = Math.max(openMax, open.length);
      if (openMax >= released) for (const send of open.splice(0)) send();
      return true;
    };
    await collect(openHistory(), wholeRange());
    expect(bucket.requested.toSorted((a, b) => a - b)).toEqual([...bucket.files.keys()]);
    return openMax;
  };

  test('small files are read side by side, more than the usual number', async () => {
    expect(await countOpen(usualAhead + 32)).toBeGreaterThan(usualAhead);
  });

  test('large files are read side by side, and no more than the usual number', async () => {
    const padding = GrpcTypes.Object.create({ bcs: { name: 'Object', value: new Uint8Array(2 ** 19) } });
    for (const sequence of files.keys()) {
      const checkpoint = await readCheckpoint(network.client, sequence);
      checkpoint.objects = { objects: [padding] };
      bucket.files.set(sequence, toFile(checkpoint));
    }
    const openMax = await countOpen(usualAhead / 2);
    expect(openMax).toBeGreaterThanOrEqual(usualAhead / 2);
    expect(openMax).toBeLessThanOrEqual(usualAhead);
  });

  test('a file above the usual limits is read too, alone', async () => {
    const checkpoint = await readCheckpoint(network.client, 10);
    const padding = GrpcTypes.Object.create({ bcs: { name: 'Object', value: new Uint8Array(5 * 2 ** 20) } });
    checkpoint.objects = { objects: [padding] };
    bucket.files.set(10, toFile(checkpoint));
    const read = await collect(openHistory(), wholeRange());
    bucket.files = files;
    expect(readFrames(read)).toEqual(readFrames(await collect(openHistory(), wholeRange())));
    expect(bucket.requested.filter((sequence) => sequence === 10)).toHaveLength(3);
  });
});

/** A checkpoint with registry events. */
const busy = 30;
/** The transaction with the events, which is behind that of the system. */
const findBusy = ({ transactions }: GrpcTypes.Checkpoint) => transactions.find(({ events }) => events?.bcs)!;

type Change = (checkpoint: GrpcTypes.Checkpoint) => unknown;

const flip = (bytes: Uint8Array | undefined) => {
  if (!bytes) throw new Error('there are no bytes to change');
  bytes[bytes.length - 1]! ^= 1;
};

describe('a file whose parts do not fit each other is refused, by its name and the digests', () => {
  const digests = String.raw`has digest \w{43,44}, and the checkpoint names \w{43,44}`;
  const changes: Record<string, [change: Change, reason: RegExp]> = {
    contents: [(each) => flip(each.contents?.bcs?.value), new RegExp(`the contents ${digests}`)],
    'data of a transaction': [
      (each) => flip(findBusy(each).transaction?.bcs?.value),
      new RegExp(`transaction \\d ${digests}`),
    ],
    effects: [
      (each) => flip(findBusy(each).effects?.bcs?.value),
      new RegExp(`the effects of transaction \\d ${digests}`),
    ],
    events: [
      (each) => flip(findBusy(each).events?.bcs?.value),
      new RegExp(`the events of transaction \\d ${digests}`),
    ],
    'events that are left out': [
      (each) => delete findBusy(each).events,
      /the events of transaction \d are missing/,
    ],
    'events that were not emitted': [
      (each) => {
        each.transactions[0]!.events = findBusy(each).events!;
      },
      /the events of transaction 0 has digest \w+, and the checkpoint names none/,
    ],
    'a transaction that is left out': [
      (each) => each.transactions.pop(),
      /it has \d transactions, and its contents name \d/,
    ],
    'transactions in another order': [
      (each) => each.transactions.reverse(),
      new RegExp(`transaction 0 ${digests}`),
    ],
    summary: [(each) => delete each.summary, /the summary is missing/],
  };
  test.each(Object.entries(changes))('%s', async (_, [change, reason]) => {
    const checkpoint = await readCheckpoint(network.client, busy);
    change(checkpoint);
    bucket.files.set(busy, toFile(checkpoint));
    const frames: Frame[] = [];
    const host = new URL(bucket.url).host;
    await expect(collect(openHistory(), wholeRange(), frames)).rejects.toMatchObject({
      code: 'bad_checkpoint_file',
      message: expect.stringMatching(new RegExp(`^${busy}\\.binpb\\.zst of ${host}: ${reason.source}`)),
    });
    expect(frames.at(-1)?.covered).toBe(busy - 1);
  });

  test('the file of another checkpoint', async () => {
    bucket.files.set(busy, files.get(busy + 1)!);
    await expect(collect(openHistory(), wholeRange())).rejects.toThrow(
      new RegExp(`^${busy}\\.binpb\\.zst of .*: it contains checkpoint ${busy + 1}`),
    );
  });

  test('bytes that are not a checkpoint', async () => {
    bucket.files.set(busy, zstdCompressSync(Buffer.from('not a checkpoint')));
    await expect(collect(openHistory(), wholeRange())).rejects.toMatchObject({ code: 'bad_checkpoint_file' });
  });
});

describe('files that fit themselves and not the chain are refused', () => {
  let other: RegistryNetwork;
  beforeAll(async () => {
    other = await startRegistryNetwork();
    for (let made = 0; made < 5; made++) await other.register(1);
  });
  afterAll(() => other.close());

  test('one that does not continue the one before', async () => {
    bucket.files.set(4, toFile(await readCheckpoint(other.client, 4)));
    await expect(collect(openHistory(), wholeRange())).rejects.toMatchObject({
      code: 'bad_checkpoint_file',
      message: expect.stringMatching(
        /^4\.binpb\.zst of .* continues \w{43,44}, and checkpoint 3 that was read before has digest \w{43,44}\./,
      ),
    });
  });

  test('a bucket that was changed since the cursor', async () => {
    const after = (await collect(openHistory(), { from: 0, to: 4 })).at(-1)?.cursor;
    bucket.files = await exportCheckpoints(other.client, 5);
    await expect(collect(openHistory(), { after, from: 4, to: 6 })).rejects.toThrow(
      /^4\.binpb\.zst of .* continues/,
    );
  });

  test('a chain that does not end in the digest of the node', async () => {
    const lastDigest = await openNode(network.localnet.rpcUrl, network.client).readDigest(5, signal);
    await collect(openHistory(), { from: 0, to: 6, lastDigest });
    bucket.files = await exportCheckpoints(other.client, 5);
    await expect(collect(openHistory(), { from: 0, to: 6, lastDigest })).rejects.toMatchObject({
      code: 'archive_disagrees',
      message: expect.stringMatching(
        new RegExp(`^5\\.binpb\\.zst of .* has digest \\w+, and the node gives ${lastDigest}`),
      ),
    });
  });
});

describe('an archive', () => {
  test('proves a chain before any of its frames is sent', async () => {
    const other = await startRegistryNetwork();
    onTestFinished(() => other.close());
    const archive = openNode(network.localnet.rpcUrl, network.client);
    const openProven = () =>
      openBucketHistory(openBucket({ url: bucket.url, outbound }), eventTypes, archive);
    const read = await collect(openProven(), wholeRange());
    expect(read).toEqual(await collect(openHistory(), wholeRange()));
    const tip = await other.tip();
    bucket.files = await exportCheckpoints(other.client, tip);
    const frames: Frame[] = [];
    await expect(collect(openProven(), { from: 0, to: tip + 1 }, frames)).rejects.toMatchObject({
      code: 'archive_disagrees',
      message: expect.stringContaining(`and ${network.localnet.rpcUrl} gives`),
    });
    expect(frames).toEqual([]);
  });

  test('that lacks a checkpoint leaves the proof to the seam', async () => {
    const node = openNode(network.localnet.rpcUrl, network.client);
    const archive = { url: node.url, readDigest: () => node.readDigest(10_000_000, signal) };
    const history = openBucketHistory(openBucket({ url: bucket.url, outbound }), eventTypes, archive);
    expect(await collect(history, wholeRange())).toEqual(await collect(openHistory(), wholeRange()));
  });
});

describe('a bucket that several sources share', () => {
  const openShared = (cachedBytes?: number) =>
    shareBucket(openBucket({ url: bucket.url, outbound }), cachedBytes === undefined ? {} : { cachedBytes });
  const read = (shared: ReturnType<typeof openShared>) =>
    collect(openBucketHistory(shared, eventTypes), wholeRange());

  test('gives each of them the same frames, and fetches a file once', async () => {
    const shared = openShared();
    const expected = await collect(openHistory(), wholeRange());
    bucket.requested.length = 0;
    expect(await Promise.all([read(shared), read(shared)])).toEqual([expected, expected]);
    expect(await read(shared)).toEqual(expected);
    expect(bucket.requested.toSorted((a, b) => a - b)).toEqual([...files.keys()]);
  });

  test('fetches again what its memory does not hold', async () => {
    const shared = openShared(1);
    expect(await read(shared)).toEqual(await read(shared));
    expect(bucket.requested).toHaveLength(2 * files.size);
  });

  test('goes on with a file that one of them no longer waits for, and cancels it with the last', async () => {
    const open = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    bucket.intervene = (_, response) => {
      response.on('close', closed.resolve);
      open.resolve();
      return true;
    };
    const shared = openShared();
    const [first, second] = [new AbortController(), new AbortController()];
    const reads = [first, second].map((stop) => shared.read(busy, usualLimits, stop.signal));
    await open.promise;
    first.abort();
    await expect(reads[0]).rejects.toThrow('aborted');
    const third = new AbortController();
    const joined = shared.read(busy, usualLimits, third.signal);
    second.abort();
    await expect(reads[1]).rejects.toThrow('aborted');
    expect(bucket.requested).toEqual([busy]);
    third.abort();
    await expect(joined).rejects.toThrow('aborted');
    await closed.promise;
  });
});

describe('a bucket that fails', () => {
  test('for a while loses nothing', async () => {
    const failures = [503, 429, 404, 408];
    bucket.intervene = (sequence, response) => {
      const status = sequence % 20 === 7 ? failures.pop() : undefined;
      if (status) response.writeHead(status).end();
      return status !== undefined;
    };
    const read = await collect(openHistory(), wholeRange());
    expect(failures).toEqual([]);
    bucket.intervene = () => false;
    expect(readFrames(read)).toEqual(readFrames(await collect(openHistory(), wholeRange())));
  });

  const bomb = () => zstdCompressSync(Buffer.alloc(300 * 2 ** 20));
  const faults: Record<string, [intervene: Bucket['intervene'] | (() => Uint8Array), reason: RegExp]> = {
    'a missing file': [(_, response) => Boolean(response.writeHead(404).end()), /: The host answered 404/],
    'a truncated file': [
      () => files.get(busy)!.subarray(0, files.get(busy)!.length / 2),
      /: it does not decompress: unexpected end of file/,
    ],
    'a file that ends too early': [
      (_, response) => {
        response.writeHead(200, { 'content-length': 1_000 }).write('half');
        setTimeout(() => response.destroy(), 5);
        return true;
      },
      /: The host could not be reached or closed the connection/,
    ],
    'a few bytes that decompress to more than memory holds': [bomb, / is too large/],
    'a file that does not end': [
      (_, response) => {
        const chunk = Buffer.alloc(2 ** 20, 1);
        const write = () => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', write);
        };
        write();
        return true;
      },
      / is too large/,
    ],
  };
  test.each(Object.entries(faults))(
    'with %s ends the history with its name and the reason',
    async (_, [fault, reason]) => {
      if (fault.length === 0) bucket.files.set(busy, (fault as () => Uint8Array)());
      else {
        bucket.intervene = (sequence, response) =>
          sequence === busy && (fault as Bucket['intervene'])(sequence, response);
      }
      const frames: Frame[] = [];
      await expect(collect(openHistory(), wholeRange(), frames)).rejects.toThrow(
        new RegExp(`^${busy}\\.binpb\\.zst of [\\d.:]+${reason.source}`),
      );
      expect(frames.at(-1)?.covered).toBe(busy - 1);
    },
  );

  test('with a file of which no byte comes ends the history after a time limit', async () => {
    bucket.intervene = (_, response) => {
      response.writeHead(200).flushHeaders();
      return true;
    };
    await expect(collect(openHistory(200), { from: busy, to: busy + 1 })).rejects.toThrow(
      new RegExp(`^${busy}\\.binpb\\.zst of [\\d.:]+: The host took longer than 200 ms`),
    );
  });
});
