import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import { NodeUnavailableError } from '@adaptor-marketplace/adaptor/chain';
import { isDatabaseAway } from '../errors/database-away.ts';
import { kvUnavailable, nodeProblem, type Problem, ProblemError, problem } from '../errors/index.ts';
import { type ProblemCode, toProblemType } from '../errors/problems.ts';
import { KvUnavailableError } from '../kv/kv.ts';
import type { Logger } from '../log/index.ts';
import type { Span } from '../tracing/tracing.ts';
import { chooseEncoding, type Encoding, encode } from './negotiation.ts';

export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** `performance.now()` at arrival. */
  startedAtMs: number;
  /** The route's template for logs and metrics, never the url: strangers choose that. */
  route: string;
  /** Span of the request, once something needs it before the request ends. */
  span?: Span;
}

/**
 * One step of a request. It returns `true` if it has answered the request, or will: then no later step runs. A step
 * that must wait returns a promise. Hot paths do not, because a promise costs each request a turn of the event loop.
 */
export type Step = (exchange: Exchange) => boolean | Promise<boolean>;

export function splitUrl(url: string): { path: string; search: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

const wellFormed = /^[A-Za-z0-9._:-]{8,128}$/;

/** Returns the caller's request id if logs and headers can carry it, else a new one. */
export function resolveRequestId(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
}

/** The query of the request's url, undecoded, without its question mark. */
export const getSearch = ({ req }: Pick<Exchange, 'req'>): string => splitUrl(req.url ?? '').search;

/** Returns a signal that aborts when the caller disconnects, or has its response. */
export function signalDeparture({ res }: Pick<Exchange, 'res'>): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  else res.once('close', () => controller.abort());
  return controller.signal;
}

export function beginExchange(req: IncomingMessage, res: ServerResponse): Exchange {
  return { req, res, requestId: resolveRequestId(req), startedAtMs: performance.now(), route: 'unmatched' };
}

/** One answer in one encoding, ready to be sent. */
export interface Representation {
  /** The body, in one piece or several. */
  parts: readonly Buffer[];
  /** Strong: another encoding of the same answer has another one. */
  etag: string;
  cacheControl: string;
  vary: string;
  /** Alternating names and values, as `writeHead` takes them, without the headers of the single request. */
  headers: readonly string[];
  /** Headers that a 304 must repeat, or those of every response would replace them in the caller's cache. */
  lasting: readonly string[];
}

export interface Content {
  /** The body in several pieces if it is large and most of them stay when it changes. */
  body: Buffer | readonly Buffer[];
  contentType: string;
  cacheControl: string;
  /** Identifies the content. The encoding extends it to a strong ETag. */
  tag: string;
  /** Request headers that decide which content is sent. Absent: `defaultVary`. */
  vary?: string;
  headers?: readonly string[];
}

const defaultVary = 'accept-encoding';

/** Short digest for tags: 96 bits, so that two contents do not share one. */
export function computeDigest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

export function buildEtag(tag: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
}

const sumLengths = (parts: readonly Buffer[]) => parts.reduce((sum, part) => sum + part.byteLength, 0);

const joined = (parts: readonly Buffer[]) => (parts.length === 1 ? parts[0]! : Buffer.concat(parts));

export async function represent(
  content: Content,
  encoding: Encoding,
  aim: 'quality' | 'speed',
): Promise<Representation> {
  const plain = 'byteLength' in content.body ? [content.body] : content.body;
  const parts = encoding === 'identity' ? plain : [await encode(joined(plain), encoding, aim)];
  const etag = buildEtag(content.tag, encoding);
  const { cacheControl, vary = defaultVary } = content;
  const headers = [
    ['content-type', content.contentType],
    ['content-length', String(sumLengths(parts))],
    // `encode` returns small bodies as they are, because encoding them is not worth it.
    ...(parts === plain || parts[0] === plain[0] ? [] : [['content-encoding', encoding]]),
    ['etag', etag],
    ['cache-control', cacheControl],
    ['vary', vary],
  ];
  return {
    parts,
    etag,
    cacheControl,
    vary,
    headers: [...headers.flat(), ...(content.headers ?? [])],
    lasting: content.headers ?? [],
  };
}

/** @throws ProblemError 406 when the caller refuses every encoding, plain bytes included */
export function requireEncoding(req: IncomingMessage): Encoding {
  const encoding = chooseEncoding(req);
  if (encoding) return encoding;
  throw problem(
    'not_acceptable',
    'The answer comes as br, gzip or identity; accept-encoding refuses all of them.',
  );
}

/** `true` if the caller already has the content with this tag. The comparison is weak (RFC 9110 section 13.1.2). */
export function isAlreadyHeld(req: IncomingMessage, etag: string): boolean {
  const held = req.headers['if-none-match'];
  if (held === undefined) return false;
  if (held === etag || held.trim() === '*') return true;
  return held.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** `true` if the caller may have a copy of an answer: of a read (RFC 9110 section 13.1.2) that it was allowed to store. */
const mayBeHeld = ({ method }: IncomingMessage, { cacheControl }: Representation): boolean =>
  (method === 'GET' || method === 'HEAD') && cacheControl !== 'no-store';

/** Writes the answer, or 304 without it, or its headers alone for HEAD. */
export function sendRepresentation(
  exchange: Exchange,
  answer: Representation,
  extra: readonly string[] = [],
): void {
  const { req, res } = exchange;
  if (mayBeHeld(req, answer) && isAlreadyHeld(req, answer.etag)) {
    sendNotModified(exchange, answer, [...answer.lasting, ...extra]);
    return;
  }
  res.writeHead(200, [...answer.headers, ...extra]);
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const { parts } = answer;
  if (parts.length > 1) {
    // One system call for all of them.
    res.cork();
    for (const part of parts.slice(0, -1)) res.write(part);
  }
  res.end(parts.at(-1));
}

/** Sends a 304 with the headers that keep the caller's copy usable, and without those of the content. */
export function sendNotModified(
  { res }: Exchange,
  { etag, cacheControl, vary = defaultVary }: { etag: string } & Pick<Content, 'cacheControl' | 'vary'>,
  extra: readonly string[] = [],
): void {
  res.writeHead(304, ['etag', etag, 'cache-control', cacheControl, 'vary', vary, ...extra]);
  res.end();
}

/** Encodes and sends content that is not cached here. */
export async function sendContent(
  exchange: Exchange,
  content: Content,
  extra?: readonly string[],
): Promise<void> {
  const encoding = requireEncoding(exchange.req);
  sendRepresentation(exchange, await represent(content, encoding, 'speed'), extra);
}

/** Sends a value as JSON under a tag of its bytes. */
export async function sendJson(exchange: Exchange, value: unknown, cacheControl = 'no-store'): Promise<void> {
  const body = Buffer.from(JSON.stringify(value));
  const contentType = 'application/json';
  await sendContent(exchange, { body, contentType, cacheControl, tag: computeDigest(body) });
}

/** Sends current JSON to one caller. No cache may store it, so it has no ETag. It is not encoded. */
export function sendPrivateJson<Body>({ req, res }: Exchange, value: Body): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(200, {
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.byteLength,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Sends 202 with the state of work that goes on. `location`: path of its result. */
export function sendAccepted<Body>({ res }: Exchange, value: Body, location: string): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(202, {
    location,
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'content-length': body.byteLength,
  });
  res.end(body);
}

export function sendNothing({ res }: Exchange): void {
  res.writeHead(204, { 'cache-control': 'no-store' }).end();
}

/** Serves content that does not change while the process runs: loaded and encoded once, then cached. */
export function cached<Dependencies = void>(
  load: (dependencies: Dependencies) => Content | Promise<Content>,
) {
  let content: Promise<Content> | undefined;
  const representations = new Map<Encoding, Promise<Representation>>();

  return async (exchange: Exchange, dependencies: Dependencies): Promise<void> => {
    const encoding = requireEncoding(exchange.req);
    let representation = representations.get(encoding);
    if (!representation) {
      content ??= Promise.resolve(load(dependencies));
      representation = content.then((loaded) => represent(loaded, encoding, 'quality'));
      representations.set(encoding, representation);
      // A failure is not cached: the next request loads again.
      representation.catch(() => {
        content = undefined;
        representations.delete(encoding);
      });
    }
    sendRepresentation(exchange, await representation);
  };
}

let errorPagesUrl: string | undefined;

/** Sets the origin of the error pages for this process. Undefined: urls relative to the sending server. */
export function setErrorPagesUrl(origin: string | undefined): void {
  errorPagesUrl = origin;
}

export const buildProblemType = (code: ProblemCode): string => toProblemType(code, errorPagesUrl);

/** Builds the body of every error (RFC 9457). `type` is the page of the code; `errors` has one row per wrong field, at most 20. */
export function buildProblemBody({ status, code, title, detail, errors }: Problem, requestId: string) {
  return { type: buildProblemType(code), title, status, detail, code, requestId, ...(errors && { errors }) };
}

export const internalError: Problem = problem(
  'internal_error',
  'Something went wrong. If it persists, report the request id to the operator.',
);

/** Returns the problem to send for an error; undefined for an unexpected one, which is sent as `internalError`. */
export function toProblem(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) return error;
  if (error instanceof NodeUnavailableError) return nodeProblem(error.late);
  if (error instanceof KvUnavailableError) return kvUnavailable;
  return createDatabaseProblem(error);
}

/**
 * `true` if an error needs no log line of its own. A ProblemError is a response, such as the 503 of a readiness check,
 * and the line of the request records it. An outage of the key-value store is logged when it begins.
 */
export const isExpected = (error: unknown): boolean =>
  [ProblemError, NodeUnavailableError, KvUnavailableError].some((known) => error instanceof known);

const databaseUnavailable: Problem = problem(
  'database_unavailable',
  'The database cannot be reached. Try again shortly.',
);

/** SQLSTATEs for text that PostgreSQL does not accept. Only a request can contain such text. */
const unstorable = new Set(['22021', '22P05']);

/** Message of `pg` when it ends a statement itself, as it does behind a pooler. */
const driverTimeout = 'Query read timeout';

function createDatabaseProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (unstorable.has(code)) {
    return problem('invalid_text', 'The request has text that cannot be stored, such as U+0000.');
  }
  if (code === '57014' || error.message === driverTimeout)
    return problem('timeout', 'The read took too long. Request less.');
  return isDatabaseAway(error) ? databaseUnavailable : undefined;
}

/** The part of an exchange that sending a problem requires. A request that did not become an exchange has it too. */
type ResponseTarget = Pick<Exchange, 'req' | 'res' | 'requestId'>;

/**
 * Maximum bytes of an unread body that are read and dropped, so that its sender gets the response: those of the largest body
 * that a route takes. A client may lose a response after which its connection is closed while it still sends.
 */
const restBytesMax = 16 * 2 ** 20;

/** Sends a problem and drops the unread body. If that is long, or of unknown length, the connection is closed too. */
export function sendProblem(exchange: ResponseTarget, problem: Problem): void {
  const { req, res } = exchange;
  const body = JSON.stringify(buildProblemBody(problem, exchange.requestId));
  for (const name of ['etag', 'content-encoding', 'cache-control']) res.removeHeader(name);
  if (!req.complete && req.method !== 'GET' && req.method !== 'HEAD') {
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    if (!(length <= restBytesMax)) res.setHeader('connection', 'close');
  }
  res.writeHead(problem.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...problem.headers,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/**
 * Ends an exchange that failed. Unexpected errors are logged here, once, and shown as `internalError`.
 * @param send default: as JSON
 */
export function sendError(
  exchange: Exchange,
  error: unknown,
  log: Logger,
  send: (exchange: Exchange, problem: Problem) => void = sendProblem,
): void {
  // The caller has disconnected, which aborted the work. There is nothing to send, and no error to log.
  if (exchange.res.destroyed && error instanceof Error && error.name === 'AbortError') return;
  const problem = toProblem(error) ?? internalError;
  const about = { requestId: exchange.requestId, route: exchange.route };
  if (problem === databaseUnavailable)
    log.warn({ reason: getErrorMessage(error), ...about }, 'a request failed');
  else if (problem.status >= 500 && !isExpected(error))
    log.error({ err: error, ...about }, 'a request failed');
  // If part of the response is sent, close the connection, so that the caller does not take the part for the whole.
  if (exchange.res.headersSent) exchange.res.destroy();
  else send(exchange, problem);
}

/**
 * Returns the error for a network that exists but is not served here: 400, because a retry does not succeed either.
 * `server` is the subject of the sentence, such as `This host`.
 */
export function networkNotServed(
  server: string,
  requested: Network,
  served: readonly Network[],
): ProblemError {
  const instead = served.length === 0 ? 'no network' : served.join(' and ');
  return problem('network_not_configured', `${server} does not serve ${requested}. It serves ${instead}.`);
}
