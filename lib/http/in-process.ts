import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { Logger } from '../log/index.ts';
import type { Exchange, Step } from './exchange.ts';
import { createBoundedServer, passing } from './serve.ts';

/** `fetch` for requests that this process sends itself on behalf of one that it received. */
type FetchFor = (origin: Exchange) => typeof fetch;

/**
 * Serves requests of this process by steps, without a port, so that it gets the same responses as the network. They
 * have the client address of the request that caused them, with its proxies. No header can name that origin.
 */
export function inProcess(stepsFor: (origin: Exchange) => readonly Step[], log: Logger): FetchFor {
  const handlers = new WeakMap<object, (req: IncomingMessage, res: ServerResponse) => void>();
  const server = createBoundedServer((req, res) => handlers.get(req.socket)!(req, res));

  return (origin) => async (input, init) => {
    const sent = new Request(input, init);
    // Read before the request begins: an abort meanwhile would be an error event without a listener.
    const body = Buffer.from(await sent.arrayBuffer());
    const [near, far] = duplexPair();
    Object.defineProperty(far, 'remoteAddress', { value: origin.req.socket.remoteAddress });
    handlers.set(far, passing(stepsFor(origin), log));
    server.emit('connection', far);
    const { pathname, search, host } = new URL(sent.url);
    const forwarded = origin.req.headers['x-forwarded-for'];
    const outgoing = request({
      createConnection: () => near,
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
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const status = answer.statusCode ?? 502;
    const headers = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers });
  };
}
