import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startCheckpoints } from './checkpoint-timer.ts';
import { silentLogger } from './internal/log.ts';
import { TestNetwork } from './ledger/testing/network.ts';

let network: TestNetwork;
let stop: () => void;
beforeEach(async () => {
  network = await TestNetwork.open();
  // Not setImmediate, at which the ledger keeps what executed.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  stop = startCheckpoints(network.ledger, 250, silentLogger);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  network.ledger.close();
});

test('a transaction is in a checkpoint after one interval', async () => {
  await network.account(1n);
  vi.advanceTimersByTime(250);
  expect(network.ledger.highestCheckpoint).toBe(1n);
  expect(network.ledger.getCheckpoint({ sequence: 1n })?.transactionDigests).toHaveLength(2);
});

test('time passes on an idle network, in half of the checkpoints', () => {
  vi.advanceTimersByTime(250 * 40);
  expect(network.ledger.highestCheckpoint).toBe(20n);
});

test('a network that is idle for long makes a checkpoint every five seconds, and again at once for a transaction', async () => {
  vi.advanceTimersByTime(600_000);
  const after = network.ledger.highestCheckpoint;
  expect(after).toBe(1_200n);
  vi.advanceTimersByTime(60_000);
  expect(network.ledger.highestCheckpoint - after).toBe(12n);
  await network.account(1n);
  vi.advanceTimersByTime(250);
  expect(network.ledger.highestCheckpoint - after).toBe(13n);
  vi.advanceTimersByTime(1_000);
  expect(network.ledger.highestCheckpoint - after).toBe(15n);
});

test('what executed last is in a checkpoint when the network ends', async () => {
  await network.account(1n);
  stop();
  expect(network.ledger.highestCheckpoint).toBe(1n);
  vi.advanceTimersByTime(10_000);
  expect(network.ledger.highestCheckpoint).toBe(1n);
});
