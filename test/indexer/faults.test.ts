import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { createTestDatabase, indexedTo, sourceRow } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { generateChain } from '../support/frames/chain.ts';
import type { Faults, FrameNodeOptions } from '../support/frames/node.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { expectedTables, readTables } from '../support/frames/registry-oracle.ts';
import { runFrameNode, runIndexer } from '../support/run-indexer.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

const chain = generateChain({ seed: 11, events: 600 });
const expected = expectedTables(chain);
const half = chain.transactions[Math.floor(chain.transactions.length / 2)]!.checkpoint;

const startNode = (options: Partial<FrameNodeOptions> = {}) =>
  runFrameNode({ chain, tip: chain.last + 3, pageMax: 50, ...options });

const index = (url: string, more: Partial<NetworkSettings> = {}) =>
  runIndexer({ db, networks: [settingsFor(url, more)], batchMax: 100, idleMs: 400 });

async function lastError(): Promise<string> {
  let message = '';
  await eventually(async () => {
    message = (await sourceRow(db))?.last_error ?? '';
    expect(message).not.toBe('');
  });
  return message;
}

test('nothing is lost or doubled between history and what arrives while it is read', async () => {
  const node = await startNode({ tip: half });
  index(node.url);
  // The chain grows while history is read, during the handover, and after it.
  for (let checkpoint = half; checkpoint < chain.last; checkpoint += 7) {
    node.advance(checkpoint);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await indexedTo(db, half);
  node.advance(chain.last);
  await indexedTo(db, chain.last);
  expect(await readTables(db)).toEqual(expected);
});

describe('a node that misbehaves leads to the same tables', () => {
  const cases: Record<string, Partial<Faults>> = {
    'breaks its streams off': { dropAfter: [1, 30, 5, 49, 0, 200, 3, 20] },
    'falls silent': { stallAfter: [1, 3, 10, 40] },
    'answers UNAVAILABLE': { unavailableCalls: 3, dropAfter: [10] },
    'has no list index': { listIndex: 'disabled' },
    'is too old to list': { listIndex: 'unimplemented', dropAfter: [100] },
  };
  test.each(Object.entries(cases))('it %s', async (_, faults) => {
    const node = await startNode({ tip: half, faults });
    index(node.url);
    await indexedTo(db, half);
    for (let checkpoint = half; checkpoint <= chain.last; checkpoint += 40) {
      node.advance(checkpoint);
      await indexedTo(db, checkpoint);
    }
    node.advance(chain.last);
    await indexedTo(db, chain.last);
    expect(await readTables(db)).toEqual(expected);
  });

  test('its list index lags behind its subscription', async () => {
    const node = await startNode({ faults: { listTip: half } });
    index(node.url);
    await eventually(async () => expect((await sourceRow(db))?.checkpoint).toBe(half));
    node.faults.listTip = chain.last;
    node.advance(chain.last + 4);
    await eventually(async () => expect(node.calls.listTransactions).toBeGreaterThan(4));
    node.faults.listTip = undefined;
    await indexedTo(db, chain.last);
    expect(await readTables(db)).toEqual(expected);
  });
});

describe('a source stops, and says what to do', () => {
  const stopped = async () => {
    const message = await lastError();
    expect((await sourceRow(db))?.stopped_at).toBeInstanceOf(Date);
    return message;
  };

  test('when the node has pruned what comes next', async () => {
    const node = await startNode({ faults: { lowestAvailable: half } });
    index(node.url);
    expect(await stopped()).toMatch(/no longer keeps checkpoint 3.*Set SUI_TESTNET_ARCHIVE_URL/);
    expect((await readTables(db)).events).toEqual([]);
  });

  test('until it runs again, which is then no longer told', async () => {
    const node = await startNode({ faults: { lowestAvailable: half } });
    const first = index(node.url);
    await stopped();
    await first.close();
    node.faults.lowestAvailable = 0;
    index(node.url);
    await indexedTo(db, chain.last);
    expect(await sourceRow(db)).toMatchObject({ last_error: null, stopped_at: null });
  });

  test('when the node belongs to another chain than the database', async () => {
    const node = await startNode();
    await index(node.url).close();
    const first = index(node.url);
    await indexedTo(db, chain.last);
    await first.close();
    const other = await startNode({ chain: { ...chain, chainId: 'AnotherChain' } });
    index(other.url);
    expect(await stopped()).toMatch(/holds testnet of chain .* serves chain AnotherChain/);
    expect(await readTables(db)).toEqual(expected);
  });

  test('when it is set to other packages than it was filled with', async () => {
    const node = await startNode();
    const first = index(node.url);
    await indexedTo(db, chain.last);
    await first.close();
    index(node.url, { registryPackageId: `0x${'c3'.repeat(32)}` });
    expect(await stopped()).toMatch(/was filled with events of 0xa1a1.*::registry.*now set to 0xc3c3/);
  });
});

test('a source that is being retried has not stopped', async () => {
  const node = await startNode({ faults: { unavailableCalls: 1_000 } });
  index(node.url);
  expect(await lastError()).toMatch(/UNAVAILABLE/);
  expect((await sourceRow(db))?.stopped_at).toBeNull();
});

test('what a node says with its error reaches the public without tokens and without more of a url than its host', async () => {
  const message = 'upstream https://user:pw@rpc.test/v2/KEY?apikey=abc refused x-token: s3cretToken';
  const node = await startNode({ faults: { unavailableCalls: 1_000, unavailableMessage: message } });
  index(node.url, { rpcToken: 's3cretToken' });
  expect(await lastError()).toBe('UNAVAILABLE: upstream https://rpc.test/… refused x-token: [masked]');
});

test('what the node has pruned is read from the archive, up to where the node takes over', async () => {
  const archive = await startNode({ provider: 'archive' });
  const node = await startNode({ tip: half + 50, faults: { lowestAvailable: half } });
  index(node.url, { archiveUrl: archive.url });
  await indexedTo(db, half + 50);
  node.advance(chain.last);
  await indexedTo(db, chain.last);
  expect(await readTables(db)).toEqual(expected);
  expect((await sourceRow(db))?.cursor_provider).toBe(node.url);
});

describe('a node without list indexes that is far behind', () => {
  const tip = 30_000;

  test('is not scanned for what an archive lists', async () => {
    // Seconds behind, as archives are.
    const archive = await startNode({ provider: 'archive', tip: tip - 100 });
    const node = await startNode({ tip, faults: { listIndex: 'disabled' } });
    index(node.url, { archiveUrl: archive.url });
    await indexedTo(db, tip);
    expect(await readTables(db)).toEqual(expected);
    expect(node.calls.getCheckpoint).toBeLessThan(5_200);
    expect((await sourceRow(db))?.cursor_provider).toBe(node.url);
  });

  /** Indexes from a node, and returns the warnings of the log. */
  function collectWarnings(url: string, more: Partial<NetworkSettings> = {}): string[] {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    runIndexer({ db, networks: [settingsFor(url, more)], log });
    return lines;
  }

  const longScan = /199,99\d checkpoints are read one by one.*SUI_TESTNET_ARCHIVE_URL/;

  test('is scanned without an archive, and the log says what to set', async () => {
    const node = await startNode({ tip: 200_000, faults: { listIndex: 'disabled' } });
    const lines = collectWarnings(node.url);
    await eventually(async () => expect(lines).toContainEqual(expect.stringMatching(longScan)));
  });

  test('is scanned with an archive that lists nothing either, and the log says so', async () => {
    const faults: Partial<Faults> = { listIndex: 'disabled' };
    const [archive, node] = await Promise.all([
      startNode({ provider: 'archive', tip: 200_000, faults }),
      startNode({ tip: 200_000, faults }),
    ]);
    const lines = collectWarnings(node.url, { archiveUrl: archive.url });
    await eventually(async () => expect(lines).toContainEqual(expect.stringMatching(longScan)));
    expect(lines.join()).toContain(`The archive ${new URL(archive.url).host} does not list`);
  });

  test('the log names an archive without list indexes, though the node has them', async () => {
    const archive = await startNode({
      provider: 'archive',
      tip: 300_000,
      faults: { listIndex: 'unimplemented' },
    });
    const node = await startNode({ tip: 300_000, faults: { lowestAvailable: 200_000 } });
    const lines = collectWarnings(node.url, { archiveUrl: archive.url });
    await eventually(async () => expect(lines).toContainEqual(expect.stringMatching(longScan)));
    expect(lines.join()).toContain(`The archive ${new URL(archive.url).host} does not list`);
  });
});

test('an archive that leaves out the transactions of its checkpoints is noticed, and nothing is passed over', async () => {
  const faults: Partial<Faults> = { listIndex: 'unimplemented', bareCheckpoints: true };
  const archive = await startNode({ provider: 'archive', faults });
  const node = await startNode({ faults: { lowestAvailable: half } });
  index(node.url, { archiveUrl: archive.url });
  expect(await lastError()).toMatch(/gave 0 of the \d+ transactions of checkpoint \d+/);
  expect((await readTables(db)).events).toEqual([]);
  archive.faults.bareCheckpoints = false;
  await indexedTo(db, chain.last);
  expect(await readTables(db)).toEqual(expected);
});

test('another provider goes on by checkpoint, since it does not know the cursor', async () => {
  const first = await startNode({ tip: half, provider: 'a' });
  const indexer = index(first.url);
  await indexedTo(db, half);
  await indexer.close();
  const second = await startNode({ provider: 'b' });
  index(second.url);
  await indexedTo(db, chain.last);
  expect(await readTables(db)).toEqual(expected);
});

test('two indexers at once commit each event once, and the other takes over when one ends', async () => {
  const node = await startNode({ tip: half });
  const indexers = [index(node.url), index(node.url)];
  await indexedTo(db, half);
  await indexers[0]!.close();
  node.advance(chain.last);
  await indexedTo(db, chain.last);
  expect(await readTables(db)).toEqual(expected);
});
