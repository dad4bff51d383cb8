import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Transaction } from '@mysten/sui/transactions';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { faucetKeypair } from './genesis.ts';
import { coinBalance } from './move-types.ts';
import { Account, TestNetwork } from './testing/network.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'localnet-'));
  path = join(directory, 'state.sqlite');
});

afterEach(() => rm(directory, { recursive: true }));

test('a network opened again continues: same chain, same state, same unfinished checkpoint', async () => {
  const first = await TestNetwork.open(path);
  const { chainId } = first.ledger;
  const alice = await first.account(1_000_000_000n);
  const { sequence } = first.ledger.createCheckpoint();
  first.passTime(5_000);
  const pending = await alice.execute(emptyPayment(alice));
  first.ledger.close();

  const second = await TestNetwork.open(path);
  second.passTime(60_000);
  expect(second.ledger.chainId).toBe(chainId);
  expect(second.ledger.highestCheckpoint).toBe(sequence);
  expect(second.ledger.getTransaction(pending.digest)?.checkpoint).toBeUndefined();
  const again = new Account(second.ledger, alice.key);
  await again.execute(emptyPayment(again));
  const heard: string[] = [];
  second.ledger.onCheckpoint((_, transactions) => heard.push(...transactions.map(({ digest }) => digest)));
  const checkpoint = second.ledger.createCheckpoint();
  expect(checkpoint.transactionDigests).toHaveLength(3);
  expect(heard).toEqual(checkpoint.transactionDigests);
  expect(checkpoint.transactionDigests[1]).toBe(pending.digest);
  expect(second.ledger.getTransaction(pending.digest)).toMatchObject({
    checkpoint: sequence + 1n,
    transactionIndex: 1,
    timestampMs: 1_700_000_005_000,
  });
  second.ledger.close();
});

test('a process killed at any moment leaves a ledger that is whole and goes on', async () => {
  for (const afterTransactions of [3, 17]) {
    const told = await killWhileWriting(afterTransactions);
    const network = await TestNetwork.open(path);
    for (const digest of told) expect(network.ledger.getTransaction(digest), digest).toBeDefined();
    network.ledger.createCheckpoint();
    const transactions = network.transactions();
    expect(transactions.length).toBeGreaterThan(afterTransactions);
    // Every transaction that is known left all it wrote, and nothing else was written.
    for (const { objects, digest } of transactions) {
      for (const { id, change, outputVersion } of objects) {
        if (change === 'read' || change === 'loaded' || outputVersion === undefined) continue;
        expect(network.ledger.getObject(id, outputVersion)?.previousTransaction).toBe(digest);
      }
    }
    const bank = new Account(network.ledger, faucetKeypair());
    expect(
      bank.coins().reduce((sum, coin) => sum + (coin.kind === 'move' ? coinBalance(coin.contents) : 0n), 0n),
    ).toBe(bank.balance());
    expect((await bank.execute(emptyPayment(bank))).failureDescription).toBeUndefined();
    network.ledger.close();
  }
});

test('a file in use is refused, so that two processes never write one ledger', async () => {
  const network = await TestNetwork.open(path);
  await expect(TestNetwork.open(path)).rejects.toMatchObject({ code: 'localnet_state_locked' });
  network.ledger.close();
});

test('a file that is not a database, a foreign database, one of another version and a damaged one are refused', async () => {
  const refused = expect.objectContaining({ code: 'localnet_state_invalid' });
  await writeFile(path, 'not a database, but longer than the header of one would be'.repeat(50));
  await expect(TestNetwork.open(path)).rejects.toEqual(refused);

  const foreign = join(directory, 'foreign.sqlite');
  const database = new DatabaseSync(foreign);
  database.exec('CREATE TABLE somebody_elses (id INTEGER)');
  database.close();
  await expect(TestNetwork.open(foreign)).rejects.toEqual(refused);

  const ours = join(directory, 'ours.sqlite');
  (await TestNetwork.open(ours)).ledger.close();
  const newer = new DatabaseSync(ours);
  newer.exec('PRAGMA user_version = 99');
  newer.close();
  await expect(TestNetwork.open(ours)).rejects.toThrow(/layout has version 99/);

  const damaged = join(directory, 'damaged.sqlite');
  (await TestNetwork.open(damaged)).ledger.close();
  const file = await open(damaged, 'r+');
  for (let page = 2; page < 12; page += 1) await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096);
  await file.close();
  await expect(TestNetwork.open(damaged)).rejects.toEqual(refused);
});

function emptyPayment(account: Account): Transaction {
  const transaction = new Transaction();
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], account.address);
  return transaction;
}

/** Runs a network in a process of its own, kills it in the middle of its work, and answers the digests that it told. */
async function killWhileWriting(afterTransactions: number): Promise<string[]> {
  const script = new URL('./testing/endless-writer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.split('\n').length > afterTransactions) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return output.split('\n').slice(0, -1);
}
