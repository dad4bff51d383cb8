import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import * as grpc from '@grpc/grpc-js';
import { normalizeStructTag } from '@mysten/sui/utils';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { recordCoins } from '../../../db/queries/catalog/coins.ts';
import { readCatalog } from '../../../db/queries/catalog/list.ts';
import { addCoins, addJobCoins, readCoins } from '../../../db/queries/coins.ts';
import * as tables from '../../../db/schema/index.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { providersFor } from '../../../test/support/providers.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createCoinQueue } from './coins.ts';

const network = 'testnet';
const coin = (n: number, name = 'COIN') => `${address(n)}::coin::${name}`;

let node: Awaited<ReturnType<typeof startNodeDouble>>;
/** The node's response for any coin. */
let answer: (coinType: string) => object | Promise<object>;
let asked: string[];

const db = useTestDatabase();
beforeAll(async () => {
  node = await startNodeDouble({
    getCoinInfo({ coinType }: { coinType: string }) {
      asked.push(coinType);
      return answer(coinType);
    },
  });
});
afterAll(async () => {
  node.close();
});
beforeEach(async () => {
  asked = [];
  answer = (coinType) => ({ coinType, metadata: { decimals: 6, symbol: 'USDC', name: 'USD Coin' } });
  await db.pool.query(`truncate coins, jobs, pictures, listings, listing_versions, manifests, manifest_fetches, events,
    catalog_entries, catalog_removals, catalog_state, op_tools, publisher_proofs`);
});

function openQueue() {
  const queue = createCoinQueue({
    db,
    settings: settingsFor(node.url),
    providers: providersFor(settingsFor(node.url)),
    metrics: createIndexerMetrics(new Registry()),
  });
  onTestFinished(() => queue.close());
  return queue;
}

/** A process that reads coins. */
const startReader = () => workOn(db, openQueue());

const add = (...coinTypes: string[]) =>
  db.orm.insert(tables.coins).values(coinTypes.map((coinType) => ({ network, coinType })));
const stored = () => db.orm.select().from(tables.coins).orderBy(tables.coins.coinType);
const makeDue = () => db.pool.query('update coins set next_check_at = now() where next_check_at is not null');

/** Checks a coin, and returns what is stored. */
async function checked(coinType: string) {
  const queue = openQueue();
  const slot = { isContended: false, free: () => undefined, moveTo: () => false };
  const check = await queue.current({ coinType, attempts: 0 });
  await queue.work(check!, slot);
  return (await stored()).find((row) => row.coinType === coinType)!;
}

test('every coin that is stored is read once, whatever it was stored by', async () => {
  await add(coin(1), coin(2), coin(3));
  startReader();
  await eventually(async () => {
    expect((await stored()).map(({ state }) => state)).toEqual(['found', 'found', 'found']);
    // The check ends in a later statement than the one that stores its result.
    expect((await stored())[0]).toMatchObject({
      symbol: 'USDC',
      decimals: 6,
      name: 'USD Coin',
      nextCheckAt: null,
      checkedAt: expect.any(Date),
    });
  });
  await add(coin(4));
  await eventually(async () => expect((await stored())[3]?.state).toBe('found'));
  expect(asked.toSorted()).toEqual([1, 2, 3, 4].map((n) => coin(n)));
  expect(
    await readCoins(
      db.pool,
      [coin(4), coin(5)].map((coinType) => ({ network, coinType })),
    ),
  ).toEqual([{ coinType: coin(4), symbol: 'USDC', decimals: 6, hasLogo: false }, null]);
});

test('a coin without metadata is asked for twice more, then rarely, and is found when it has some', async () => {
  answer = () => {
    throw new NodeRefusedError(grpc.status.NOT_FOUND, 'no such coin');
  };
  await add(coin(1));
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) {
    const before = Date.now();
    const row = await checked(coin(1));
    expect(row).toMatchObject({ state: 'absent', symbol: null, decimals: null, checkAttempts: attempt });
    waits.push((row.nextCheckAt!.getTime() - before) / 86_400_000);
    await makeDue();
  }
  expect(waits.map((days) => days > 20)).toEqual([false, false, true, true]);
  answer = (coinType) => ({ coinType });
  expect(await checked(coin(1))).toMatchObject({ state: 'absent' });
  await makeDue();
  answer = (coinType) => ({ coinType, metadata: { decimals: 0, symbol: 'NEW' } });
  expect(await checked(coin(1))).toMatchObject({
    state: 'found',
    symbol: 'NEW',
    decimals: 0,
    nextCheckAt: null,
  });
});

test('a node that cannot answer is asked again, for ever less often, and what was known stays', async () => {
  answer = () => {
    throw new NodeRefusedError(grpc.status.UNAVAILABLE, 'restarting');
  };
  await add(coin(1));
  expect(await checked(coin(1))).toMatchObject({ state: 'pending', checkedAt: null, checkAttempts: 1 });
  await db.pool.query("update coins set state = 'absent', check_attempts = 100, next_check_at = now()");
  const row = await checked(coin(1));
  expect(row).toMatchObject({ state: 'absent', checkAttempts: 101 });
  expect(row.nextCheckAt!.getTime()).toBeGreaterThan(Date.now());
});

test("a stranger's words are bounded and plain, and stop nothing", async () => {
  const [long, none, turned] = [coin(1), coin(2), coin(3)];
  const words: Record<string, object> = {
    [long]: { decimals: 255, symbol: 'S'.repeat(100_000), name: 'N'.repeat(1_000_000) },
    [none]: { decimals: 256, symbol: 'X', name: 'X' },
    [turned]: { decimals: 9, symbol: 'SUI\u202e', name: 'Sui\0\u202e\nofficial' },
  };
  answer = (coinType) => ({ coinType, metadata: words[coinType] });
  await add(long, none, turned);
  startReader();
  await eventually(async () => {
    expect(await stored()).toMatchObject([
      { state: 'found', symbol: 'COIN', decimals: 255, name: 'N'.repeat(64) },
      { state: 'absent', symbol: null, decimals: null, name: null },
      { state: 'found', symbol: 'COIN', decimals: 9, name: 'Sui official' },
    ]);
  });
});

test('however many coins one package has, they do not hold up the coin of another', async () => {
  const flood = Array.from({ length: 600 }, (_, n) => coin(1, `C${n}`));
  await add(...flood);
  await add(coin(2));
  const { waiting } = await openQueue().partitions[0]!.due(500);
  expect(waiting).toHaveLength(500);
  const nth = waiting.findIndex(({ job }) => job.coinType === coin(2));
  expect(nth).toBeGreaterThanOrEqual(0);
  expect(nth).toBeLessThanOrEqual(1);

  // The node does not answer for the coins of this package. The other package has slots of its own.
  const stuck = Promise.withResolvers<object>();
  onTestFinished(() => stuck.resolve({}));
  answer = (coinType) => (coinType === coin(2) ? { metadata: { decimals: 2 } } : stuck.promise);
  startReader();
  await eventually(async () => {
    expect(await readCoins(db.pool, [{ network, coinType: coin(2) }])).toMatchObject([{ decimals: 2 }]);
    expect(asked.filter((coinType) => coinType !== coin(2))).toHaveLength(2);
  });
  stuck.resolve({});
});

test('a process that dies while it reads a coin leaves it to the others, and two of them share the work', async () => {
  await add(coin(1));
  const [reached, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
  onTestFinished(() => stuck.resolve({}));
  answer = () => {
    reached.resolve();
    return stuck.promise;
  };
  const one = startReader();
  await reached.promise;
  const other = startReader();
  // Nothing but its connection holds the first one's claim.
  const [first] = (
    await db.pool.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
  ).rows;
  answer = (coinType) => ({ coinType, metadata: { decimals: 3 } });
  expect(asked).toEqual([coin(1)]);
  await db.pool.query('select pg_terminate_backend($1)', [first!.pid]);
  await eventually(async () => expect(await stored()).toMatchObject([{ state: 'found', decimals: 3 }]));
  expect(asked).toEqual([coin(1), coin(1)]);

  // The late answer of the first replaces nothing.
  stuck.resolve({});
  const many = Array.from({ length: 200 }, (_, n) => coin(10 + n));
  await add(...many);
  await eventually(async () => {
    expect((await stored()).filter(({ state }) => state === 'found')).toHaveLength(201);
  });
  expect(asked).toHaveLength(202);
  await Promise.all([one.end(), other.end()]);
  expect((await stored())[0]).toMatchObject({ state: 'found', decimals: 3 });
});

test('a coin of wallets and of paid jobs is stored once', async () => {
  const rows = walletRows(db);
  const jobs = [
    await rows.job('0xb', { coin: coin(1), state: 0 }),
    await rows.job('0xb', { coin: coin(2), state: 1 }),
    await rows.job('0xb', { coin: coin(2), state: 4 }),
    await rows.job('0xb', { coin: null, state: 3 }),
  ];
  await inTransaction(db.pool, async (client) => {
    await addCoins(client, network, new Set([coin(4), coin(2)]));
    await addJobCoins(
      client,
      network,
      jobs.map((jobId) => ({ jobId })),
    );
  });
  expect((await stored()).map(({ coinType }) => coinType)).toEqual([2, 4].map((n) => coin(n)));
});

test('a coin that only a manifest names is read as soon as the publisher is verified, in whatever spelling', async () => {
  const builder = readModelBuilder(db);
  const isRead = (n: number) =>
    eventually(async () =>
      expect(await readCoins(db.pool, [{ network, coinType: coin(n) }])).toMatchObject([{ symbol: 'USDC' }]),
    );
  const long = `0x2::a::${'L'.repeat(900)}<0x2::sui::SUI>`;
  await builder.listing({
    manifest: { name: 'Lagoon', supportedCoins: [coin(1), '0x1::coin::COIN', '*', long] },
  });
  await builder.listing({
    manifest: { name: 'Stranger', supportedCoins: [coin(2)] },
    row: { publisherCheck: 'unverified' },
  });
  startReader();
  await isRead(1);
  expect(asked).toEqual([coin(1)]);
  await builder.listing({ manifest: { name: 'Reef', supportedCoins: ['0x3::coin::COIN'] } });
  await isRead(3);
  expect((await stored()).map(({ coinType }) => coinType)).toEqual([coin(1), coin(3)]);
});

describe('a search finds an entry by the symbol', () => {
  const list = (name: string, ...supportedCoins: string[]) =>
    readModelBuilder(db).listing({
      serviceType: `${address(0x100)}::a::${name}`,
      manifest: { name, supportedCoins },
    });
  const search = async (q: string) =>
    (await readCatalog(db.pool, { network, q })).entries.map(({ manifest }) => manifest.name);

  test.each([
    ['a coin that was found before', coin(1)],
    ['a coin in a short spelling', '0x1::coin::COIN'],
    ['a coin with a type argument in a short spelling', '0x1::coin::COIN<0x2::sui::SUI>'],
  ])('of %s', async (_, spelling) => {
    await add(normalizeStructTag(spelling));
    await checked(normalizeStructTag(spelling));
    await list('Lagoon', spelling);
    expect(await search('usdc')).toEqual(['Lagoon']);
  });

  test('of a coin that is found later, in each page of entries', async () => {
    await add(coin(1), coin(2));
    const builder = readModelBuilder(db);
    for (const n of [1, 2, 3]) {
      await builder.listing({
        manifest: { name: `Lagoon ${n}`, supportedCoins: [n === 2 ? '0x01::coin::COIN' : coin(1)] },
      });
    }
    await builder.listing({ manifest: { name: 'Reef', supportedCoins: [coin(2)] } });
    expect(await search('usdc')).toEqual([]);
    const found = { state: 'found', symbol: 'USDC', decimals: 6, name: null, iconUrl: null } as const;
    await recordCoins(
      db.pool,
      network,
      [{ coinType: coin(1), attempts: 1, ...found, retryAfterSeconds: null }],
      2,
    );
    expect((await search('usdc')).toSorted()).toEqual(['Lagoon 1', 'Lagoon 2', 'Lagoon 3']);
    expect((await stored())[0]).toMatchObject({ state: 'found', nextCheckAt: null });
  });

  test('of a coin whose process ended before it changed the entries', async () => {
    await add(coin(1));
    await list('Lagoon', coin(1));
    await db.pool.query("update coins set state = 'found', symbol = 'FIRST', decimals = 6");
    const respond = answer;
    answer = () => {
      throw new NodeRefusedError(grpc.status.UNAVAILABLE, 'restarting');
    };
    const later = await checked(coin(1));
    expect(later).toMatchObject({ state: 'found', symbol: 'FIRST', decimals: 6 });
    expect(later.nextCheckAt!.getTime()).toBeGreaterThan(Date.now());
    await makeDue();
    answer = respond;
    await checked(coin(1));
    expect(await search('first')).toEqual(['Lagoon']);
    expect((await stored())[0]).toMatchObject({ symbol: 'FIRST', nextCheckAt: null });
  });
});
