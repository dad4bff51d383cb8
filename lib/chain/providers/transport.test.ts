import { callOptions } from '@adaptor-marketplace/adaptor/chain';
import { serveGrpc } from '@adaptor-marketplace/localnet/rpc/server/serve';
import { bindService } from '@adaptor-marketplace/localnet/rpc/server/service';
import { GrpcError, GrpcStatusCode } from '@adaptor-marketplace/localnet/rpc/server/status';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import type { NetworkSettings } from '../../config/networks.ts';
import { silentLogger } from '../../log/index.ts';
import { openProviders } from './providers.ts';

/** A provider that answers with its name, unless `misbehave` throws. */
async function startProvider(name: string) {
  const provider = {
    url: '',
    calls: [] as string[],
    tip: 100,
    tokens: [] as unknown[],
    misbehave: (): unknown => undefined,
  };
  const enter = async (method: string, metadata: Readonly<Record<string, unknown>>) => {
    provider.calls.push(method);
    provider.tokens.push(metadata['x-token']);
    await provider.misbehave();
  };
  const server = await serveGrpc({
    host: '127.0.0.1',
    port: 0,
    headers: () => ({
      'x-sui-checkpoint-height': `${provider.tip}`,
      'x-sui-timestamp-ms': `${provider.tip * 250}`,
    }),
    services: [
      bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
        async getServiceInfo(_request, { metadata }) {
          await enter('info', metadata);
          return { chain: name };
        },
        async getEpoch(_request, { metadata }) {
          await enter('epoch', metadata);
          return { epoch: GrpcTypes.Epoch.create({}) };
        },
      }),
      bindService<SuiGrpcClient['transactionExecutionService']>(GrpcTypes.TransactionExecutionService, {
        async executeTransaction(_request, { metadata }) {
          await enter('execute', metadata);
          return { transaction: GrpcTypes.ExecutedTransaction.create({ digest: name }) };
        },
      }),
      bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
        async *subscribeCheckpoints(_request, { metadata }) {
          await enter('subscribe', metadata);
          yield { cursor: 7n };
        },
      }),
    ],
  });
  provider.url = server.url;
  onTestFinished(() => server.close());
  return Object.assign(provider, { close: () => server.close() });
}

function open(
  first: { url: string },
  others: { url: string; token?: string }[],
  more: Partial<NetworkSettings> = {},
) {
  const closing = new AsyncDisposableStack();
  onTestFinished(() => closing.disposeAsync());
  const settings = { network: 'testnet', rpcUrl: first.url, otherProviders: others, ...more } as const;
  return openProviders([settings], closing, { log: silentLogger }).get('testnet')!;
}

const fail = (code: keyof typeof GrpcStatusCode, details?: GrpcError['details']) => () => {
  throw new GrpcError(GrpcStatusCode[code] as GrpcStatusCode, `${code} on demand`, details);
};

/** `google.rpc.RetryInfo` with a delay in seconds below 128. */
const retryInfo = (seconds: number) => [
  { typeUrl: 'type.googleapis.com/google.rpc.RetryInfo', value: Buffer.from([0x0a, 2, 0x08, seconds]) },
];

const askName = async (client: SuiGrpcClient, timeoutMs = 10_000) =>
  (await client.ledgerService.getServiceInfo({}, callOptions(timeoutMs))).response.chain;

test.each(['UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'] as const)(
  'a read that a provider answers with %s is answered by the other one',
  async (code) => {
    const [a, b] = [await startProvider('a'), await startProvider('b')];
    const client = open(a, [b]).client('read');
    expect(await askName(client)).toBe('a');
    a.misbehave = fail(code);
    expect(await askName(client)).toBe('b');
    expect(a.calls).toHaveLength(2);
  },
);

test('an error that is the answer of the chain is not asked for again', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  a.misbehave = fail('NOT_FOUND');
  await expect(askName(open(a, [b]).client('read'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(b.calls).toEqual([]);
});

test('an expired name is an answer, though its code is that of a rate limit', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  const providers = open(a, [b]);
  a.misbehave = () => {
    throw new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, 'name has expired');
  };
  await expect(askName(providers.client('read'))).rejects.toMatchObject({ message: 'name has expired' });
  expect(b.calls).toEqual([]);
  expect(providers.assess(providers.list[0]).state).toBe('healthy');
});

test('a provider that never answers leaves the other one half of the time', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  a.misbehave = () => new Promise(() => undefined);
  expect(await askName(open(a, [b]).client('read'), 4_000)).toBe('b');
});

test('the second provider stays in use while it is healthy, though the first one is back', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  const providers = open(a, [b]);
  const client = providers.client('read');
  a.misbehave = fail('UNAVAILABLE');
  for (let call = 0; call < 3; call++) expect(await askName(client)).toBe('b');
  a.misbehave = () => undefined;
  expect(providers.assess(providers.list[0])).toMatchObject({ state: 'failing', reason: 'UNAVAILABLE' });
  for (let call = 0; call < 3; call++) expect(await askName(client)).toBe('b');
  expect(a.calls).toHaveLength(3);
});

test('a provider that names a delay is not called before it has passed, not even alone', async () => {
  const a = await startProvider('a');
  a.misbehave = fail('RESOURCE_EXHAUSTED', retryInfo(60));
  const providers = open(a, []);
  await expect(askName(providers.client('read'))).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
  expect(providers.list[0].health.limitedMs).toBeGreaterThan(59_000);
  await expect(askName(providers.client('read'))).rejects.toMatchObject({
    status: 503,
    code: 'node_busy',
    headers: { 'retry-after': expect.stringMatching(/59|60/) },
    message: expect.stringMatching(/limits requests; retry in (59|60) s/),
  });
  expect(a.calls).toHaveLength(1);
});

test('a call waits for a delay that ends before its deadline, and a stream does too', async () => {
  const a = await startProvider('a');
  const providers = open(a, []);
  const client = providers.client('follow');
  a.misbehave = fail('RESOURCE_EXHAUSTED', retryInfo(1));
  await askName(client).catch(() => undefined);
  a.misbehave = () => undefined;
  const stream = client.subscriptionService.subscribeCheckpoints({});
  const cursors: unknown[] = [];
  for await (const { cursor } of stream.responses) cursors.push(cursor);
  expect(cursors).toEqual([7n]);
  expect(await askName(client)).toBe('a');
  expect(a.calls).toEqual(['info', 'subscribe', 'info']);
});

test('each provider receives its own token', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  const client = open(a, [{ url: b.url, token: 'for b' }], { rpcToken: 'for a' }).client('read');
  await askName(client);
  a.misbehave = fail('UNAVAILABLE');
  await askName(client);
  expect([a.tokens, b.tokens]).toEqual([['for a', 'for a'], ['for b']]);
});

test('a read of a run after its transaction is not answered by a provider that may not have it yet', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  const client = open(a, [b]).client('run');
  await client.transactionExecutionService.executeTransaction({ signatures: [] }, callOptions(10_000));
  a.misbehave = fail('UNAVAILABLE');
  b.tip = 109;
  const reading = askName(client, 60_000);
  // The second call says that the answer to the first one was not used.
  await eventually(async () => expect(b.calls.length).toBeGreaterThan(1));
  b.tip = 110;
  expect(await reading).toBe('b');
});

test('a transaction is sent to the other provider if one does not take it', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  a.misbehave = fail('UNAVAILABLE');
  const { transactionExecutionService } = open(a, [b]).client('run');
  const { response } = await transactionExecutionService.executeTransaction(
    { signatures: [] },
    callOptions(10_000),
  );
  expect(response.transaction?.digest).toBe('b');
});

test('requests beyond the budget go to the other provider, and then say when to retry', async () => {
  const [a, b] = [await startProvider('a'), await startProvider('b')];
  // One request each, and another one ten seconds later.
  const client = open(a, [b], { rpcBudget: 4 }).client('follow');
  expect([await askName(client), await askName(client)]).toEqual(['a', 'b']);
  await expect(askName(client, 400)).rejects.toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    retryAfterSeconds: expect.any(Number),
    message: expect.stringMatching(/the request budget for 127.0.0.1:\d+ is used up; retry in \d+ s/),
  });
});

test('a tip that is read to follow the chain does not wait for a read of a lower priority', async () => {
  const a = await startProvider('a');
  // Three tokens: checks leave one to the others, and following none.
  const providers = open(a, [], { rpcBudget: 12 });
  const [provider] = providers.list;
  for (let call = 0; call < 2; call++) await askName(providers.client('follow'));
  const check = providers.readTip(provider, -1, 'check').catch((error: unknown) => error);
  const begunMs = performance.now();
  expect(await providers.readTip(provider, -1, 'follow')).toMatchObject({ checkpoint: 100 });
  expect(performance.now() - begunMs).toBeLessThan(1_000);
  await check;
});
