import { getEventListeners, once } from 'node:events';
import { createServer, type ServerHttp2Session, type Settings } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startNodeDouble, type UnaryHandler } from '../testing/node-double.ts';
import { ask } from './answers.ts';
import { callOptions } from './call-options.ts';
import { type ChainClient, createChainClient } from './client.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function connect(handlers: Record<string, UnaryHandler>, token?: string): Promise<ChainClient> {
  const node = await startNodeDouble(handlers);
  const client = createChainClient({ url: node.url, token });
  cleanups.push(() => client.close(), node.close);
  return client;
}

test('a package above the 4 MiB default of gRPC is read', async () => {
  const contents = new Uint8Array(5 << 20);
  const module = { name: 'big', contents, datatypes: [], functions: [] };
  const client = await connect({
    getPackage: () => ({ package: { modules: [module], typeOrigins: [], linkage: [] } }),
  });
  const { response } = await client.movePackageService.getPackage({ packageId: '0x2' });
  expect(response.package?.modules[0]?.contents?.byteLength).toBe(contents.byteLength);
});

test('the token reaches the node with every call', async () => {
  const client = await connect(
    { getServiceInfo: (_, metadata) => ({ chain: String(metadata.get('x-token')) }) },
    's3cret',
  );
  const { response } = await client.ledgerService.getServiceInfo({});
  expect(response.chain).toBe('s3cret');
});

test('a node that never answers ends a call at its deadline, as a failure of the node', async () => {
  const client = await connect({ getServiceInfo: () => new Promise<object>(() => {}) });
  const answer = await ask(client.ledgerService.getServiceInfo({}, callOptions(30)));
  expect(answer).toEqual({ status: 'unavailable', reason: expect.stringContaining('DEADLINE_EXCEEDED') });
});

test('an aborted signal ends a call', async () => {
  const stop = new AbortController();
  const client = await connect({
    getServiceInfo: () => {
      stop.abort();
      return new Promise<object>(() => {});
    },
  });
  const answer = await ask(client.ledgerService.getServiceInfo({}, callOptions(10_000, stop.signal)));
  expect(answer).toEqual({ status: 'unavailable', reason: expect.stringContaining('CANCELLED') });
});

test('a call whose signal has aborted is not sent, over an open connection either', async () => {
  let answered = 0;
  const client = await connect({ getServiceInfo: () => ({ chain: String(++answered) }) });
  const read = (signal?: AbortSignal) => client.ledgerService.getServiceInfo({}, callOptions(10_000, signal));
  await read();
  const answer = await ask(read(AbortSignal.abort()));
  expect(answer).toEqual({ status: 'unavailable', reason: expect.stringContaining('CANCELLED') });
  // The node reads the calls of a connection in order.
  await read();
  expect(answered).toBe(2);
});

test('a stream whose signal has aborted is not opened, and ends for each kind of reader', async () => {
  const node = createServer();
  const paths: string[] = [];
  node.on('stream', (stream, headers) => {
    paths.push(String(headers[':path']));
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
      { endStream: true },
    );
  });
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  const client = createChainClient({ url: `http://127.0.0.1:${(node.address() as AddressInfo).port}` });
  cleanups.push(
    () => client.close(),
    () => node.close(),
  );
  const { ledgerService } = client;
  await expect(ledgerService.listEvents({})).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
  const open = () => ledgerService.listTransactions({}, callOptions(10_000, AbortSignal.abort()));
  const cancelled = { code: 'CANCELLED', methodName: 'ListTransactions' };
  await expect(open()).rejects.toMatchObject(cancelled);
  await expect(open().headers).rejects.toMatchObject(cancelled);
  const listened = Promise.withResolvers<unknown>();
  open().responses.onError(listened.resolve);
  expect(await listened.promise).toMatchObject(cancelled);
  const read = async () => {
    for await (const message of open().responses) expect.fail(JSON.stringify(message));
  };
  await expect(read()).rejects.toMatchObject(cancelled);
  await expect(ledgerService.listEvents({})).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
  expect(new Set(paths)).toEqual(new Set(['/sui.rpc.v2.LedgerService/ListEvents']));
  expect(paths).toHaveLength(2);
});

test('a response that arrives after its call was aborted is dropped', async () => {
  const client = await connect({ getServiceInfo: () => ({ chain: 'c' }) });
  const read = (signal?: AbortSignal) => client.ledgerService.getServiceInfo({}, callOptions(10_000, signal));
  // Over an open connection, a call that is cancelled in the turn of its start still reaches the node.
  await read();
  const stop = new AbortController();
  const cancelled = ask(read(stop.signal));
  stop.abort();
  expect(await cancelled).toEqual({ status: 'unavailable', reason: expect.stringContaining('CANCELLED') });
  // Comes behind the dropped response, whose headers would throw outside of any promise.
  expect((await read()).response.chain).toBe('c');
});

test.each(['unary', 'streamed', 'refused'])(
  'a signal that outlives its calls holds none of them: %s',
  async (kind) => {
    const client = await connect({ getServiceInfo: () => ({ chain: 'c' }) });
    const { signal } = new AbortController();
    const requests: WeakRef<object>[] = [];
    const call = async () => {
      const request = {};
      requests.push(new WeakRef(request));
      const options = callOptions(10_000, signal);
      if (kind === 'unary') await client.ledgerService.getServiceInfo(request, options);
      else if (kind === 'refused') await ask(client.ledgerService.getEpoch(request, options));
      // The double streams nothing, so the stream ends with its refusal.
      else await client.ledgerService.listEvents(request, options).then(undefined, () => undefined);
    };
    for (let calls = 0; calls < 50; calls += 1) await call();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    collectGarbage();
    // The connection may still hold its last calls.
    expect(requests.filter((request) => request.deref() !== undefined).length).toBeLessThan(5);
  },
);

test('what the SDK asks by itself ends at the deadline of the client that it was given', async () => {
  const client = await connect({ getServiceInfo: () => new Promise<object>(() => {}) });
  const late = client.within(30).core.getChainIdentifier();
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
});

test('what the SDK asks by itself ends with the signal of the client that it was given', async () => {
  const stop = new AbortController();
  const client = await connect({
    getServiceInfo: () => {
      stop.abort();
      return new Promise<object>(() => {});
    },
  });
  const left = client.within(10_000, stop.signal).core.getChainIdentifier();
  await expect(left).rejects.toMatchObject({ code: 'CANCELLED' });
});

test('calls with options of their own end with the deadline and the signal of the client that was given', async () => {
  const stop = new AbortController();
  let read = 0;
  const client = await connect({
    getObject: () => {
      if (++read === 2) stop.abort();
      return new Promise<object>(() => {});
    },
  });
  const get = (own: ReturnType<typeof callOptions>, bounded: SuiGrpcClient) =>
    bounded.ledgerService.getObject({ objectId: '0x2' }, own);
  await expect(get(callOptions(60_000), client.within(30))).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
  });
  const { core } = client.within(60_000, stop.signal);
  await expect(core.listCoins({ owner: '0x2' })).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
  await expect(get(callOptions(60_000), client.within(60_000, stop.signal))).rejects.toMatchObject({
    code: 'CANCELLED',
  });
  // The SDK passes `{ abort: undefined }` of its own.
  await expect(core.listCoins({ owner: '0x2' })).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(get(callOptions(30), client.within(60_000))).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
  });
});

test('a node url with a path is refused, because gRPC would ignore the path', () => {
  expect(() => createChainClient({ url: 'https://node.example/rpc' })).toThrow(/without a path/);
});

test('a distant node may send megabytes before it waits: 64 KiB a round trip would bound every stream', async () => {
  const server = createServer();
  const opened = once(server, 'session') as Promise<[ServerHttp2Session]>;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createChainClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const call = client.ledgerService.getServiceInfo({}).then(undefined, () => undefined);
  const [session] = await opened;
  onTestFinished(async () => {
    session.destroy();
    client.close();
    server.close();
    await call;
  });
  const [settings] = (await once(session, 'remoteSettings')) as [Settings];
  expect(settings.initialWindowSize).toBeGreaterThanOrEqual(4 * 2 ** 20);
});
