import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { listenOn, type Port } from '@adaptor-marketplace/localnet/internal/listen-on';
import { type Problem, problem } from '../errors/index.ts';
import { requestIdOf } from './exchange.ts';
import { problemBody, sendProblem } from './problem.ts';

/** Bounds on what a connection may cost before a route has seen anything of it. Milliseconds and bytes. */
const limits: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // Above the idle time of common load balancers, which would otherwise reuse a closing connection.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
};
const connectionsMax = 10_000;
/** How long requests under way may take to end when the server closes. */
const drainMs = 10_000;

export interface HttpServer {
  url: string;
  /** Stops taking connections, lets requests under way end, then closes the remaining connections. */
  close(): Promise<void>;
}

/** Serves HTTP on an address. Rejects where it cannot. */
export async function listen(
  host: string,
  port: Port,
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<HttpServer> {
  const server = createServer(limits, (req, res) => {
    const repeated = repeatedHeader(req);
    if (repeated === undefined) return onRequest(req, res);
    const detail = `The header ${repeated} may be given once.`;
    sendProblem({ req, res, requestId: requestIdOf(req) }, problem('repeated_header', detail));
  });
  server.maxConnections = connectionsMax;
  server.on('clientError', refuseBytes);
  const address = await listenOn(server, port, host);
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}`, close: () => drain(server) };
}

/**
 * Headers of which node takes the first and drops the others, where a proxy before this server may have taken another:
 * for which host, as whom, and as what a request is read must not depend on that.
 */
const singleHeaders = new Set(['host', 'authorization', 'content-type', 'x-api-key']);

/** The first header that is repeated and must not be. */
function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** What is not HTTP never becomes a request, so it is answered on the bare connection. */
function refuseBytes(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = problemOfBytes(error.code);
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(refusal, requestId));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n` +
      `connection: close\r\nx-request-id: ${requestId}\r\n` +
      `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function problemOfBytes(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers_too_large', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problem('request_timeout', 'The request did not arrive in time.');
  }
  return problem('bad_request', 'This is not HTTP/1.1.');
}

async function drain(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection kept alive is closed only once it is idle, and node looks for that just when asked.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const giveUp = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(giveUp);
}
