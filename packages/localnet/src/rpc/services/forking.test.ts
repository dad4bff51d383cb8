import { SuiGrpcClient } from '@mysten/sui/grpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../../start.ts';
import { startTestLocalnet } from '../../testing/start.ts';

let localnet: Localnet;
let client: SuiGrpcClient;
beforeAll(async () => {
  localnet = await startTestLocalnet();
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl });
});
afterAll(() => localnet.close());

test('the clock is moved ahead by a transaction, and the next checkpoint has the new time', async () => {
  const { response: before } = await client.forkingService.getStatus({});
  const { response: advanced } = await client.forkingService.advanceClock({ durationMs: 3_600_000n });
  expect(advanced.timestampMs - before.timestampMs).toBeGreaterThanOrEqual(3_600_000n);
  const { response: made } = await client.forkingService.advanceCheckpoint({});
  expect(made).toEqual({
    checkpointSequenceNumber: before.checkpointSequenceNumber + 1n,
    timestampMs: advanced.timestampMs,
  });
  const { response: status } = await client.forkingService.getStatus({});
  expect(status).toMatchObject({ checkpointSequenceNumber: made.checkpointSequenceNumber, epoch: 0n });
  const { Transaction: prologue } = await client.getTransaction({ digest: advanced.txDigest });
  expect(prologue!.checkpoint).toBe(String(made.checkpointSequenceNumber));
});

test('every advance moves it again, by one millisecond when nothing is said', async () => {
  const { response: first } = await client.forkingService.advanceClock({ durationMs: 1_000n });
  const { response: second } = await client.forkingService.advanceClock({});
  expect(second.timestampMs).toBeGreaterThan(first.timestampMs);
  expect(second.txDigest).not.toBe(first.txDigest);
});

test('a time that no clock shows is refused, and the network goes on', async () => {
  const far = client.forkingService.advanceClock({ durationMs: 2n ** 64n - 1n });
  await expect(far).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await client.forkingService.advanceCheckpoint({});
  expect((await client.ledgerService.getServiceInfo({})).response.timestamp).toBeDefined();
});
