import { once } from 'node:events';
import { createServer, type ServerHttp2Session, type Settings } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startNodeDouble, type UnaryHandler } from '../testing/node-double.ts';
import { ask } from './answers.ts';
import { callOptions } from './call-options.ts';
import { type ChainClient, createChainClient } from './client.ts';

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
