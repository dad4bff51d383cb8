import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
