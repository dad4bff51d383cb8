import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Transaction } from '@mysten/sui/transactions';
import { afterEach, expect, test } from 'vitest';
import { faucetKeypair } from './genesis.ts';
import { Account, TestNetwork } from './testing/network.ts';
import { Registry } from './testing/registry.ts';

let network: TestNetwork;

afterEach(() => network.ledger.close());

/** A transaction that writes the gas coin and one new coin. */
function payment(to: string): Transaction {
  const transaction = new Transaction();
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], to);
  return transaction;
}

const key = (digit: string) => `0x${digit.repeat(64)}`;

test('only the newest checkpoints stay, with everything that they refer to and everything that is live', async () => {
  network = await TestNetwork.open(':memory:', 3);
  const { ledger } = network;
  const alice = await network.account(5_000_000_000n);
  const [genesisCoin] = alice.coins();
  const history = [];
  for (let round = 0; round < 6; round += 1) {
    history.push(await alice.execute(payment(key('b'))));
    ledger.createCheckpoint();
  }
  expect([ledger.lowestAvailableCheckpoint, ledger.highestCheckpoint]).toEqual([4n, 6n]);
  expect(ledger.getCheckpoint({ sequence: 3n })).toBeUndefined();
  expect(history.map(({ digest }) => ledger.getTransaction(digest) !== undefined)).toEqual([
    ...[false, false, false],
    ...[true, true, true],
  ]);
  // Inputs of what stays are there; what only pruned transactions saw is not.
  for (const { objects } of history.slice(3)) {
    for (const { id, inputVersion, outputVersion } of objects) {
      if (inputVersion !== undefined) expect(ledger.getObject(id, inputVersion)).toBeDefined();
      if (outputVersion !== undefined) expect(ledger.getObject(id, outputVersion)).toBeDefined();
    }
  }
  expect(ledger.getObject(genesisCoin!.id, genesisCoin!.version)).toBeUndefined();
  const coins = ledger.listOwnedObjects(key('b'), { limit: 50 }).items;
  expect(coins).toHaveLength(6);
  for (const { id, version, digest } of coins) expect(ledger.getObject(id, version)?.digest).toBe(digest);
  expect(alice.balance()).toBe(coinsOf(alice));
});

test('lists contain everything that stays, and nothing that was pruned', async () => {
  network = await TestNetwork.open();
  const { ledger } = network;
  const alice = await network.account(5_000_000_000n);
  const registry = await Registry.publish(alice);
  ledger.createCheckpoint();
  const executed = [];
  for (const witness of ['A', 'B', 'C', 'D']) {
    executed.push(await registry.register(alice, witness));
    ledger.createCheckpoint();
  }
  ledger.prune(4n);
  const found = ledger.listTransactions({
    from: { checkpoint: 0n, transactionIndex: 0 },
    to: { checkpoint: 100n, transactionIndex: 0 },
    ordering: 'ascending',
    limit: 100,
    anyOf: [{ kind: 'emitModule', module: registry.packageId }],
  });
  expect(found.map(({ digest }) => digest)).toEqual(executed.slice(2).map(({ digest }) => digest));
  expect(ledger.getObject(registry.packageId)?.kind).toBe('package');
  expect(ledger.listPackageVersions(registry.packageId, { limit: 10 }).items).toHaveLength(1);
});

test('a transaction that was pruned does not execute a second time', async () => {
  network = await TestNetwork.open(':memory:', 1);
  const alice = await network.account(5_000_000_000n);
  const bytes = await alice.build(payment(key('c')));
  const signatures = [await alice.sign(bytes)];
  const { digest } = await network.ledger.execute(bytes, signatures);
  network.ledger.createCheckpoint();
  network.ledger.createCheckpoint();
  expect(network.ledger.getTransaction(digest)).toBeUndefined();
  await expect(network.ledger.execute(bytes, signatures)).rejects.toMatchObject({
    reason: 'ObjectVersionUnavailableForConsumption',
  });
});

test('another chain can begin in the place of one, and knows nothing of it', async () => {
  network = await TestNetwork.open();
  const { ledger } = network;
  const alice = await network.account(5_000_000_000n);
  const old = await alice.execute(payment(key('d')));
  const before = { chainId: ledger.chainId, coin: alice.coins()[0]! };
  ledger.createCheckpoint();
  let heard = 0;
  ledger.onReset(() => {
    heard += 1;
  });
  ledger.reset();
  expect(heard).toBe(1);
  expect(ledger.chainId).not.toBe(before.chainId);
  expect(ledger.highestCheckpoint).toBe(0n);
  expect(ledger.getTransaction(old.digest)).toBeUndefined();
  expect(ledger.getObject(before.coin.id)).toBeUndefined();
  expect(alice.balance()).toBe(0n);
  const bank = new Account(ledger, faucetKeypair());
  const executed = await bank.execute(payment(key('d')));
  expect(executed.failureDescription).toBeUndefined();
  expect(ledger.createCheckpoint().sequence).toBe(1n);
  const second = ledger.chainId;
  ledger.reset();
  expect([before.chainId, second]).not.toContain(ledger.chainId);
});

test('neither the file nor the memory of a pruned network grows with its age', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'localnet-'));
  const path = join(directory, 'state.sqlite');
  network = await TestNetwork.open(path, 100);
  const alice = await network.account(5_000_000_000n);
  const age = async (checkpoints: number) => {
    for (let made = 1; made <= checkpoints; made += 1) {
      network.passTime(1);
      if (made % 20 === 0) await alice.execute(payment(key('e')));
      network.ledger.createCheckpoint();
    }
    const before = network.ledger;
    before.close();
    network = await TestNetwork.open(path, 100);
    alice.ledger = network.ledger;
    return { file: (await stat(path)).size, heap: heapBytes() };
  };
  await age(500);
  const young = await age(500);
  const old = await age(2_000);
  // 125 transactions more left 125 coins, which are live, and nothing else.
  const coinBytes = 1_500;
  expect(old.file - young.file).toBeLessThan(125 * coinBytes);
  expect(old.heap).toBeLessThan(young.heap + 2_000_000);
  expect(network.ledger.lowestAvailableCheckpoint).toBe(network.ledger.highestCheckpoint - 99n);
  await rm(directory, { recursive: true });
});

/** What is in use, without garbage. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

function coinsOf(account: Account): bigint {
  return account.coins().reduce((sum, coin) => {
    if (coin.kind !== 'move') throw new Error('a coin is a Move object');
    return sum + Buffer.from(coin.contents).readBigUInt64LE(32);
  }, 0n);
}
