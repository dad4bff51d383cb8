import { beforeEach, expect, test } from 'vitest';
import type { CanaryOutcome, CanaryState } from '../../../lib/canaries/judge.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import {
  computeCheckpointTime,
  readModelBuilder,
  type SeededListing,
} from '../../../test/support/read-model.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { refreshEntries } from '../catalog/maintain.ts';
import { lockCatalog } from '../catalog/revision.ts';
import { beginTurns } from '../turns.ts';
import { readDueCanaries, readDueCanary, readPastCoins, reserveSimulation } from './due.ts';
import { type CanaryResult, canaryDaysMax, pruneCanaries, recordCanary } from './record.ts';

const network = 'testnet';
const db = useTestDatabase();
beforeEach(async () => {
  await db.pool.query(
    `truncate listings, listing_versions, manifests, manifest_fetches, catalog_entries, catalog_state, canaries, canary_ops,
      canary_days, canary_paces, service_actions, service_events, wallets, coins, events`,
  );
});

const outcome = (failure: string | null): CanaryOutcome => ({
  amount: '1',
  failure,
  gas: '1',
  coinIn: null,
  coinOut: null,
  taken: '0',
  brought: '0',
});
const result = (op: string, state: CanaryState, formerState?: CanaryState): CanaryResult => ({
  op,
  position: 0,
  state,
  formerState,
  everWorked: true,
  untried: null,
  runs: [1, 2, 3, 4].map((at) => ({
    at,
    checkpoint: at,
    version: 1,
    outcomes: [outcome(null), outcome(state === 'up' ? null : 'EPaused')],
  })),
});
const untried = (op: string): CanaryResult => ({
  ...result(op, 'unproven'),
  everWorked: false,
  runs: [],
  untried: 'It needs a value that only its caller knows.',
});

const readDue = async () =>
  (await readDueCanaries(db.pool, { network, limit: 10, turns: beginTurns() })).rows;
const makeDue = () => db.pool.query('update canaries set next_check_at = now(), check_ready = true');
const readOps = async () =>
  (await db.pool.query('select op, state, untried, tried_at, runs from canary_ops order by op')).rows;
const readDays = async () =>
  (await db.pool.query('select op, worked, failed from canary_days order by op, day')).rows;
const readEvents = async () =>
  (await db.pool.query('select name, service_type, publisher, data from service_events order by number'))
    .rows;

const refresh = (listing: SeededListing) =>
  inTransaction(db.pool, async (client) =>
    refreshEntries(client, await lockCatalog(client, network), [listing]),
  );
const change = async (listing: SeededListing, columns: string) => {
  await db.pool.query(`update listings set ${columns} where service_type = $1`, [listing.serviceType]);
  await refresh(listing);
};

test('an entry is due once its publisher is verified, at once after an update, and not while the catalog lacks it', async () => {
  const build = readModelBuilder(db);
  const listed = await build.listing();
  await build.listing({
    serviceType: `0x${'9'.repeat(64)}::a::A`,
    row: { publisherCheck: 'unverified' },
  });
  const { serviceType, publisher } = listed;
  expect(await readDue()).toEqual([{ serviceType, publisher, version: 1 }]);
  await recordCanary(db.pool, { ...listed, version: 1 }, [result('m::f', 'up')], 600);
  await refresh(listed);
  expect(await readDue()).toEqual([]);
  await change(listed, 'version = 2');
  expect(await readDue()).toEqual([{ serviceType, publisher, version: 2 }]);
  await change(listed, 'listed = false');
  expect(await readDue()).toEqual([]);
  await change(listed, 'listed = true');
  expect(await readDue()).toEqual([{ serviceType, publisher, version: 2 }]);
  await change(listed, "publisher_check = 'unverified'");
  expect(await readDue()).toEqual([]);
});

test('simulations are stored once, and not for a version that the catalog no longer shows', async () => {
  const listed = await readModelBuilder(db).listing();
  const key = { ...listed, version: 1 };
  await recordCanary(db.pool, { ...key, version: 2 }, [result('m::f', 'down', 'up')], 600);
  expect(await readOps()).toEqual([]);
  expect(await readDueCanary(db.pool, listed)).toMatchObject({ version: 1 });
  await recordCanary(db.pool, key, [result('m::f', 'degraded', 'up')], 600);
  // Another process has simulated the same.
  await recordCanary(db.pool, key, [result('m::f', 'down', 'up')], 600);
  expect(await readOps()).toMatchObject([
    { op: 'm::f', state: 'degraded', runs: [{ at: 2 }, {}, { at: 4 }] },
  ]);
  expect(await readDays()).toEqual([{ op: 'm::f', worked: 1, failed: 1 }]);
  expect(await readEvents()).toHaveLength(1);
  expect(await readDueCanary(db.pool, listed)).toBeUndefined();
});

test('subscribers hear what became worse and what works again, one event of each kind for an entry', async () => {
  const listed = await readModelBuilder(db).listing();
  const results = [
    result('m::a', 'down', 'up'),
    result('m::b', 'degraded', 'up'),
    result('m::c', 'up', 'down'),
    result('m::d', 'degraded', 'down'),
    result('m::e', 'up', 'up'),
    result('m::f', 'up'),
    result('m::g', 'down', 'unproven'),
    untried('m::h'),
  ];
  await recordCanary(db.pool, { ...listed, version: 1 }, results, 600);
  const { serviceType: service_type, publisher } = listed;
  expect(await readEvents()).toEqual([
    {
      name: 'Degraded',
      service_type,
      publisher,
      data: {
        ops: [
          { op: 'm::a', state: 'down', failure: 'EPaused' },
          { op: 'm::b', state: 'degraded', failure: 'EPaused' },
        ],
      },
    },
    {
      name: 'Recovered',
      service_type,
      publisher,
      data: { ops: [{ op: 'm::c', state: 'up', failure: null }] },
    },
  ]);
});

test('an op keeps the time of its state and of its last run, and goes with the manifest that has it no longer', async () => {
  const listed = await readModelBuilder(db).listing();
  const key = { ...listed, version: 1 };
  const record = async (...results: CanaryResult[]) => {
    await makeDue();
    await recordCanary(db.pool, key, results, 600);
    return (await db.orm.select().from(tables.canaryOps)).toSorted((a, b) => (a.op < b.op ? -1 : 1));
  };
  const [first] = await record(result('m::f', 'up'), untried('m::g'));
  const [same, other] = await record({ ...result('m::f', 'up'), untried: 'No holder.' }, untried('m::g'));
  expect(same).toMatchObject({ since: first!.since, triedAt: first!.triedAt, untried: 'No holder.' });
  expect(other).toMatchObject({ triedAt: null });
  const changed = await record(result('m::f', 'down'));
  expect(changed).toMatchObject([{ op: 'm::f', state: 'down' }]);
  expect(changed[0]!.since.getTime()).toBeGreaterThan(first!.since.getTime());
  expect(await readDays()).toEqual([{ op: 'm::f', worked: 3, failed: 1 }]);
});

const readShown = async () =>
  (
    await db.pool.query<{ state: CanaryState | null; since: Date | null; revision: number }>(
      'select canary_state as state, canary_since as since, revision from catalog_entries',
    )
  ).rows[0]!;

test('the catalog has the state of an entry with its ops, a new revision when it changes, and none when it stays', async () => {
  const listed = await readModelBuilder(db).listing();
  const key = { ...listed, version: 1 };
  const record = async (...results: CanaryResult[]) => {
    await makeDue();
    await recordCanary(db.pool, key, results, 600);
    return await readShown();
  };
  const before = await readShown();
  expect(before).toMatchObject({ state: null, since: null });
  const up = await record(result('m::a', 'up'), untried('m::b'));
  expect(up).toMatchObject({ state: 'up', since: expect.any(Date), revision: before.revision + 1 });
  expect(await record(result('m::a', 'up', 'up'), result('m::b', 'up'))).toEqual(up);
  const degraded = await record(result('m::a', 'up', 'up'), result('m::b', 'down', 'up'));
  expect(degraded).toMatchObject({ state: 'degraded', revision: up.revision + 1 });
  expect(degraded.since!.getTime()).toBeGreaterThan(up.since!.getTime());
  const { rows } = await db.pool.query('select version from catalog_state');
  expect(rows).toEqual([{ version: degraded.revision }]);
  // Another version is simulated at once. Until then the state is that of the one before.
  await change(listed, 'version = 2');
  expect(await readShown()).toMatchObject({ state: 'degraded', since: degraded.since });
  await recordCanary(db.pool, { ...listed, version: 2 }, [], 600);
  expect(await readShown()).toMatchObject({ state: null, since: null });
});

test('the state goes with the simulations: when the publisher is no longer verified, and when the entry leaves', async () => {
  const listed = await readModelBuilder(db).listing();
  for (const [columns, back] of [
    ["publisher_check = 'unverified'", "publisher_check = 'verified'"],
    ['listed = false', 'listed = true'],
  ] as const) {
    await recordCanary(db.pool, { ...listed, version: 1 }, [result('m::f', 'up')], 600);
    expect(await readShown()).toMatchObject({ state: 'up' });
    await change(listed, columns);
    await change(listed, back);
    expect(await readShown()).toMatchObject({ state: null, since: null });
  }
});

test('a change of state waits for a writer of the catalog, and neither is aborted', async () => {
  const listed = await readModelBuilder(db).listing();
  const states = ['up', 'down'] as const;
  for (let nth = 0; nth < 20; nth++) {
    await makeDue();
    const results = [result('m::f', states[nth % 2]!)];
    await Promise.all([
      recordCanary(db.pool, { ...listed, version: nth + 1 }, results, 600),
      change(listed, `version = ${nth + 2}`),
    ]);
    expect((await readShown()).state ?? 'up').toMatch(/up|down/);
  }
});

test('counts stay for 90 days', async () => {
  const day = (ago: number) =>
    db.pool.query(
      `insert into canary_days (network, service_type, publisher, op, day, worked, failed)
        values ($1, 's', 'p', 'm::f', (now() at time zone 'utc')::date - $2::int, $2, 0)`,
      [network, ago],
    );
  for (const ago of [0, canaryDaysMax - 1, canaryDaysMax, 400]) await day(ago);
  expect(await pruneCanaries(db.pool, network)).toBe(false);
  expect((await readDays()).map(({ worked }) => worked)).toEqual([canaryDaysMax - 1, 0]);
});

test('processes share one rate of simulations: each one waits for those before it', async () => {
  const perSecond = 0.01;
  const waits = await Promise.all(
    Array.from({ length: 5 }, () => reserveSimulation(db.pool, network, perSecond)),
  );
  const seconds = waits.map((ms) => Math.round(ms / 1_000)).toSorted((a, b) => a - b);
  expect(seconds[0]).toBe(0);
  for (const [nth, wait] of seconds.entries()) {
    expect(wait).toBeLessThanOrEqual(nth * 100);
    expect(wait).toBeGreaterThan(nth * 100 - 60);
  }
  expect(await reserveSimulation(db.pool, 'mainnet', perSecond)).toBe(0);
});

test('past use names coins by their number of actions, amounts of owners and delegates, and the latest wallets that are not paused', async () => {
  const serviceType = `0x${'1'.repeat(64)}::a::A`;
  const rows = Array.from({ length: 1_005 }, (_, at) => ({
    network,
    serviceType,
    walletId: `w${at % 10}`,
    checkpoint: at,
    txIndex: 0,
    eventIndex: 0,
    signedBy: at === 1_003 ? null : ('owner' as const),
    actors: [],
    timestamp: computeCheckpointTime(at),
    ...(at < 3
      ? { coins: ['old'], taken: ['1'], brought: ['0'] }
      : {
          coins: at % 2 ? ['a'] : ['a', 'b'],
          taken: ['7', '0'].slice(at % 2),
          brought: ['0', '5'].slice(at % 2),
        }),
  }));
  for (const row of rows) if (row.coins.length === 1) [row.taken, row.brought] = [['7'], ['0']];
  await db.orm.insert(tables.serviceActions).values(rows);
  const created = { createdAt: new Date(), createdCheckpoint: 1, createdTxIndex: 0, createdEventIndex: 0 };
  const walletIds = Array.from({ length: 10 }, (_, at) => `w${at}`);
  await db.orm.insert(tables.wallets).values(
    walletIds.map((walletId) => ({
      network,
      walletId,
      owner: `of ${walletId}`,
      identity: '',
      paused: walletId === 'w9',
      ...created,
    })),
  );
  await db.orm.insert(tables.coins).values({ network, coinType: 'a', state: 'found', decimals: 6 });
  const [a, b, ...others] = await readPastCoins(db.pool, network, serviceType);
  expect(others).toEqual([]);
  expect(a).toMatchObject({ coinType: 'a', decimals: 6, brought: [] });
  expect(a!.taken).toEqual(Array<string>(1_000).fill('7'));
  expect(a!.wallets).toEqual(['w4', 'w2', 'w1', 'w0', 'w8', 'w7', 'w6', 'w5'].map(toHolder));
  expect(b).toMatchObject({ coinType: 'b', decimals: null, taken: [] });
  expect(new Set(b!.brought)).toEqual(new Set(['5']));
  expect(await readPastCoins(db.pool, 'mainnet', serviceType)).toEqual([]);
});

const toHolder = (walletId: string) => ({ walletId, owner: `of ${walletId}` });
