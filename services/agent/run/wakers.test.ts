import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { gasChannel } from '../../../db/queries/agent/gas-coins.ts';
import { runsChannel } from '../../../db/queries/agent/runs.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { buildPassedLines } from './progress.ts';
import { openWakers } from './wakers.ts';

const run = 5;
const lines = buildPassedLines('validate');
const { signal } = new AbortController();

const database = useTestDatabase();

test('who follows a run that this process drives gets its lines from memory, and ignores notifications of them', async () => {
  const wakers = openWakers(database, silentLogger);
  try {
    using coins = wakers.watchCoins('testnet', 'payer');
    // The listener is connected after this.
    await coins.waitForNews(signal);
    const driving = wakers.drive(run, lines);
    wakers.publish(run, { position: lines.length, lines: buildPassedLines('draft'), ended: false });
    using follower = wakers.follow(run);
    expect(follower.next(0)?.lines).toEqual(lines);
    const position = lines.length + 2;
    expect(follower.next(lines.length)?.lines).toEqual(buildPassedLines('draft'));
    let isWoken = false;
    const waiting = follower.waitForLines(position, signal).then(() => {
      isWoken = true;
    });
    const afterwards = coins.waitForNews(signal);
    await database.pool.query('select pg_notify($1, $2), pg_notify($3, $4)', [
      runsChannel,
      `${run} ${position + 2}`,
      gasChannel,
      'testnet payer',
    ]);
    await afterwards;
    expect(isWoken).toBe(false);
    // Another process may continue the run.
    driving[Symbol.dispose]();
    await waiting;
    expect(follower.next(position)).toBeUndefined();
  } finally {
    await wakers.close();
  }
});

test('who waits has one listener of its signal, however often it is woken, and none afterwards', async () => {
  const wakers = openWakers(database, silentLogger);
  const waiting = new AbortController();
  const count = () => getEventListeners(waiting.signal, 'abort').length;
  try {
    using follower = wakers.follow(run);
    // The listener of the database wakes it once when it is connected.
    await follower.waitForLines(0, signal);
    const reached = follower.waitForLines(5, waiting.signal);
    for (const lineCount of [1, 2, 3, 4, 5, 6]) {
      expect(count()).toBe(1);
      await database.pool.query('select pg_notify($1, $2)', [runsChannel, `${run} ${lineCount}`]);
    }
    await reached;
    expect(count()).toBe(0);
    const aborted = follower.waitForLines(9, waiting.signal);
    waiting.abort();
    await aborted;
    expect(count()).toBe(0);
  } finally {
    await wakers.close();
  }
});
