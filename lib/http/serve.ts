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
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { formatHost, listenOn, type Port } from '@adaptor-marketplace/process';
import { Histogram, type Registry } from '@prometheus-io/client';
import { type Problem, problem } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { getTracing } from '../tracing/tracing.ts';
import {
  beginExchange,
  buildProblemBody,
  type Exchange,
  resolveRequestId,
  type Step,
  sendError,
  sendProblem,
  splitUrl,
} from './exchange.ts';
import { endServerSpan } from './server-span.ts';

/** Limits of a connection before a route has handled any of it, in milliseconds and bytes. */
const limits: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // Above the idle time of common load balancers, which would otherwise reuse a closing connection.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  // Node would refuse it with an empty response.
  requireHostHeader: false,
};
const connectionsMax = 10_000;
/** Maximum number of connections of one sender, so that none can take all of them. */
const connectionsPerSenderMax = 2_000;
/** Maximum time for requests in progress to end when the server closes, in milliseconds. */
const drainMs = 10_000;
/** Time for which a closing server still takes requests of open connections, in milliseconds: some are on their way. */
const lastRequestsMs = 100;
/** Time in which a client must receive some of the bytes that a response has for it, in milliseconds. */
const unreadMsMax = 30_000;
/** Lowest rate at which a client must receive the bytes that a response has for it, on average after `unreadMsMax`. */
const bytesPerSecondMin = 16 * 1024;
const paceCheckMs = 5_000;

export interface HttpServer {
  url: string;
  /**
   * Ends each connection with its next response, and those that ask for nothing. Stops accepting connections, and lets
   * requests in progress end.
   */
  close(): Promise<void>;
}

/** Headers of the responses that a server sends before a request gets to the steps, by its connection. */
type RefusalHeaders = (socket: Socket) => readonly (readonly [string, string])[];

/** Creates a server with the limits that all servers of this process have. It does not listen yet. */
export function createBoundedServer(
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
  refusalHeaders: RefusalHeaders = () => [],
): Server {
  const receive = (req: IncomingMessage, res: ServerResponse) => {
    req.url = stripHost(req.url ?? '/');
    const refusal = findHeaderFault(req);
    if (refusal === undefined) return onRequest(req, res);
    const requestId = resolveRequestId(req);
    res.setHeader('x-request-id', requestId);
    for (const [name, value] of refusalHeaders(req.socket)) res.setHeader(name, value);
    sendProblem({ req, res, requestId }, refusal);
  };
  const server = createServer(limits, receive);
  // An expectation that this server does not know is ignored (RFC 9110 section 10.1.1). Node would send an empty 417.
  server.on('checkExpectation', receive);
  return server.on('clientError', (error, socket) => refuseBytes(error, socket as Socket, refusalHeaders));
}

interface ListenOptions {
  refusalHeaders?: RefusalHeaders;
  /** Finds the sender of a connection. Undefined if the connection counts for none, such as that of a proxy. */
  findSender?: (socket: Socket) => string | undefined;
}

export async function listen(
  host: string,
  port: Port,
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
  { refusalHeaders, findSender = () => undefined }: ListenOptions = {},
): Promise<HttpServer> {
  const underWay = new Set<ServerResponse>();
  let drained: Promise<void> | undefined;
  const server = createBoundedServer((req, res) => {
    underWay.add(res.once('close', () => underWay.delete(res)));
    if (drained) res.shouldKeepAlive = false;
    dropUnread(res);
    onRequest(req, res);
  }, refusalHeaders);
  server.maxConnections = connectionsMax;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  const share = createConnectionShare(connectionsPerSenderMax);
  server.on('connection', (socket) => share(findSender(socket), socket));
  const checkPace = createPaceCheck(unreadMsMax, bytesPerSecondMin);
  const pace = setInterval(() => checkPace(sockets, performance.now()), paceCheckMs);
  server.once('close', () => clearInterval(pace));
  const address = await listenOn(server, port, host);
  const close = () => {
    drained ??= drain(server, sockets, underWay);
    return drained;
  };
  return { url: `http://${formatHost(host)}:${address.port}`, close };
}

/** Returns a function that counts the connections of each sender, and destroys those beyond `max`. */
export function createConnectionShare(max: number): (sender: string | undefined, socket: Socket) => void {
  const counts = new Map<string, number>();
  return (sender, socket) => {
    if (sender === undefined) return;
    const count = (counts.get(sender) ?? 0) + 1;
    if (count > max) return void socket.destroy();
    counts.set(sender, count);
    socket.once('close', () => {
      const left = counts.get(sender)! - 1;
      if (left > 0) counts.set(sender, left);
      else counts.delete(sender);
    });
  };
}

/**
 * Destroys the connection of a client that receives nothing of a response for `msMax`, since the bytes stay in memory. A
 * response without bytes to send may wait for any time.
 */
export function dropUnread(res: ServerResponse, msMax = unreadMsMax): void {
  res.setTimeout(msMax, () => {
    if (res.writableLength > 0) res.destroy();
  });
}

/**
 * Returns a check that destroys connections whose clients receive more slowly than `bytesPerSecond`, averaged since the
 * last check at which nothing waited for them, and after `graceMs`. A client that takes a few bytes now and then is not
 * idle, and would keep whole responses in memory for hours.
 */
export function createPaceCheck(
  graceMs: number,
  bytesPerSecond: number,
): (sockets: Iterable<Socket>, nowMs: number) => void {
  /** Time since which bytes wait for a client, and the bytes that it had received by then at least. */
  const behind = new WeakMap<Socket, { sinceMs: number; received: number }>();

  function isTooSlow(socket: Socket, nowMs: number): boolean {
    const { bytesWritten, writableLength } = socket;
    if (writableLength === 0) {
      behind.delete(socket);
      return false;
    }
    const begun = behind.get(socket) ?? { sinceMs: nowMs, received: bytesWritten - writableLength };
    behind.set(socket, begun);
    return nowMs - begun.sinceMs > graceMs + ((bytesWritten - begun.received) / bytesPerSecond) * 1_000;
  }

  return (sockets, nowMs) => {
    for (const socket of sockets) if (isTooSlow(socket, nowMs)) socket.destroy();
  };
}

/** Returns path and query of a url. A request can have an absolute url, as to a proxy (RFC 9112 section 3.2.2). */
const stripHost = (url: string): string => url.replace(/^[^/?]+:\/\/[^/?]*\/?/, '/');

/**
 * Headers that a request may have once. Node uses the first and drops the others, but a proxy before this server may
 * use another. The host, the caller and the content type of a request must not depend on that.
 */
const singleHeaders = new Set(['host', 'authorization', 'content-type', 'x-api-key']);

function findHeaderFault(req: IncomingMessage): Problem | undefined {
  const repeated = findRepeatedHeader(req);
  if (repeated !== undefined) return problem('repeated_header', `The header ${repeated} may be given once.`);
  const { host } = req.headers;
  if (host === undefined)
    return req.httpVersion === '1.1'
      ? problem('bad_request', 'HTTP/1.1 requires the header host.')
      : undefined;
  if (isHost(host)) return undefined;
  return problem('bad_request', 'The header host is not a host name or an address, with an optional port.');
}

/** RFC 9112 section 3.2. Code that builds a URL from the header must not fail. The header may be empty. */
const isHost = (text: string): boolean =>
  text === '' || (!/[\s/?#@\\]/.test(text) && URL.canParse(`http://${text}`));

function findRepeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Responds to bytes that are not HTTP. They never become a request, so the response goes directly to the socket. */
function refuseBytes(error: Error & { code?: string }, socket: Socket, refusalHeaders: RefusalHeaders): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = describeParserError(error.code);
  const requestId = randomUUID();
  const body = JSON.stringify(buildProblemBody(refusal, requestId));
  const headers = refusalHeaders(socket).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n` +
      `connection: close\r\nx-request-id: ${requestId}\r\n${headers.join('')}` +
      `content-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function describeParserError(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers_too_large', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problem('request_timeout', 'The request did not arrive in time.');
  }
  return problem('bad_request', 'This is not HTTP/1.1.');
}

async function drain(
  server: Server,
  sockets: ReadonlySet<Socket>,
  underWay: ReadonlySet<ServerResponse>,
): Promise<void> {
  // Responses say `connection: close`, or their clients would send the next request to a closed connection.
  for (const res of underWay) res.shouldKeepAlive = false;
  const isUsed = (socket: Socket) => socket.bytesRead > 0;
  if ([...sockets].some(isUsed)) await delay(lastRequestsMs);
  // A request that has arrived by now is read first.
  await setImmediate();
  const closed = once(server, 'close');
  server.close();
  const closeIdle = () => {
    // Node closes a keep-alive connection only if it is idle at the time of this call.
    server.closeIdleConnections();
    // Browsers and pools open connections in advance. Node would wait for their first request.
    for (const socket of sockets) if (!isUsed(socket)) socket.destroy();
  };
  closeIdle();
  const sweep = setInterval(closeIdle, 50);
  const giveUp = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(giveUp);
}

/** Probes call these every few seconds; their lines and spans would bury the others. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics']);

const pathLengthMax = 200;

/** Lines of refused requests in a minute. Anyone can send such requests, and full lines would fill the disk. */
const refusedLinesMax = 300;
const minuteMs = 60_000;

/** Returns a function that is `true` for the first `refusedLinesMax` calls of each minute. It logs when others follow. */
function limitRefusedLines(log: Logger, now: () => number): () => boolean {
  let endsMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    const nowMs = now();
    if (nowMs >= endsMs) {
      endsMs = nowMs + minuteMs;
      count = 0;
    }
    count += 1;
    if (count === refusedLinesMax + 1) {
      log.warn(
        { lines: refusedLinesMax },
        'too many refused requests: those of the rest of this minute have no line; /metrics counts them',
      );
    }
    return count <= refusedLinesMax;
  };
}

interface ObserveOptions {
  log: Logger;
  metrics: Registry;
  /** Name of the histogram of durations; each service of a process has its own. */
  name: string;
  /** Clock in milliseconds. Default: that of the process. */
  now?: () => number;
}

/**
 * Records one log line, one measurement and one span per request, when the response is sent or the caller has disconnected. The
 * lines of refused requests have a limit.
 */
export function observe({ log, metrics, name, now = () => performance.now() }: ObserveOptions): Step {
  const duration = new Histogram({
    name,
    help: 'Time from the arrival of a request to the end of its answer, in seconds.',
    labelNames: ['route', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  // Bound once per pair of labels: looking them up costs more than observing.
  const bound = new Map<string, Histogram.Internal<'route' | 'status'>>();
  const mayLogRefused = limitRefusedLines(log, now);

  function record(exchange: Exchange): void {
    const { req, res, requestId, route } = exchange;
    const ms = performance.now() - exchange.startedAtMs;
    const aborted = !res.writableFinished;
    const status = res.statusCode;
    const key = `${route} ${status}`;
    let timer = bound.get(key);
    if (!timer) {
      timer = duration.labels(route, String(status));
      bound.set(key, timer);
    }
    timer.observe(ms / 1000);
    const tracing = getTracing();
    if (tracing && !quietRoutes.has(route)) endServerSpan(tracing, exchange);
    // A route template does not show what was not found. The query is left out: it may carry a secret.
    const path = status === 404 ? splitUrl(req.url ?? '').path.slice(0, pathLengthMax) : undefined;
    const level = status < 400 || quietRoutes.has(route) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level) || (level === 'info' && !mayLogRefused())) return;
    log[level](
      { requestId, method: req.method, route, path, status, ms: Math.round(ms * 10) / 10, aborted },
      'request',
    );
  }

  return (exchange) => {
    exchange.res.once('close', () => record(exchange));
    return false;
  };
}

const urlLengthMax = 12_000;

/** Creates a listener that begins an exchange for each request, and passes it to the steps in order until one answers. */
export function createRequestListener(
  steps: readonly Step[],
  log: Logger,
): (req: IncomingMessage, res: ServerResponse) => void {
  async function passLater(exchange: Exchange, taken: Promise<boolean>, next: number): Promise<void> {
    try {
      if (!(await taken) && !exchange.res.destroyed) pass(exchange, next);
    } catch (error) {
      sendError(exchange, error, log);
    }
  }

  function pass(exchange: Exchange, first: number): void {
    for (let at = first; at < steps.length; at += 1) {
      const taken = steps[at]!(exchange);
      if (taken === true) return;
      if (taken !== false) return void passLater(exchange, taken, at + 1);
    }
  }

  return (req, res) => {
    const exchange = beginExchange(req, res);
    try {
      pass(exchange, 0);
    } catch (error) {
      sendError(exchange, error, log);
    }
  };
}

/**
 * Serves HTTP. Each request passes the steps in order until one answers it: the list of steps is the life of a request.
 * A step that throws ends the request with the error's problem, or 500. Rejects if the server cannot listen.
 */
export const serve = (
  host: string,
  port: Port,
  steps: readonly Step[],
  log: Logger,
  options?: ListenOptions,
): Promise<HttpServer> => listen(host, port, createRequestListener(steps, log), options);

export function sendRequestId({ res, requestId }: Exchange): boolean {
  res.setHeader('x-request-id', requestId);
  return false;
}

/** Refuses a url that no route takes: it would be logged, matched and echoed at its full length. */
export function refuseLongUrl(exchange: Exchange): boolean {
  if ((exchange.req.url ?? '').length <= urlLengthMax) return false;
  const detail = `The url may have ${urlLengthMax} characters.`;
  sendProblem(exchange, problem('uri_too_long', detail));
  return true;
}
