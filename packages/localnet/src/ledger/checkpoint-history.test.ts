import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { quietEveryMs } from './checkpoint-history.ts';
import { TestNetwork } from './testing/network.ts';
import type { CheckpointRecord } from './types.ts';

let network: TestNetwork;
afterEach(() => network.ledger.close());

/** Empty checkpoints of a quiet network, each a little late. */
function quiet(count: number): CheckpointRecord[] {
  return Array.from({ length: count }, () => {
    network.passTime(quietEveryMs + 1);
    return network.ledger.createCheckpoint();
  });
}

/** What is read of each of these. */
const read = (made: CheckpointRecord[]) =>
  made.map(({ sequence }) => network.ledger.getCheckpoint({ sequence }));

/** How many of these are found by their digests. */
const found = (made: CheckpointRecord[]) =>
  made.filter(({ digest }) => network.ledger.getCheckpoint({ digest }) !== undefined).length;

test('a quiet network stores one checkpoint of a thousand, and each is read as it was made', async () => {
  network = await TestNetwork.open();
  const made = quiet(2_500);
  expect([found(made.slice(0, 2_002)), found(made.slice(2_002))]).toEqual([2, 498]);
  expect(network.ledger.highestCheckpoint).toBe(2_500n);
  expect(read(made)).toEqual(made);
  expect(read(made.toReversed())).toEqual(made.toReversed());
  expect(network.ledger.getCheckpoint({ sequence: 2_501n })).toBeUndefined();
  const times = made.map(({ timestampMs }) => timestampMs);
  expect(times[1]! - times[0]!).toBe(quietEveryMs);
});

test('what comes after quiet checkpoints follows from them, also after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'localnet-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'state.sqlite');
  network = await TestNetwork.open(path);
  const { chainId } = network.ledger;
  const before = quiet(7);
  network.ledger.close();
  network = await TestNetwork.open(path);
  expect([network.ledger.chainId, network.ledger.highestCheckpoint]).toEqual([chainId, 7n]);
  expect(read(before)).toEqual(before);
  network.passTime(7 * (quietEveryMs + 1));
  const after = quiet(2);
  await network.account(1n);
  const last = network.ledger.createCheckpoint();
  expect([after[0]!.previousDigest, last.previousDigest]).toEqual([before.at(-1)!.digest, after[1]!.digest]);
  expect(found([...before, ...after, last])).toBe(1);
  expect(read([...before, ...after, last])).toEqual([...before, ...after, last]);
});

test('older checkpoints are pruned at one that was not stored', async () => {
  network = await TestNetwork.open();
  const made = quiet(20);
  network.ledger.prune(10n);
  expect([network.ledger.lowestAvailableCheckpoint, network.ledger.highestCheckpoint]).toEqual([10n, 20n]);
  expect(read(made)).toEqual([...new Array(9).fill(undefined), ...made.slice(9)]);
  network.ledger.prune(20n);
  const [next] = quiet(1);
  expect(read([next!])).toEqual([next]);
  expect(next!.previousDigest).toBe(made.at(-1)!.digest);
});

test('a snapshot has the quiet checkpoints that were made before it', async () => {
  network = await TestNetwork.open();
  const made = quiet(5);
  network.ledger.snapshot('quiet');
  quiet(5);
  network.ledger.restore('quiet');
  expect(network.ledger.highestCheckpoint).toBe(5n);
  expect(read(made)).toEqual(made);
  network.ledger.reset();
  expect(network.ledger.highestCheckpoint).toBe(0n);
});
