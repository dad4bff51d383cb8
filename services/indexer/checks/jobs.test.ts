import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import * as grpc from '@grpc/grpc-js';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as tables from '../../../db/schema/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { providersFor } from '../../../test/support/providers.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { Slots } from '../queue/slots.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createJobQueue } from './jobs.ts';

const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const escrow = id(0xe5);
const coin = `${id(0xc0)}::coin::COIN`;

let node: Awaited<ReturnType<typeof startNodeDouble>>;
let queue: ReturnType<typeof createJobQueue>;
/** The node's response for any object. */
let answer: () => object;

const db = useTestDatabase();
beforeAll(async () => {
  node = await startNodeDouble({ getObject: () => answer() });
  const settings = settingsFor(node.url);
  const metrics = createIndexerMetrics(new Registry());
  queue = createJobQueue({ db, settings, metrics, providers: providersFor(settings) });
});
afterAll(async () => {
  queue.close();
  node.close();
});
beforeEach(() => db.pool.query('truncate jobs, coins, provider_earnings'));

async function insertJob(row: Partial<typeof tables.jobs.$inferInsert> = {}): Promise<void> {
  await db.orm.insert(tables.jobs).values({
    network: 'testnet',
    jobId: id(1),
    walletId: id(2),
    provider: id(3),
    state: 0,
    assessorType: 'assessor',
    createdAt: new Date(),
    createdCheckpoint: 1,
    createdTxIndex: 0,
    createdEventIndex: 0,
    nextCheckAt: new Date(0),
    ...row,
  });
}

/** Performs the only due check. */
async function check(attempts = 1): Promise<void> {
  const slots = new Slots(1);
  const { waiting: due } = await queue.partitions[0]!.due(10);
  const [waiting, ...others] = due;
  expect([waiting?.job, others]).toEqual([{ jobId: id(1), attempts }, []]);
  expect(await queue.current(waiting!.job)).toEqual(waiting!.job);
  await queue.work(
    waiting!.job,
    slots.take([], () => undefined),
  );
  expect(await queue.current(waiting!.job)).toBeUndefined();
}

const readJob = async () => (await db.orm.select().from(tables.jobs))[0];

async function checked(row: Partial<typeof tables.jobs.$inferInsert> = {}) {
  await insertJob(row);
  await check((row.checkAttempts ?? 0) + 1);
  return await readJob();
}

const job = (objectType: string) => {
  const value = Buffer.from([1, 2, 0xbb, 4].map((n) => id(n).slice(2)).join(''), 'hex');
  return { object: { objectId: id(1), objectType, contents: { name: objectType, value } } };
};

test("a job whose events name neither coin nor payer takes them from its object's type and contents", async () => {
  answer = () => job(`${escrow}::job::Job<0xc0::coin::COIN>`);
  expect(await checked()).toMatchObject({ coin, payer: id(0xbb), checkError: null, nextCheckAt: null });
});

describe('a hirer that a check finds after the release', () => {
  const sui = `${id(2)}::sui::SUI`;
  const released = { state: 3, amount: '7', releasedAt: new Date() };
  const readHire = async () => {
    const agents = await db.pool.query('select completed_jobs, hirers, rank > 0 as "isRanked" from agents');
    const payments = await db.pool.query('select owner, recipient, paid from owner_payments');
    return { agents: agents.rows, payments: payments.rows };
  };
  beforeEach(async () => {
    await db.pool.query('truncate agents, rank_credits, ranks, owner_payments, owners_due');
    await walletRows(db).agent('Amy', { agent: id(3) });
    await db.pool.query('update agents set completed_jobs = 1');
    answer = () => job(`${escrow}::job::Job<${sui}>`);
  });

  test('counts for the rank of the agent and with what it paid, and adds no completed job', async () => {
    await checked(released);
    expect(await readHire()).toEqual({
      agents: [{ completed_jobs: 1, hirers: 1, isRanked: true }],
      payments: [{ owner: id(0xbb), recipient: id(3), paid: '7' }],
    });
  });

  test.each([
    ['if the agent judged the job itself', { ...released, assessor: id(3) }],
    ['before the release', { ...released, state: 2, releasedAt: null }],
    ['if an event had named it already', { ...released, payer: id(0xaa) }],
  ])('does not count %s', async (_, row) => {
    await checked(row);
    expect(await readHire()).toEqual({
      agents: [{ completed_jobs: 1, hirers: 0, isRanked: false }],
      payments: [],
    });
  });
});

test('the earnings from a job move to its coin as soon as it is known', async () => {
  await db.pool.query(
    `insert into provider_earnings (network, provider, coin, jobs, amount) values ('testnet', $1, null, 3, 20)`,
    [id(3)],
  );
  answer = () => job(`${escrow}::job::Job<${coin}>`);
  await checked({ state: 3, amount: '7', payer: id(4), releasedAt: new Date(1_000) });
  const { rows } = await db.pool.query('select coin, jobs, amount from provider_earnings order by coin');
  expect(rows).toEqual([
    { coin, jobs: 1, amount: '7' },
    { coin: null, jobs: 2, amount: '13' },
  ]);
});

test('a job that is released while it is checked counts once', async () => {
  answer = () => job(`${escrow}::job::Job<${coin}>`);
  await insertJob({ state: 2, amount: '7', payer: id(4) });
  const source = await db.pool.connect();
  try {
    await source.query('begin');
    await source.query('update jobs set state = 3, released_at = now()');
    await source.query(
      `insert into provider_earnings (network, provider, coin, jobs, amount) values ('testnet', $1, null, 1, 7)`,
      [id(3)],
    );
    const checking = check();
    await eventually(async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect((await db.pool.query(waiting)).rowCount).toBe(1);
    });
    await source.query('commit');
    await checking;
  } finally {
    source.release();
  }
  const { rows } = await db.pool.query('select coin, jobs from provider_earnings where jobs > 0');
  expect(rows).toEqual([{ coin, jobs: 1 }]);
});

test('the coin of a paid job waits for a check of its own as soon as it is known', async () => {
  answer = () => job(`${escrow}::job::Job<${coin}>`);
  const coins = async () =>
    (await db.orm.select().from(tables.coins)).map(({ coinType, state }) => [coinType, state]);
  await checked();
  expect(await coins()).toEqual([]);
  await db.pool.query('truncate jobs');
  await checked({ state: 3, releasedAt: new Date(1_000) });
  expect(await coins()).toEqual([[coin, 'pending']]);
});

test('what the events have said meanwhile stays', async () => {
  answer = () => job(`${escrow}::job::Job<${coin}>`);
  expect(await checked({ payer: id(0xaa) })).toMatchObject({ coin, payer: id(0xaa) });
});

test('a job that a node which is behind does not have yet gets its coin and payer at the next attempt', async () => {
  answer = () => {
    throw new NodeRefusedError(grpc.status.NOT_FOUND, 'no such object');
  };
  expect((await checked())!.nextCheckAt).not.toBeNull();
  await db.pool.query('update jobs set next_check_at = now()');
  answer = () => job(`${escrow}::job::Job<${coin}>`);
  await check(2);
  expect(await readJob()).toMatchObject({ coin, payer: id(0xbb), checkError: null, nextCheckAt: null });
});

test('an object that is not a job, or is gone, is said so and not asked for again at the third attempt', async () => {
  answer = () => job('0x2::coin::Coin<0x2::sui::SUI>');
  const { coin: none, checkError, nextCheckAt } = (await checked({ checkAttempts: 2 }))!;
  expect([none, checkError, nextCheckAt]).toEqual([null, expect.stringContaining('is not a job'), null]);
  await db.pool.query('truncate jobs');
  answer = () => {
    throw new NodeRefusedError(grpc.status.NOT_FOUND, 'no such object');
  };
  const gone = await checked({ checkAttempts: 2 });
  expect(gone).toMatchObject({ checkError: 'NOT_FOUND: no such object', nextCheckAt: null });
});

test('a coin type that no index can hold is left out, and stops nothing', async () => {
  const generic = (depth: number): string => (depth === 0 ? coin : `${coin}<${generic(depth - 1)}>`);
  answer = () => job(`${escrow}::job::Job<${generic(40)}>`);
  const { coin: none, checkError, nextCheckAt } = (await checked({ checkAttempts: 2 }))!;
  expect([none, checkError, nextCheckAt]).toEqual([null, expect.stringContaining('1024 bytes'), null]);
});

test('a node that cannot answer is asked again later', async () => {
  answer = () => {
    throw new NodeRefusedError(grpc.status.UNAVAILABLE, 'restarting');
  };
  const before = Date.now();
  const { checkError, nextCheckAt } = (await checked())!;
  expect(checkError).toBe('UNAVAILABLE: restarting');
  expect(nextCheckAt!.getTime()).toBeGreaterThan(before);
});
