import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { readGasQuarters } from '../../../db/queries/agent/gas-quarters.ts';
import { readQuarters } from '../../../db/queries/source-quarters.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { openStatusHistory, recordSamplesAt, takeSamples } from './status-history.ts';

const quarterMs = 15 * 60_000;
const startMs = 1_000 * quarterMs;
type Source = Parameters<typeof takeSamples>[0][number];
const source: Source = {
  network: 'testnet',
  name: 'registry',
  checkpointAtMs: startMs,
  lastErrorAtMs: null,
  eventCount: 100,
  removedAtMs: null,
  followedSinceMs: startMs,
};

const db = useTestDatabase();
beforeEach(() => db.pool.query('truncate source_quarters, agent_gas_coins, agent_gas_quarters'));

const record = (sources: Source[], nowMs: number, sampledMs = startMs) =>
  recordSamplesAt(db.pool, nowMs, takeSamples(sources, { nowMs, sampledMs, maxLagSeconds: 60 }));

test('a quarter of an hour has the longest lag, what was late, new errors once, and the events since it began', async () => {
  await record([source], startMs);
  const failed = { ...source, lastErrorAtMs: startMs + 10, eventCount: 130 };
  await record([failed], startMs + 61_000);
  // Another gateway, or this one after a restart.
  await record([failed], startMs + 62_000, startMs + 61_000);
  await record([{ ...source, removedAtMs: startMs, name: 'agents' }], startMs + 62_000);
  const common = { network: 'testnet', source: 'registry', fromMs: startMs };
  expect(await readQuarters(db.pool)).toEqual([
    { ...common, samples: 3, late: 2, failed: 1, lagSecondsMax: 62, events: 30 },
  ]);
});

test('events between two quarters belong to the later one, and a database that was made again subtracts none', async () => {
  await record([source], startMs);
  await record([{ ...source, eventCount: 107 }], startMs + quarterMs);
  await record([{ ...source, eventCount: 0 }], startMs + 2 * quarterMs);
  const quarters = await readQuarters(db.pool);
  expect(quarters.map(({ events }) => events)).toEqual([0, 7, 0]);
});

test('a source that has covered no checkpoint is late once it has been followed for longer than the limit', async () => {
  const first = { ...source, checkpointAtMs: null, eventCount: 0 };
  await record([first], startMs + 60_000);
  expect(await readQuarters(db.pool)).toMatchObject([{ samples: 1, late: 0, lagSecondsMax: 60 }]);
  await record([first], startMs + 61_000);
  expect(await readQuarters(db.pool)).toMatchObject([{ samples: 2, late: 1, lagSecondsMax: 61 }]);
});

test('the record is at most a day long', async () => {
  for (let nth = 0; nth < 100; nth += 1) await record([source], startMs + nth * quarterMs);
  const quarters = await readQuarters(db.pool);
  expect(quarters).toHaveLength(96);
  expect(quarters.at(-1)?.fromMs).toBe(startMs + 99 * quarterMs);
});

test('a quarter has the balance of all coins of the agent at its end, in use or not, for a day', async () => {
  const hold = (coinId: string, balance: number, run: number | null) =>
    db.pool.query(
      `insert into agent_gas_coins (network, payer, coin_id, version, digest, balance, run)
        values ('testnet', '0xa', $1, 1, 'd', $2, $3)
        on conflict (network, payer, coin_id) do update set balance = excluded.balance`,
      [coinId, balance, run],
    );
  await hold('c1', 7_000_000_000, null);
  await hold('c2', 5_000_000_000, 1);
  await record([], startMs);
  await hold('c1', 6_000_000_000, null);
  await record([], startMs + 61_000);
  await record([], startMs + quarterMs);
  const own = { network: 'testnet', payer: '0xa', balance: '11000000000' };
  expect(await readGasQuarters(db.pool)).toEqual([
    { ...own, fromMs: startMs },
    { ...own, fromMs: startMs + quarterMs },
  ]);
  await record([], startMs + 96 * quarterMs);
  expect((await readGasQuarters(db.pool)).map(({ fromMs }) => fromMs)).toEqual([
    startMs + quarterMs,
    startMs + 96 * quarterMs,
  ]);
});

test('while a sample waits for the database, no other begins', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const reading = vi.spyOn(db.pool, 'query');
  const lock = await db.pool.connect();
  await lock.query('begin; lock table sources');
  const history = openStatusHistory(db.pool, 60);
  onTestFinished(() => {
    history.close();
    reading.mockRestore();
    vi.useRealTimers();
  });
  vi.advanceTimersByTime(300_000);
  expect(reading).toHaveBeenCalledTimes(1);
  await lock.query('rollback');
  lock.release();
  // The next one begins after it.
  await expect
    .poll(() => {
      vi.advanceTimersByTime(30_000);
      return reading.mock.calls.length;
    })
    .toBeGreaterThan(3);
});
