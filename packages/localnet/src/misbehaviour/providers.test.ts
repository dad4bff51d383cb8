import { once } from 'node:events';
import http2 from 'node:http2';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eachTransport } from '../rpc/testing/each-transport.ts';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

let localnet: Localnet;
let connection: ReturnType<(typeof eachTransport)['native']['connect']>;
beforeAll(async () => {
  localnet = await startTestLocalnet();
  connection = eachTransport.native.connect(localnet.rpcUrl);
});
afterAll(async () => {
  connection.close();
  await localnet.close();
});
afterEach(() => localnet.misbehaviour.reset());

const misbehave: Localnet['misbehaviour']['set'] = (patch) => localnet.misbehaviour.set(patch);
const checkpoints = (count: number) => {
  for (let made = 0; made < count; made++) localnet.ledger.createCheckpoint();
};
const info = async () => await connection.client.ledgerService.getServiceInfo({});
const refusal = async () => {
  const call = connection.client.ledgerService.getServiceInfo({});
  const error = await call.then(
    () => undefined,
    (thrown: { code: string; message: string; meta: Record<string, string> }) => thrown,
  );
  return { error, headers: await call.headers.catch(() => undefined) };
};
const getDigest = async (client: typeof connection.client, sequenceNumber: bigint) => {
  const checkpointId = { oneofKind: 'sequenceNumber' as const, sequenceNumber };
  const { response } = await client.ledgerService.getCheckpoint({
    checkpointId,
    readMask: { paths: ['digest'] },
  });
  return response.checkpoint?.digest;
};

test('calls beyond the limit are refused with the delay until the window ends, and then served again', async () => {
  const limit = { calls: 2, answer: 'RESOURCE_EXHAUSTED' as const, delay: true };
  misbehave({ limitCalls: { ...limit, windowMs: 60_000 } });
  await info();
  await info();
  const { error } = await refusal();
  expect(error).toMatchObject({ code: 'RESOURCE_EXHAUSTED', message: 'more than 2 requests in 60000 ms' });
  const details = Buffer.from(error!.meta['grpc-status-details-bin']!, 'base64');
  expect(details.toString('latin1')).toContain('google.rpc.RetryInfo');
  misbehave({ limitCalls: { ...limit, windowMs: 400 } });
  for (;;) if ((await refusal()).error !== undefined) break;
  for (;;) if ((await refusal()).error === undefined) break;
});

test('a limit without a delay names none, and one over HTTP is a 429', async () => {
  const limit = { calls: 0, windowMs: 60_000 };
  misbehave({ limitCalls: { ...limit, answer: 'RESOURCE_EXHAUSTED', delay: false } });
  expect((await refusal()).error?.meta['grpc-status-details-bin'] ?? '').not.toContain('UmV0cnlJbmZv');
  misbehave({ limitCalls: { ...limit, answer: 'HTTP_429', delay: true } });
  const { error, headers } = await refusal();
  expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('429') });
  expect(Number(headers?.['retry-after'])).toBeGreaterThan(50);
});

test.each([
  [undefined, /^(?!OK)/],
  ['RESOURCE_EXHAUSTED' as const, /^RESOURCE_EXHAUSTED$/],
])('a stream is cut some time after it began, with the code %s', async (code, expected) => {
  misbehave({ cutStreams: { afterMs: 30, code } });
  const { responses } = connection.client.subscriptionService.subscribeCheckpoints({});
  const ended = (async () => {
    for await (const _ of responses);
    return 'OK';
  })().catch((error: { code: string }) => error.code);
  expect(await ended).toMatch(expected);
});

test('a late node shows an older tip, in its headers too, and neither newer checkpoints nor their transactions', async () => {
  checkpoints(5);
  const { client } = connection;
  const tip = localnet.ledger.highestCheckpoint;
  misbehave({ late: { checkpoints: 3, share: 1, seed: 1 } });
  const { response, headers } = await info();
  expect(response.checkpointHeight).toBe(tip - 3n);
  expect(headers['x-sui-checkpoint-height']).toBe(String(tip - 3n));
  expect(await getDigest(client, tip - 3n)).toBeDefined();
  await expect(getDigest(client, tip - 2n)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const listed: bigint[] = [];
  const list = client.ledgerService.listCheckpoints({
    startCheckpoint: tip - 4n,
    readMask: { paths: ['sequence_number'] },
  });
  for await (const { checkpoint } of list.responses) if (checkpoint) listed.push(checkpoint.sequenceNumber!);
  expect(listed).toEqual([tip - 4n, tip - 3n]);
});

test('the stream of a late node is late by as many checkpoints', async () => {
  misbehave({ late: { checkpoints: 2, share: 1, seed: 1 } });
  const call = connection.client.subscriptionService.subscribeCheckpoints({});
  await call.headers;
  const frames = call.responses[Symbol.asyncIterator]();
  const tip = localnet.ledger.highestCheckpoint;
  checkpoints(3);
  expect((await frames.next()).value.cursor).toBe(tip + 1n);
  const second = frames.next();
  expect(await Promise.race([second.then(() => 'sent'), info().then(() => 'kept')])).toBe('kept');
  checkpoints(1);
  expect((await second).value.cursor).toBe(tip + 2n);
  await frames.return?.();
});

test('nodes behind one name disagree: a share of the calls finds a late one', async () => {
  checkpoints(5);
  misbehave({ late: { checkpoints: 4, share: 0.5, seed: 2 } });
  const heights = new Set<unknown>();
  for (let calls = 0; calls < 20; calls++) heights.add((await info()).response.checkpointHeight);
  const tip = localnet.ledger.highestCheckpoint;
  expect(heights).toEqual(new Set([tip, tip - 4n]));
});

test('a restart breaks streams off and refuses calls for its time, and is not shown as lasting', async () => {
  const call = connection.client.subscriptionService.subscribeCheckpoints({});
  await call.headers;
  const ended = call.responses[Symbol.asyncIterator]().next();
  ended.catch(() => undefined);
  misbehave({ restart: { downMs: 200 } });
  await expect(ended).rejects.toBeDefined();
  expect((await refusal()).error).toMatchObject({ code: 'UNAVAILABLE', message: 'the node restarts' });
  expect(localnet.misbehaviour.settings).toEqual({});
  for (;;) if ((await refusal()).error === undefined) break;
});

test('another node of the network shows the same chain, and misbehaves by itself', async () => {
  checkpoints(3);
  const node = await localnet.openNode();
  const other = eachTransport.native.connect(node.rpcUrl);
  const tip = localnet.ledger.highestCheckpoint;
  node.misbehaviour.set({ fork: { from: Number(tip) } });
  const digests = async (sequence: bigint) => [
    await getDigest(connection.client, sequence),
    await getDigest(other.client, sequence),
  ];
  const [before, same] = await digests(tip - 1n);
  expect(same).toBe(before);
  const [here, there] = await digests(tip);
  expect(there).toBeDefined();
  expect(there).not.toBe(here);
  other.close();
  await node.close();
  expect((await info()).response.checkpointHeight).toBe(tip);
});

test('a node that forgot checkpoints has neither them nor their transactions, and another node has both', async () => {
  await localnet.account();
  checkpoints(3);
  const [{ digest } = { digest: '' }] = localnet.ledger.listTransactions({
    from: { checkpoint: 0n, transactionIndex: 0 },
    to: { checkpoint: localnet.ledger.highestCheckpoint + 1n, transactionIndex: 0 },
    ordering: 'descending',
    limit: 1,
  });
  const node = await localnet.openNode();
  const other = eachTransport.native.connect(node.rpcUrl);
  const tip = localnet.ledger.highestCheckpoint;
  misbehave({ forget: { below: Number(tip) - 1 } });
  const { response, headers } = await info();
  expect(response).toMatchObject({ checkpointHeight: tip, lowestAvailableCheckpoint: tip - 1n });
  expect(headers['x-sui-lowest-available-checkpoint']).toBe(String(tip - 1n));
  const hasTransaction = ({ client }: typeof connection) =>
    client.ledgerService.getTransaction({ digest }).then(
      () => true,
      () => false,
    );
  expect([await hasTransaction(connection), await hasTransaction(other)]).toEqual([false, true]);
  await expect(getDigest(connection.client, tip - 2n)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await getDigest(other.client, tip - 2n)).toBeDefined();
  expect(await getDigest(connection.client, tip - 1n)).toBeDefined();
  const list = async (startCheckpoint: bigint) => {
    for await (const _ of connection.client.ledgerService.listEvents({ startCheckpoint }).responses);
  };
  await expect(list(tip - 2n)).rejects.toMatchObject({ code: 'OUT_OF_RANGE' });
  await list(tip - 1n);
  misbehave({ forget: { below: Number(tip) + 100 } });
  expect((await info()).response).toMatchObject({ checkpointHeight: tip, lowestAvailableCheckpoint: tip });
  misbehave({ forget: null });
  expect(await hasTransaction(connection)).toBe(true);
  other.close();
  await node.close();
});

test('another node sends GOAWAY on its own connections, and refuses to change the chain', async () => {
  const node = await localnet.openNode();
  const session = http2.connect(node.rpcUrl);
  await once(session, 'remoteSettings');
  const goneAway = once(session, 'goaway');
  node.misbehaviour.set({ goAway: { afterCalls: 0 } });
  await goneAway;
  session.destroy();
  const { settings } = node.misbehaviour;
  const patches = [{ newChain: true as const }, { prune: { below: 1 } }, { clock: { offsetMs: 5 } }];
  for (const patch of patches) {
    expect(() => node.misbehaviour.set(patch)).toThrow(/changes the chain for all nodes/);
  }
  expect(node.misbehaviour.settings).toBe(settings);
  await node.close();
});
