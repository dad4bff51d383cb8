import { once } from 'node:events';
import {
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** Manipulation of the calls of one method. */
interface Meddling {
  /** Runs before a call reaches the node. */
  before?(): Promise<unknown>;
  /** Replaces the node's only response message. */
  answer?(message: Uint8Array): Uint8Array;
}

export interface NodeProxy {
  /** URL of the proxy. */
  url: string;
  /**
   * Manipulates the calls of a method from now on, by its gRPC name such as `ExecuteTransaction`; undefined stops that.
   */
  meddle(method: string, meddling: Meddling | undefined): void;
  close(): Promise<void>;
}

const { HTTP2_HEADER_PATH, HTTP2_HEADER_AUTHORITY, NGHTTP2_FLAG_END_STREAM } = constants;
/** Length of the prefix of a gRPC message: a flag of one byte, and the message's length. */
const prefixBytes = 5;

/** A proxy to a full node that can delay single calls and rewrite their responses. */
export async function startNodeProxy(target: string): Promise<NodeProxy> {
  const meddlings = new Map<string, Meddling>();
  const node = connect(target);
  node.on('error', () => undefined);
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (near, headers) => {
    near.on('error', () => undefined);
    const meddling = meddlings.get(String(headers[HTTP2_HEADER_PATH]).split('/').at(-1)!);
    void (async () => {
      await meddling?.before?.();
      // The client may be gone after a delay.
      if (near.destroyed) return;
      const { [HTTP2_HEADER_AUTHORITY]: _, ...rest } = headers;
      pass(near, node.request(rest), meddling?.answer);
    })().catch(() => near.close(constants.NGHTTP2_INTERNAL_ERROR));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meddle(method, meddling) {
      if (meddling) meddlings.set(method, meddling);
      else meddlings.delete(method);
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.destroy();
      node.destroy();
      await closed;
    },
  };
}

function pass(near: ServerHttp2Stream, far: ClientHttp2Stream, rewrite: Meddling['answer']): void {
  let trailers: IncomingHttpHeaders = {};
  far.on('error', () => near.close(constants.NGHTTP2_INTERNAL_ERROR));
  near.on('close', () => far.close());
  near.pipe(far);
  far.on('response', (headers, flags) => {
    // A response of trailers alone: the call failed.
    if (flags & NGHTTP2_FLAG_END_STREAM) return near.respond(headers, { endStream: true });
    near.respond(headers, { waitForTrailers: true });
    if (rewrite) void rewritten(far, rewrite).then((bytes) => near.end(bytes));
    else far.pipe(near);
  });
  far.on('trailers', (found) => {
    trailers = found;
  });
  near.on('wantTrailers', () => near.sendTrailers(trailers));
}

async function rewritten(
  far: ClientHttp2Stream,
  rewrite: (message: Uint8Array) => Uint8Array,
): Promise<Buffer> {
  const bytes = Buffer.concat(await Array.fromAsync(far as AsyncIterable<Buffer>));
  if (bytes.length < prefixBytes || bytes[0] !== 0) return bytes;
  const message = rewrite(bytes.subarray(prefixBytes));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
