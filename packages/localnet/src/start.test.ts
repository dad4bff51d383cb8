import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from './account.ts';
import { silentLogger } from './internal/log.ts';
import { startLocalnet } from './start.ts';
import { eventually } from './testing/eventually.ts';
import { startTestLocalnet } from './testing/start.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'localnet-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const recipient = `0x${'d'.repeat(64)}`;

test('a network started again continues: same chain, same coins, history kept', async () => {
  const options = { dataDir, port: 0, checkpointIntervalMs: 0, log: silentLogger };
  const first = await startLocalnet(options);
  await requestSuiFromFaucetV2({ host: first.faucetUrl, recipient });
  first.ledger.createCheckpoint();
  const { chainId, highestCheckpoint } = first.ledger;
  await first.close();

  const second = await startLocalnet(options);
  try {
    expect(second.ledger.chainId).toBe(chainId);
    expect(second.ledger.highestCheckpoint).toBe(highestCheckpoint);
    const client = new SuiGrpcClient({ network: 'localnet', baseUrl: second.rpcUrl });
    expect((await client.getBalance({ owner: recipient })).balance.balance).toBe('1000000000000');
    const { transactions } = await client.listTransactions({});
    expect(transactions.length).toBeGreaterThanOrEqual(2);
  } finally {
    await second.close();
  }
});

test('checkpoints are made by the timer, empty ones too', async () => {
  const network = await startTestLocalnet({ checkpointIntervalMs: 5 });
  try {
    await eventually(() => expect(network.ledger.highestCheckpoint).toBeGreaterThan(3n));
  } finally {
    await network.close();
  }
});

test('a test suite publishes a folder, and goes back to a snapshot as often as it wants', async () => {
  const folder = join(dataDir, 'counter');
  await mkdir(join(folder, 'sources'), { recursive: true });
  await writeFile(
    join(folder, 'Move.toml'),
    '[package]\nname = "counter"\nedition = "2024"\n[addresses]\ncounter = "0x0"\n',
  );
  const source = `module counter::counter {
    public struct Counter has key { id: UID, value: u64 }
    fun init(ctx: &mut TxContext) { transfer::share_object(Counter { id: object::new(ctx), value: 0 }) }
    public fun count(counter: &mut Counter) { counter.value = counter.value + 1 }
  }`;
  await writeFile(join(folder, 'sources/counter.move'), source);
  const network = await startLocalnet({ checkpointIntervalMs: 5 });
  try {
    const alice = await network.account();
    const { packageId, upgradeCapId } = await network.publish(folder, alice.address);
    const cap = network.ledger.getObject(upgradeCapId);
    expect(cap).toMatchObject({ owner: { kind: 'address', address: alice.address } });
    const type = `${packageId}::counter::Counter`;
    const counterId = network.ledger
      .getTransaction(cap!.previousTransaction)!
      .objects.find((object) => object.type === type)!.id;
    const count = () =>
      execute(alice, (tx) => {
        tx.moveCall({ target: `${packageId}::counter::count`, arguments: [tx.object(counterId)] });
      });
    const value = async () => {
      const { object } = await alice.client.getObject({ objectId: counterId, include: { json: true } });
      return object.json?.value;
    };
    network.snapshot('published');
    for (let round = 0; round < 2; round += 1) {
      await count();
      await count();
      expect(await value()).toBe('2');
      network.restore('published');
      expect(await value()).toBe('0');
    }
    await count();
    network.snapshot('published');
    await count();
    network.restore('published');
    expect(await value()).toBe('1');
    const { chainId } = network.ledger;
    expect(() => network.restore('nothing')).toThrow('There is no snapshot "nothing". Snapshots: published.');
    expect(() => network.snapshot('a"b')).toThrow(/cannot name a snapshot/);
    expect(network.ledger.chainId).toBe(chainId);
    expect((await network.publish(folder)).packageId).not.toBe(packageId);
  } finally {
    await network.close();
  }
});

test('a taken port is an error, and leaves nothing running', async () => {
  const options = { dataDir: ':memory:', checkpointIntervalMs: 0, log: silentLogger };
  const network = await startLocalnet({ ...options, port: 0 });
  try {
    const port = Number(new URL(network.rpcUrl).port);
    await expect(startLocalnet({ ...options, port })).rejects.toThrow(/EADDRINUSE/);
  } finally {
    await network.close();
  }
});
