import type { PoolClient } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { address } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { agentsSource } from './agents.ts';
import { escrowSource } from './escrow.ts';

let seed: ReturnType<typeof walletRows>;
const db = useTestDatabase();
beforeAll(() => {
  seed = walletRows(db);
});

const network = 'testnet';
const event = {
  checkpoint: 1,
  txIndex: 0,
  eventIndex: 0,
  txDigest: 'd',
  sender: address(1),
  timestampMs: Date.UTC(2026, 0, 2),
  type: 't',
  name: 'n',
  contents: new Uint8Array(),
  decodeError: null,
};

const createProfileWrite = (agent: string) => (client: PoolClient) => {
  const fields = { agent, name: 'Amy', description: '', skills: [], cardUrl: null, version: 1 };
  const data = { name: 'registry::AgentRegistered', fields };
  return agentsSource.append(client, network, [{ ...event, data } as never]);
};

const createReleaseWrite = (jobId: string) => async (client: PoolClient) => {
  const data = { name: 'job::JobReleased', fields: { jobId, coin: '0x2::sui::SUI' } };
  await escrowSource.append(client, network, [{ ...event, data } as never]);
  await escrowSource.settle!(client, network, { checkpoint: 1, txIndex: 0 });
};

const hasWaiting = async () => {
  const { rowCount } = await db.pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  expect(rowCount).toBe(1);
};

test.each([
  ['its profile is stored', 1],
  ['its job is released', 2],
])(
  'an agent has its completed job and its hirer when both are stored at once, and %s first',
  async (_, at) => {
    const agent = address(0xa0 + at);
    const writes = [createProfileWrite(agent), createReleaseWrite(await seed.job(agent, { state: 2 }))];
    const [first, second] = at === 1 ? writes : writes.toReversed();
    const clients = await Promise.all([db.pool.connect(), db.pool.connect()]);
    try {
      for (const client of clients) await client.query('begin');
      await first!(clients[0]);
      const later = second!(clients[1]);
      await eventually(hasWaiting);
      await clients[0].query('commit');
      await later;
      await clients[1].query('commit');
    } finally {
      for (const client of clients) client.release();
    }
    const { rows } = await db.pool.query(
      'select completed_jobs, hirers, new_hirers, rank > 0 as "isRanked" from agents where agent = $1',
      [agent],
    );
    expect(rows).toEqual([{ completed_jobs: 1, hirers: 1, new_hirers: 1, isRanked: true }]);
  },
);

const inTransaction = async (...writes: ((client: PoolClient) => Promise<void>)[]) => {
  const client = await db.pool.connect();
  try {
    for (const write of writes) {
      await client.query('begin');
      await write(client);
      await client.query('commit');
    }
  } finally {
    client.release();
  }
};

const readCompleted = async (agent: string) => {
  const { rows } = await db.pool.query<{ kept: number; counted: number }>(
    `select completed_jobs as kept, (
       select count(*)::int from jobs j where j.network = a.network and j.provider = a.agent and j.state = 3
     ) as counted from agents a where agent = $1`,
    [agent],
  );
  return rows[0]!;
};

const jobEvents = (jobId: string, provider: string) => {
  const created = {
    walletId: address(7),
    provider,
    assessorType: 't',
    payer: address(8),
    coin: 'c',
    amount: '1',
  };
  const named = { created: 'job::JobCreated', released: 'job::JobReleased', funded: 'job::JobFunded' };
  const createEvent = (name: string, fields = {}) => ({
    ...event,
    data: { name, fields: { jobId, ...fields } },
  });
  return [
    createEvent(named.created, created),
    createEvent(named.funded, { amount: '1' }),
    createEvent(named.released, { provider, amount: '1', coin: 'c' }),
    // The same event a second time changes nothing.
    createEvent(named.released, { provider, amount: '1', coin: 'c' }),
  ];
};

test('completed jobs are those of the history, whatever its batches and wherever the profile comes', async () => {
  for (const size of [1, 2, 3, 5, 12]) {
    for (const registersAt of [0, 5, 12]) {
      const agent = address(0x1000 + size * 100 + registersAt);
      const history = [1, 2, 3].flatMap((n) =>
        jobEvents(address(0x100_000 * size + registersAt * 0x100 + n), agent),
      );
      const createBatchWrite = (events: object[]) => (client: PoolClient) =>
        escrowSource.append(client, network, events as never);
      const writes: ((client: PoolClient) => Promise<void>)[] = [];
      for (let at = 0; at < history.length; at += size) {
        if (at >= registersAt && at - size < registersAt) writes.push(createProfileWrite(agent));
        writes.push(createBatchWrite(history.slice(at, at + size)));
      }
      // The profile is stored a second time. Nothing is counted twice after it.
      await inTransaction(...writes, createProfileWrite(agent));
      expect(await readCompleted(agent)).toEqual({ kept: 3, counted: 3 });
    }
  }
});

test.each([
  ['by the agent itself', (agent: string) => agent, { completed_jobs: 1, hirers: 0, isRanked: false }],
  ['by another', () => address(9), { completed_jobs: 1, hirers: 1, isRanked: true }],
])(
  'a job that was judged %s counts as completed, and for the rank only if judged by another',
  async (_, judge, expected) => {
    const agent = await seed.agent('Amy');
    const jobId = await seed.job(agent, { state: 2, assessor: judge(agent) });
    await inTransaction(createReleaseWrite(jobId));
    const { rows } = await db.pool.query(
      'select completed_jobs, hirers, rank > 0 as "isRanked" from agents where agent = $1',
      [agent],
    );
    expect(rows).toEqual([expected]);
  },
);

test('a released job adds one to what its provider completed, without a count of the others', async () => {
  const agent = address(0xa9);
  const jobId = await seed.job(agent, { state: 2 });
  await seed.agent('Amy', { agent });
  await db.pool.query('update agents set completed_jobs = 100000 where agent = $1', [agent]);
  await inTransaction(createReleaseWrite(jobId));
  expect(await readCompleted(agent)).toEqual({ kept: 100_001, counted: 1 });
});
