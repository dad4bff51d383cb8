import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import type { LocalNode } from '@adaptor-marketplace/localnet';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { type Bucket, startBucket } from '../support/checkpoints/bucket.ts';
import { exportCheckpoints, readCheckpoint, toFile } from '../support/checkpoints/export.ts';
import { startRegistryNetwork } from '../support/checkpoints/registry-network.ts';
import { createTestDatabase, indexedTo, openTestDatabase, sourceRow } from '../support/database.ts';
import { endChild } from '../support/end-child.ts';
import { eventually } from '../support/eventually.ts';
import { readTables } from '../support/frames/registry-oracle.ts';
import { useForFile } from '../support/use-for-file.ts';

const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'], connectionsPerHost: 'unbounded' });

let files: Map<number, Uint8Array>;
/** Last checkpoint before the history was pruned, and the first that the node has since. */
let last: number;
let lowest: number;
/** Tables of an indexer that read everything from the node, before it was pruned. */
let expected: Awaited<ReturnType<typeof readTables>>;
let db: Database;
let bucket: Bucket;

const network = useForFile(startRegistryNetwork);
beforeAll(async () => {
  for (let made = 0; made < 150; made++) await network.register(made % 3);
  last = await network.tip();
  files = await exportCheckpoints(network.client, last);
  const whole = await openTestDatabase();
  const indexer = startIndexer({ db: whole, networks: [network.settings], log: silentLogger, outbound });
  await indexedTo(whole, last);
  expected = await readTables(whole);
  await indexer.close();
  await whole.close();
  lowest = last - 20;
  network.localnet.misbehaviour.set({ prune: { below: lowest } });
});
afterAll(async () => {
  await outbound.close();
});
beforeEach(async () => {
  db = await createTestDatabase();
  bucket = await startBucket(files);
  onTestFinished(() => bucket.close());
});

function index(more: Partial<NetworkSettings> = { checkpointsUrl: bucket.url }) {
  const networks = [{ ...network.settings, ...more }];
  const indexer = startIndexer({ db, networks, log: silentLogger, outbound, batchMax: 10, idleMs: 2_000 });
  onTestFinished(() => indexer.close());
  return indexer;
}

/** Waits until the source has stopped, and returns its last error. */
async function readStopReason(): Promise<string> {
  await eventually(async () => expect((await sourceRow(db))?.stopped_at).toBeInstanceOf(Date));
  return (await sourceRow(db))?.last_error ?? '';
}

/** Rows up to the checkpoint at which the node was pruned; later tests add more. */
async function readPrunedTables() {
  const tables = await readTables(db);
  const known = new Set(expected.events.map(({ id }) => id));
  expect(tables.events.length).toBeGreaterThanOrEqual(known.size);
  return { ...tables, events: tables.events.filter(({ id }) => known.has(id)) };
}

describe('what the node has pruned is read from a bucket', () => {
  test('into the same tables as from the node, which goes on from the seam', async () => {
    index();
    await indexedTo(db, last);
    expect(await readTables(db)).toEqual(expected);
    expect((await sourceRow(db))?.cursor_provider).toBe(network.localnet.rpcUrl);
    // The node has the last nine tenths of what it still has, and the bucket is not asked for them.
    const handover = lowest + Math.ceil((last + 1 - lowest) / 10);
    expect(Math.max(...bucket.requested)).toBe(handover - 1);
    // The file at the seam is read before the others and used after them.
    expect(new Set(bucket.requested).size).toBe(bucket.requested.length);
  });

  test('and while it is, the source shows the bucket', async () => {
    const shown = Promise.withResolvers<void>();
    bucket.intervene = (sequence, response) => {
      if (sequence === 100) void shown.promise.then(() => response.end(files.get(sequence)));
      return sequence === 100;
    };
    index();
    await eventually(async () => {
      expect(await sourceRow(db)).toMatchObject({ cursor_provider: bucket.url, checkpoint: 99 });
    });
    shown.resolve();
    await indexedTo(db, last);
    expect(await readTables(db)).toEqual(expected);
  });

  test('from where it was, if the indexer is killed at any moment', async () => {
    const script = fileURLToPath(new URL('../support/indexer-process.ts', import.meta.url));
    const settings = JSON.stringify({ ...network.settings, checkpointsUrl: bucket.url });
    const start = (): ChildProcess =>
      spawn(process.execPath, [script, db.directUrl, settings, '127.0.0.0/8'], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    for (const until of [30, 70, 110]) {
      // The files after it come only after the kill.
      bucket.intervene = (sequence, response) => {
        if (sequence < until || sequence === lowest + 2) return false;
        response.on('error', () => undefined);
        return true;
      };
      const child = start();
      onTestFinished(() => endChild(child, 'SIGKILL'));
      await eventually(async () =>
        expect((await sourceRow(db))?.checkpoint).toBeGreaterThanOrEqual(until - 1),
      );
      await endChild(child, 'SIGKILL');
    }
    bucket.intervene = () => false;
    bucket.requested.length = 0;
    index();
    await indexedTo(db, last);
    expect(await readTables(db)).toEqual(expected);
    expect(bucket.requested.filter((sequence) => sequence < 109)).toEqual([]);
  });

  test('rather than from an archive that lists nothing by filter', async () => {
    const archive = await network.localnet.openNode();
    archive.misbehaviour.set({ refuseLists: true });
    index({ archiveUrl: archive.rpcUrl, checkpointsUrl: bucket.url });
    await indexedTo(db, last);
    expect(await readTables(db)).toEqual(expected);
    expect(bucket.requested.length).toBeGreaterThan(lowest / 2);
  });

  test('and later events follow from the node', async () => {
    const indexer = index();
    await indexedTo(db, last);
    await network.register(2);
    await indexedTo(db, await network.tip());
    await indexer.close();
    expect((await readTables(db)).events).toHaveLength(expected.events.length + 2);
    expect((await readPrunedTables()).events).toEqual(expected.events);
  });
});

describe('a source stops, and names the file and the digests', () => {
  test('if a file in the middle was changed; what came before it stays', async () => {
    const checkpoint = GrpcTypes.Checkpoint.fromBinary(zstdDecompressSync(files.get(60)!));
    checkpoint.transactions.at(-1)!.effects!.bcs!.value![40]! ^= 1;
    bucket.files.set(60, toFile(checkpoint));
    index();
    expect(await readStopReason()).toMatch(
      /^60\.binpb\.zst of 127\.0\.0\.1:\d+: the effects of transaction \d has digest \w+, and the checkpoint names \w+/,
    );
    expect((await sourceRow(db))?.checkpoint).toBe(59);
  });

  test('before it reads anything from the bucket of another chain', async () => {
    const other = await startRegistryNetwork();
    onTestFinished(() => other.close());
    const tip = await other.tip();
    const one = toFile(await readCheckpoint(other.client, tip));
    for (const sequence of files.keys()) bucket.files.set(sequence, one);
    index();
    expect(await readStopReason()).toMatch(/\.binpb\.zst of .*: it contains checkpoint/);
    expect((await sourceRow(db))?.event_count).toBe(0);
  });

  test('if the node gives another digest for the seam', async () => {
    const fork: LocalNode = await network.localnet.openNode();
    fork.misbehaviour.set({ fork: { from: 0 } });
    index({ rpcUrl: fork.rpcUrl, checkpointsUrl: bucket.url });
    expect(await readStopReason()).toMatch(/has digest \w+ for checkpoint \d+, and the node gives \w+\./);
    expect((await sourceRow(db))?.event_count).toBe(0);
  });

  test('if neither an archive nor a bucket is set, with both settings', async () => {
    index({});
    expect(await readStopReason()).toMatch(/Set SUI_TESTNET_ARCHIVE_URL .* or SUI_TESTNET_CHECKPOINTS_URL/);
  });
});
