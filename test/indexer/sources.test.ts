import { beforeEach, expect, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { createTestDatabase, indexedTo, sourceRow } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { generateMarket } from '../support/frames/market/generate.ts';
import { expectedMarket } from '../support/frames/market/oracle.ts';
import { type MarketTables, readMarket } from '../support/frames/market/tables.ts';
import { usageTables } from '../support/frames/market/usage-oracle.ts';
import type { FrameNodeOptions } from '../support/frames/node.ts';
import { marketPackages, marketSources, settingsFor } from '../support/frames/packages.ts';
import { runFrameNode, runIndexer } from '../support/run-indexer.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

const startNode = (options: FrameNodeOptions) => runFrameNode({ pageMax: 300, ...options });

const index = (url: string, packages: Partial<NetworkSettings> = marketPackages) =>
  runIndexer({ db, networks: [settingsFor(url, packages)], batchMax: 700, idleMs: 5_000 });

const hourMs = 3_600_000;

const caughtUp = (checkpoint: number) => indexedTo(db, checkpoint, marketSources);

test('usage equals an independent count over the raw events of 10,000 random actions', async () => {
  const chain = generateMarket({
    seed: 5,
    transactions: 10_600,
    size: 30,
    actions: 0.95,
    checkpointMs: hourMs / 4,
  });
  const expected = pickUsageTables(expectedMarket(chain));
  expect(expected.service_actions!.length).toBeGreaterThan(10_000);
  const days = new Set(expected.service_days!.map(({ day }) => day));
  expect(days.size).toBeGreaterThan(20);
  const half = chain.transactions[5_000]!.checkpoint;
  const node = await startNode({ chain, tip: half });
  index(node.url, { walletPackageId: marketPackages.walletPackageId });
  await indexedTo(db, half, ['wallet']);
  // The second half arrives live, in many small batches.
  for (let checkpoint = half; checkpoint < chain.last; checkpoint += 400) {
    node.advance(checkpoint);
    await new Promise((resolve) => setImmediate(resolve));
  }
  node.advance(chain.last);
  await indexedTo(db, chain.last, ['wallet']);
  expect(pickUsageTables(await readMarket(db))).toEqual(expected);
});

const pickUsageTables = (tables: MarketTables) =>
  Object.fromEntries(usageTables.map((name) => [name, tables[name]]));

test('a source that is added reads its own history and leaves the others alone; removed, it says so and stays', async () => {
  const chain = generateMarket({ seed: 6, transactions: 400 });
  const half = chain.transactions[200]!.checkpoint;
  const node = await startNode({ chain, tip: half });
  const first = index(node.url, {});
  await indexedTo(db, half);
  await first.close();
  const registry = await sourceRow(db);
  expect(await sourceRow(db, 'wallet')).toBeUndefined();

  const second = index(node.url);
  await caughtUp(half);
  const { event_count, checkpoint } = (await sourceRow(db))!;
  expect({ event_count, checkpoint }).toMatchObject({
    event_count: registry?.event_count,
    checkpoint: registry?.checkpoint,
  });
  node.advance(chain.last);
  await caughtUp(chain.last);
  expect(await readMarket(db)).toEqual(expectedMarket(chain));
  expect(await sourceRow(db, 'wallet')).toMatchObject({ removed_at: null });
  await second.close();

  const { walletPackageId: _, ...withoutWallet } = marketPackages;
  const third = index(node.url, withoutWallet);
  await eventually(async () => {
    expect(await sourceRow(db, 'wallet')).toMatchObject({ removed_at: expect.any(Date) });
  });
  expect(await sourceRow(db, 'agents')).toMatchObject({ removed_at: null });
  expect(await readMarket(db)).toEqual(expectedMarket(chain));
  await third.close();

  index(node.url);
  await eventually(async () => expect(await sourceRow(db, 'wallet')).toMatchObject({ removed_at: null }));
});

test('packages that append nothing to their events fill what they can, and leave the rest open', async () => {
  const chain = generateMarket({ seed: 8, transactions: 300, short: 1, oddities: 0 });
  const node = await startNode({ chain, tip: chain.last });
  index(node.url);
  await caughtUp(chain.last);
  const tables = await readMarket(db);
  expect(tables).toEqual(expectedMarket(chain));
  expect(tables.service_grants.some(({ allowance }) => allowance === null)).toBe(true);
  expect(tables.caps.length).toBeGreaterThan(0);
  expect(tables.caps.every(({ recipient }) => recipient === null)).toBe(true);
  expect(tables.jobs.some(({ coin }) => coin === null)).toBe(true);
  expect(await sourceRow(db, 'wallet')).toMatchObject({ undecoded_count: 0 });
});

test('a source whose package lacks its modules stops and names the setting, and the others go on', async () => {
  const chain = generateMarket({ seed: 9, transactions: 50 });
  const node = await startNode({ chain, tip: chain.last });
  index(node.url, { ...marketPackages, walletPackageId: marketPackages.agentsPackageId });
  await eventually(async () => expect((await sourceRow(db, 'wallet'))?.stopped_at).toBeInstanceOf(Date));
  expect((await sourceRow(db, 'wallet'))?.last_error).toMatch(
    /TESTNET_WALLET_PACKAGE_ID: package 0x.* has none of the modules wallet, delegate/,
  );
  await indexedTo(db, chain.last, ['registry', 'rules', 'agents', 'escrow']);
});
