import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Problem } from '../../../lib/errors/index.ts';
import { problemBody } from '../../../lib/http/problem.ts';
import { sendProblem } from '../respond/problem.ts';
import type { Exchange, Step } from './exchange.ts';
import { identify } from './identify.ts';

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
const urlLengthMax = 8_000;
/** How long requests under way may take to end when the server closes. */
const drainMs = 10_000;

export interface HttpServer {
  url: string;
  /** Stops taking connections, lets requests under way end, then breaks off what is left. */
  close(): Promise<void>;
}

/** Serves HTTP, each request passing the steps in order until one takes it. */
export async function listenHttp(host: string, port: number, steps: readonly Step[]): Promise<HttpServer> {
  const server = createServer(limits, (req, res) => {
    const exchange = identify(req, res);
    for (const step of steps) if (step(exchange)) return;
  });
  server.maxConnections = connectionsMax;
  server.on('clientError', refuseBytes);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}`, close: () => drain(server) };
}

/** Refuses what no route takes: it would be logged, matched and echoed at its full length. */
export function refuseLongUrl(exchange: Exchange): boolean {
  if ((exchange.req.url ?? '').length <= urlLengthMax) return false;
  const detail = `The url may have ${urlLengthMax} characters.`;
  sendProblem(exchange, { status: 414, code: 'uri_too_long', title: 'URI too long', detail });
  return true;
}

/** What is not HTTP never becomes a request, so it is answered on the bare connection. */
function refuseBytes(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem = problemOfBytes(error.code);
  const requestId = randomUUID();
  const body = JSON.stringify(problemBody(problem, requestId));
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      `connection: close\r\nx-request-id: ${requestId}\r\n` +
      `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function problemOfBytes(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const detail = 'The headers are too large.';
    return { status: 431, code: 'headers_too_large', title: 'Headers too large', detail };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const detail = 'The request did not arrive in time.';
    return { status: 408, code: 'request_timeout', title: 'Request timeout', detail };
  }
  return { status: 400, code: 'bad_request', title: 'Bad request', detail: 'This is not HTTP/1.1.' };
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
