import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { Logger } from '../log/index.ts';
import type { Exchange, Step } from './exchange.ts';
import { createBoundedServer, createRequestListener } from './serve.ts';

/** Returns a `fetch` that sends requests to this process itself, on behalf of the request `origin` that it received. */
type FetchFor = (origin: Exchange) => typeof fetch;

/**
 * Serves requests of this process to itself by steps, without a port, so that it gets the same responses as clients. They
 * have the client address and the proxies of the request that caused them. No header of a client can claim that.
 */
export function serveInProcess(stepsFor: (origin: Exchange) => readonly Step[], log: Logger): FetchFor {
  const handlers = new WeakMap<object, (req: IncomingMessage, res: ServerResponse) => void>();
  const server = createBoundedServer((req, res) => handlers.get(req.socket)!(req, res));

  return (origin) => async (input, init) => {
    const sent = new Request(input, init);
    // Read before the request begins: an abort meanwhile would be an error event without a listener.
    const body = Buffer.from(await sent.arrayBuffer());
    const [clientEnd, serverEnd] = duplexPair();
    Object.defineProperty(serverEnd, 'remoteAddress', { value: origin.req.socket.remoteAddress });
    handlers.set(serverEnd, createRequestListener(stepsFor(origin), log));
    server.emit('connection', serverEnd);
    const { pathname, search, host } = new URL(sent.url);
    const forwarded = origin.req.headers['x-forwarded-for'];
    const outgoing = request({
      createConnection: () => clientEnd,
      method: sent.method,
      path: pathname + search,
      headers: {
        ...Object.fromEntries(sent.headers),
        host,
        'x-request-id': origin.requestId,
        connection: 'close',
        ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
      },
      signal: sent.signal,
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const status = response.statusCode ?? 502;
    const headers = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : (Readable.toWeb(response) as ReadableStream), { status, headers });
  };
}
