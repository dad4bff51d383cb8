import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { GrpcTypes, RpcError, type SuiGrpcClient } from '@mysten/sui/grpc';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { describeEachTransport } from '../testing/each-transport.ts';
import { type GrpcServer, type ServeOptions, serveGrpc } from './serve.ts';
import { bindService, type CallContext, type MethodsOf } from './service.ts';
import { GrpcError, GrpcStatusCode, invalidArgument } from './status.ts';
import { badField } from './status-details.ts';

type Ledger = MethodsOf<SuiGrpcClient['ledgerService']>;
type Subscriptions = MethodsOf<SuiGrpcClient['subscriptionService']>;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(
  methods: { ledger?: Ledger; subscriptions?: Subscriptions },
  options: Partial<ServeOptions> = {},
): Promise<GrpcServer> {
  const services = [
    bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, methods.ledger ?? {}),
    bindService<SuiGrpcClient['subscriptionService']>(
      GrpcTypes.SubscriptionService,
      methods.subscriptions ?? {},
    ),
  ];
  const server = await serveGrpc({ host: '127.0.0.1', port: 0, services, ...options });
  cleanups.push(() => server.close());
  return server;
}

async function rejection(promise: PromiseLike<unknown>): Promise<RpcError> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(RpcError);
    return error as RpcError;
  }
  throw new Error('expected a rejection');
}

async function collect<T>(frames: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const frame of frames) collected.push(frame);
  return collected;
}

const checkpointFrame = (cursor: bigint) => GrpcTypes.SubscribeCheckpointsResponse.create({ cursor });

/** A stream without end that tells when its call was over. */
function endless(frame: () => GrpcTypes.SubscribeCheckpointsResponse, pause = async () => {}) {
  const ended = Promise.withResolvers<unknown>();
  let produced = 0;
  async function* frames(_request: object, context: CallContext) {
    context.signal.addEventListener('abort', () => ended.resolve(context.signal.reason));
    for (;;) {
      produced += 1;
      await pause();
      yield frame();
    }
  }
  return { frames, ended: ended.promise, produced: () => produced };
}

describeEachTransport('the gRPC server', (transport) => {
  function connect(server: GrpcServer): SuiGrpcClient {
    const { client, close } = transport.connect(server.url);
    cleanups.push(close);
    return client;
  }

  test('a request reaches its handler and the answer its caller, whole', async () => {
    const server = await serve({
      ledger: {
        getObject: async ({ objectId, version }) => ({
          object: GrpcTypes.Object.create({ objectId: objectId!, version: version! }),
        }),
      },
    });
    const { response } = await connect(server).ledgerService.getObject({ objectId: '0x2', version: 7n });
    expect(response.object).toMatchObject({ objectId: '0x2', version: 7n });
  });

  test('response headers come with the answer, as they are by then', async () => {
    let headers = { 'x-sui-chain-id': 'abc' };
    const server = await serve(
      { ledger: { getServiceInfo: async () => ({ chain: 'x' }) } },
      { headers: () => headers },
    );
    const client = connect(server);
    for (const chain of ['abc', 'def']) {
      headers = { 'x-sui-chain-id': chain };
      const call = client.ledgerService.getServiceInfo({});
      expect((await call.headers)['x-sui-chain-id']).toBe(chain);
      await call;
    }
  });

  test('a large answer arrives whole', async () => {
    const value = new Uint8Array(6 * 1024 * 1024).fill(7);
    const server = await serve({
      ledger: { getObject: async () => ({ object: GrpcTypes.Object.create({ bcs: { value } }) }) },
    });
    const { response } = await connect(server).ledgerService.getObject({});
    expect(Buffer.compare(response.object!.bcs!.value!, value)).toBe(0);
  });

  test('a refusal keeps its code, its words in any script and its details', async () => {
    const server = await serve({
      ledger: {
        getObject: async () => {
          throw invalidArgument('ungültig: 100 %\n☃', [badField('object_id', 'not hex')]);
        },
      },
    });
    const error = await rejection(connect(server).ledgerService.getObject({}));
    expect(error.code).toBe('INVALID_ARGUMENT');
    expect(error.message).toBe('ungültig: 100 %\n☃');
    const details = error.meta['grpc-status-details-bin'];
    expect(Buffer.from(String(details), 'base64').toString('latin1')).toContain('not hex');
  });

  test('an unexpected failure answers INTERNAL without its message, which is reported', async () => {
    const onInternalError = vi.fn();
    const server = await serve(
      {
        ledger: {
          getObject: async () => {
            throw new Error('secret path');
          },
        },
      },
      { onInternalError },
    );
    const error = await rejection(connect(server).ledgerService.getObject({}));
    expect(error.code).toBe('INTERNAL');
    expect(error.message).not.toContain('secret');
    expect(onInternalError).toHaveBeenCalledOnce();
  });

  test('a method nobody implements answers UNIMPLEMENTED and is named', async () => {
    const client = connect(await serve({}));
    const known = await rejection(client.ledgerService.getEpoch({}));
    expect(known.code).toBe('UNIMPLEMENTED');
    expect(known.message).toContain('sui.rpc.v2.LedgerService/GetEpoch');
    const foreign = await rejection(client.nameService.lookupName({ name: 'x.sui' }));
    expect(foreign.code).toBe('UNIMPLEMENTED');
    expect(foreign.message).toContain('NameService/LookupName');
  });

  test('a request above the size limit is refused', async () => {
    const server = await serve({ ledger: { getObject: async () => ({}) } }, { maxRequestBytes: 1000 });
    const error = await rejection(connect(server).ledgerService.getObject({ objectId: '0'.repeat(2000) }));
    expect(error.code).toBe('RESOURCE_EXHAUSTED');
  });

  test('the frames of a stream arrive all, once and in order', async () => {
    const count = 20_000;
    const server = await serve({
      subscriptions: {
        async *subscribeCheckpoints() {
          for (let cursor = 0n; cursor < count; cursor++) yield checkpointFrame(cursor);
        },
      },
    });
    const call = connect(server).subscriptionService.subscribeCheckpoints({});
    const cursors = (await collect(call.responses)).map((frame) => frame.cursor);
    expect(cursors).toEqual(Array.from({ length: count }, (_, index) => BigInt(index)));
    expect((await call.status).code).toBe('OK');
  });

  test('headers of a stream come before its first frame', async () => {
    const first = Promise.withResolvers<void>();
    const server = await serve({
      subscriptions: {
        async *subscribeCheckpoints() {
          await first.promise;
          yield checkpointFrame(1n);
        },
      },
    });
    const call = connect(server).subscriptionService.subscribeCheckpoints({});
    await call.headers;
    first.resolve();
    expect(await collect(call.responses)).toHaveLength(1);
  });

  test('a stream that fails delivers the frames before the failure and then its status', async () => {
    const server = await serve({
      subscriptions: {
        async *subscribeCheckpoints() {
          yield checkpointFrame(1n);
          throw new GrpcError(GrpcStatusCode.OUT_OF_RANGE, 'pruned');
        },
      },
    });
    const call = connect(server).subscriptionService.subscribeCheckpoints({});
    const seen: (bigint | undefined)[] = [];
    const error = await rejection(
      (async () => {
        for await (const frame of call.responses) seen.push(frame.cursor);
      })(),
    );
    expect(seen).toEqual([1n]);
    expect(error).toMatchObject({ code: 'OUT_OF_RANGE', message: 'pruned' });
  });

  test('a client that cancels ends the handler of its stream', async () => {
    const { frames, ended } = endless(() => messageOfBytes(16 * 1024));
    const server = await serve({ subscriptions: { subscribeCheckpoints: frames } });
    const abort = new AbortController();
    const call = connect(server).subscriptionService.subscribeCheckpoints({}, { abort: abort.signal });
    const error = await rejection(
      (async () => {
        for await (const _frame of call.responses) abort.abort();
      })(),
    );
    expect(error.code).toBe('CANCELLED');
    expect(await ended).toMatchObject({ code: GrpcStatusCode.CANCELLED });
  });

  test('a call past its deadline ends, on both sides', async () => {
    const over = Promise.withResolvers<unknown>();
    let begun = false;
    const server = await serve({
      ledger: {
        getObject: (_request, { signal }) => {
          begun = true;
          return new Promise(() => signal.addEventListener('abort', () => over.resolve(signal.reason)));
        },
      },
    });
    const client = connect(server);
    // The first deadlines may pass on the way.
    for (let timeout = 50; !begun; timeout *= 2) {
      const error = await rejection(client.ledgerService.getObject({}, { timeout }));
      expect(error.code).toBe('DEADLINE_EXCEEDED');
    }
    expect(await over.promise).toBeInstanceOf(GrpcError);
  });

  test('a call ended from aside gets that status, though its handler still waits', async () => {
    const server = await serve({
      subscriptions: {
        async *subscribeCheckpoints(_request, context) {
          yield checkpointFrame(1n);
          context.fail(new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, 'too slow'));
          await new Promise(() => undefined);
        },
      },
    });
    const call = connect(server).subscriptionService.subscribeCheckpoints({});
    const error = await rejection(collect(call.responses));
    expect(error).toMatchObject({ code: 'RESOURCE_EXHAUSTED', message: 'too slow' });
  });

  test('closing the server ends open streams with UNAVAILABLE', async () => {
    const server = await serve({
      subscriptions: {
        async *subscribeCheckpoints() {
          yield checkpointFrame(1n);
          await new Promise(() => undefined);
        },
      },
    });
    const call = connect(server).subscriptionService.subscribeCheckpoints({});
    const error = await rejection(
      (async () => {
        for await (const _frame of call.responses) void server.close();
      })(),
    );
    expect(error.code).toBe('UNAVAILABLE');
  });
});

describe.each([
  ['HTTP/2', stalledHttp2],
  ['HTTP/1.1', stalledHttp1],
])('a reader over %s that does not read', (_name, open) => {
  const frame = messageOfBytes(16 * 1024);

  test.each([
    ['at once', undefined],
    ['one by one', setImmediate],
  ])('holds back the sender of frames that come %s, and is dropped', async (_pace, pause) => {
    const { frames, ended, produced } = endless(() => frame, pause);
    const server = await serve({ subscriptions: { subscribeCheckpoints: frames } }, { stallMs: 200 });
    cleanups.push(open(server.port));
    expect(await ended).toBeInstanceOf(GrpcError);
    // Only what fits the socket's buffers: tens of megabytes at most.
    expect(produced()).toBeLessThan(2_000);
  });
});

test('a reader that takes a large answer slowly gets all of it, however long that takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stallMs = 1_000;
  const server = await serve(
    { ledger: { getServiceInfo: async () => ({ server: 'x'.repeat(8_000_000) }) } },
    { stallMs },
  );
  const session = http2.connect(server.url);
  cleanups.push(() => session.destroy());
  const headers = { ':method': 'POST', ':path': infoPath, 'content-type': 'application/grpc' };
  const stream = session.request(headers);
  stream.end(Buffer.alloc(5));
  let bytes = 0;
  let nearlyStalled = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    // More than the connection's window and a part of the answer: the server saw some of it taken.
    if (bytes < (nearlyStalled + 1) * 400_000) continue;
    nearlyStalled += 1;
    vi.advanceTimersByTime(stallMs - 1);
  }
  expect(bytes).toBeGreaterThan(8_000_000);
  expect(nearlyStalled).toBe(20);
});

function messageOfBytes(bytes: number) {
  const checkpoint = GrpcTypes.Checkpoint.create({ digest: 'x'.repeat(bytes) });
  return GrpcTypes.SubscribeCheckpointsResponse.create({ cursor: 1n, checkpoint });
}

const subscribePath = '/sui.rpc.v2.SubscriptionService/SubscribeCheckpoints';
const infoPath = '/sui.rpc.v2.LedgerService/GetServiceInfo';

function stalledHttp2(port: number): () => void {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const headers = { ':method': 'POST', ':path': subscribePath, 'content-type': 'application/grpc' };
  const stream = session.request(headers);
  stream.on('error', () => undefined);
  stream.pause();
  stream.end(Buffer.alloc(5));
  return () => session.destroy();
}

function stalledHttp1(port: number): () => void {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  const type = 'application/grpc-web+proto';
  socket.write(
    `POST ${subscribePath} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 5\r\n\r\n`,
  );
  socket.write(Buffer.alloc(5));
  return () => socket.destroy();
}

describe('the port', () => {
  test('a browser of any origin may call: its preflight is answered with what it asked for', async () => {
    const server = await serve({ ledger: { getServiceInfo: async () => ({}) } });
    const preflight = await fetch(`${server.url}/sui.rpc.v2.LedgerService/GetServiceInfo`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-grpc-web,authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-grpc-web,authorization');
  });

  test('requests that are not gRPC go to the http hook, and are refused without one', async () => {
    const server = await serve(
      {},
      {
        http: (request, response) => {
          if (request.url !== '/health') return false;
          response.writeHead(200, {});
          response.end('up');
          return true;
        },
      },
    );
    expect(await (await fetch(`${server.url}/health`)).text()).toBe('up');
    expect((await fetch(`${server.url}/elsewhere`)).status).toBe(415);
  });

  test.each([
    ['an empty body', ''],
    ['a length beyond the body', Buffer.from([0, 0, 0, 1, 0, 1]).toString('latin1')],
    ['a message that does not decode', Buffer.from([0, 0, 0, 0, 1, 0xff]).toString('latin1')],
  ])('%s is INVALID_ARGUMENT', async (_name, body) => {
    const server = await serve({ ledger: { getObject: async () => ({}) } });
    const response = await fetch(`${server.url}/sui.rpc.v2.LedgerService/GetObject`, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web+proto' },
      body: Buffer.from(body, 'latin1'),
    });
    expect(await response.text()).toContain('grpc-status:3');
  });

  test.each([
    ['says nothing', ''],
    ['begins a request and sends its headers slowly', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['does so after a whole request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n'],
  ])('a connection that %s is cut off', async (_name, bytes) => {
    const server = await serve({}, { headersTimeoutMs: 50 });
    const socket = net.connect(server.port, '127.0.0.1');
    cleanups.push(() => socket.destroy());
    const closed = once(socket, 'close');
    socket.resume();
    socket.write(bytes);
    await closed;
  });

  const held = 1_000_000;
  const info = { path: infoPath, body: Buffer.alloc(5) };

  /** The grpc-status of a whole request. */
  async function statusOf(server: GrpcServer): Promise<string | undefined> {
    const headers = { 'content-type': 'application/grpc-web+proto' };
    const response = await fetch(server.url + info.path, { method: 'POST', headers, body: info.body });
    return /grpc-status:(\d+)/.exec(await response.text())?.[1];
  }

  /** A connection whose client takes nothing, with one request on it. */
  function openRequest(server: GrpcServer, body: Buffer) {
    const session = http2.connect(server.url, { settings: { initialWindowSize: 0 } });
    session.on('error', () => undefined);
    cleanups.push(() => session.destroy());
    const headers = { ':method': 'POST', ':path': info.path, 'content-type': 'application/grpc' };
    const stream = session.request(headers, { endStream: false });
    stream.on('error', () => undefined);
    stream.write(body);
    return { session, stream };
  }

  test.each([
    ['the whole bodies that do not end', Buffer.alloc(held), false],
    ['the answers that nobody takes', info.body, true],
  ])('%s hold no more than a bound, and nothing when their connection is gone', async (_name, body, ends) => {
    const getServiceInfo = async () => ({ server: 'x'.repeat(ends ? held : 1) });
    const server = await serve({ ledger: { getServiceInfo } }, { maxHeldBytes: held });
    expect(await statusOf(server)).toBe('0');
    const { session, stream } = openRequest(server, body);
    if (ends) stream.end();
    await eventually(async () => expect(await statusOf(server)).toBe('8'));
    session.destroy();
    await eventually(async () => expect(await statusOf(server)).toBe('0'));
  });

  test('requests that their client resets, at whatever moment, end, and disturb no others', async () => {
    let begun = 0;
    let ended = 0;
    const getServiceInfo = async (_request: object, { signal }: CallContext) => {
      begun += 1;
      signal.addEventListener('abort', () => {
        ended += 1;
      });
      return { server: 'x'.repeat(100_000) };
    };
    const server = await serve({ ledger: { getServiceInfo } });
    const session = http2.connect(server.url);
    cleanups.push(() => session.destroy());
    const headers = { ':method': 'POST', ':path': info.path, 'content-type': 'application/grpc' };
    for (let turns = 0; turns < 20; turns += 1) {
      const stream = session.request(headers);
      stream.on('error', () => undefined);
      const closed = once(stream, 'close');
      stream.end(info.body);
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      stream.close(http2.constants.NGHTTP2_CANCEL);
      await closed;
    }
    expect(await statusOf(server)).toBe('0');
    await eventually(() => expect(ended).toBe(begun));
  });

  test('a connection that says nothing intelligible does not disturb others', async () => {
    const server = await serve({ ledger: { getServiceInfo: async () => ({}) } });
    const socket = net.connect(server.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.resume();
    socket.write('PRI * HTTP/2.0\r\n\r\nnonsense that is not settings frame at all\r\n\r\n');
    await closed;
    expect((await fetch(`${server.url}/elsewhere`)).status).toBe(415);
  });
});
