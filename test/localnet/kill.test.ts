import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { digestOf } from '@adaptor-marketplace/localnet/ledger/digests';
import { faucetKeypair } from '@adaptor-marketplace/localnet/ledger/genesis';
import { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { coinBalance } from '@adaptor-marketplace/localnet/ledger/move-types';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const main = join(import.meta.dirname, '../../packages/localnet/src/command/main.ts');
/** Confirmed transactions before each kill, counted from the start of its process. The first kill is early. */
const killsAfter = [1, 40, 15, 90];
const payers = 6;

let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'localnet-kill-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a network killed at any moment of its load continues from the last transaction that it confirmed', async () => {
  const accounts = Array.from({ length: payers }, () => Ed25519Keypair.generate());
  await openLedger((ledger) => fund(ledger, accounts));
  const told: string[] = [];
  let chainId: string | undefined;
  for (const count of killsAfter) {
    const { child, client, exited } = await startNetwork();
    const wanted = told.length + count;
    const enough = Promise.withResolvers<void>();
    const loads = accounts.map(async (account) => {
      for (;;) {
        if (told.push(await pay(client, account)) >= wanted) enough.resolve();
      }
    });
    const killed = loads.map((load) =>
      load.catch(() => {
        // The kill closes the connection.
      }),
    );
    await enough.promise;
    child.kill('SIGKILL');
    await Promise.all([exited, ...killed]);
    await openLedger((ledger) => {
      chainId ??= ledger.chainId;
      expect(ledger.chainId).toBe(chainId);
      for (const digest of told) expect(ledger.getTransaction(digest), digest).toBeDefined();
      ledger.createCheckpoint();
      checkChain(ledger);
      checkObjects(ledger);
    });
  }
  expect(told.length).toBeGreaterThan(100);
});

/** Checks that every checkpoint exists, matches its contents and names the one before it. */
function checkChain(ledger: Ledger): void {
  let previousDigest: string | undefined;
  let transactions = 0n;
  for (let sequence = 0n; sequence <= ledger.highestCheckpoint; sequence += 1n) {
    const checkpoint = ledger.getCheckpoint({ sequence })!;
    expect(checkpoint.previousDigest).toBe(previousDigest);
    expect(digestOf('CheckpointSummary', checkpoint.summaryBcs)).toBe(checkpoint.digest);
    expect(digestOf('CheckpointContents', checkpoint.contentsBcs)).toBe(checkpoint.contentDigest);
    transactions += BigInt(checkpoint.transactionDigests.length);
    expect(checkpoint.networkTotalTransactions).toBe(transactions);
    previousDigest = checkpoint.digest;
  }
}

/** Checks that each transaction's outputs are stored, and that balances are the sums of the coins. */
function checkObjects(ledger: Ledger): void {
  const owners = new Set<string>();
  for (const { digest, effectsBcs, effectsDigest, objects, balanceChanges } of ledger.listTransactions({
    from: { checkpoint: 0n, transactionIndex: 0 },
    to: { checkpoint: ledger.highestCheckpoint + 1n, transactionIndex: 0 },
    ordering: 'ascending',
    limit: 100_000,
  })) {
    expect(digestOf('TransactionEffects', effectsBcs)).toBe(effectsDigest);
    for (const { id, change, outputVersion } of objects) {
      if (change === 'read' || outputVersion === undefined) continue;
      expect(ledger.getObject(id, outputVersion)?.previousTransaction).toBe(digest);
    }
    for (const { address } of balanceChanges) owners.add(address);
  }
  for (const owner of owners) {
    const { items } = ledger.listOwnedObjects(owner, { limit: 100_000 });
    const held = items.reduce((sum, coin) => sum + coinBalance(coin.contents), 0n);
    expect(ledger.getBalance(owner, '0x2::sui::SUI').coins).toBe(held);
  }
}

async function openLedger(use: (ledger: Ledger) => unknown): Promise<void> {
  const path = join(folder, 'ledger.sqlite');
  const ledger = Ledger.open({ path, framework: await compileFramework() });
  try {
    await use(ledger);
  } finally {
    ledger.close();
  }
}

/** Gives each account a coin, on a ledger that no network serves yet. */
async function fund(ledger: Ledger, accounts: Ed25519Keypair[]): Promise<void> {
  const bank = faucetKeypair();
  const [coin] = ledger.listOwnedObjects(bank.toSuiAddress(), { limit: 1 }).items;
  const transaction = new Transaction();
  for (const account of accounts) {
    const [sent] = transaction.splitCoins(transaction.gas, [1_000_000_000_000]);
    transaction.transferObjects([sent], account.toSuiAddress());
  }
  transaction.setSender(bank.toSuiAddress());
  transaction.setGasPayment([{ objectId: coin!.id, version: String(coin!.version), digest: coin!.digest }]);
  transaction.setGasBudget(100_000_000);
  transaction.setGasPrice(1_000);
  const bytes = await transaction.build();
  const { signature } = await bank.signTransaction(bytes);
  const { failureDescription } = await ledger.execute(bytes, [fromBase64(signature)]);
  expect(failureDescription).toBeUndefined();
}

async function pay(client: SuiGrpcClient, account: Ed25519Keypair): Promise<string> {
  const transaction = new Transaction();
  const [coin] = transaction.splitCoins(transaction.gas, [1]);
  transaction.transferObjects([coin], `0x${'b0'.repeat(32)}`);
  const sent = await client.signAndExecuteTransaction({ transaction, signer: account });
  return sent.Transaction!.digest;
}

/** The network as its users start it, in a process of its own. */
async function startNetwork() {
  const flags = ['--data-dir', folder, '--port', '0', '--faucet-port', '0', '--checkpoint-interval', '10'];
  const child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const exited = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const baseUrl = /gRPC and grpc-web\s+(http\S+)/.exec(line)?.[1];
    if (baseUrl === undefined) continue;
    child.stdout.resume();
    return { child, exited, client: new SuiGrpcClient({ network: 'localnet', baseUrl }) };
  }
  throw new Error('the network ended before it served');
}
