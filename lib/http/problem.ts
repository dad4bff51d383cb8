import { messageOf, type Network } from '@adaptor-marketplace/adaptor';
import { NodeError } from '@adaptor-marketplace/adaptor/chain';
import { isDatabaseAway } from '../errors/database-away.ts';
import { kvUnavailable, nodeProblem, type Problem, ProblemError, problem } from '../errors/index.ts';
import { type ProblemCode, problemType } from '../errors/problems.ts';
import { KvUnavailableError } from '../kv/kv.ts';
import type { Logger } from '../log/index.ts';
import type { Exchange } from './exchange.ts';

let errorPagesUrl: string | undefined;

/**
 * Sets the origin of the pages of errors, for every problem of this process. Absent: their addresses are relative, and
 * mean the server that sends the problem.
 */
export function setErrorPagesUrl(origin: string | undefined): void {
  errorPagesUrl = origin;
}

/** The address of the page of a code. */
export const typeOf = (code: ProblemCode): string => problemType(code, errorPagesUrl);

/** The body of every error (RFC 9457). `type` is the page of the code; `errors` has one row per wrong field. */
export function problemBody({ status, code, title, detail, errors }: Problem, requestId: string) {
  return { type: typeOf(code), title, status, detail, code, requestId, ...(errors && { errors }) };
}

export const internalError: Problem = problem(
  'internal_error',
  'Something went wrong. If it persists, report the request id to the operator.',
);

/** The problem that an error is shown as; undefined for an unexpected error, which is shown as `internalError`. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) return error;
  if (error instanceof NodeError) return nodeProblem(error.late);
  if (error instanceof KvUnavailableError) return kvUnavailable;
  return databaseProblem(error);
}

/**
 * Whether an error needs no line of its own in the log. A ProblemError is an answer, such as a readiness check's 503; the
 * request's own line records it. An outage of the key-value store has a line where it begins.
 */
export const isExpected = (error: unknown): boolean =>
  [ProblemError, NodeError, KvUnavailableError].some((known) => error instanceof known);

const databaseUnavailable: Problem = problem(
  'database_unavailable',
  'The database cannot be reached. Try again shortly.',
);

/** SQLSTATEs of text that PostgreSQL does not accept: only a request can bring it. */
const unstorable = new Set(['22021', '22P05']);

function databaseProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (unstorable.has(code)) {
    return problem('invalid_text', 'The request has text that cannot be stored, such as U+0000.');
  }
  if (code === '57014') return problem('timeout', 'The read took too long. Request less.');
  return isDatabaseAway(error) ? databaseUnavailable : undefined;
}

/** What a problem is sent with: also for a request that did not become an exchange. */
type Answering = Pick<Exchange, 'req' | 'res' | 'requestId'>;

/** What is left of a body is read and dropped up to this many bytes, so that its sender gets the answer. */
const restBytesMax = 1_000_000;

/**
 * Writes a problem. A body that was not read to its end is dropped; where it is long, or of unknown length, the
 * connection is dropped with it.
 */
export function sendProblem(exchange: Answering, problem: Problem): void {
  const { req, res } = exchange;
  const body = JSON.stringify(problemBody(problem, exchange.requestId));
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

/** Ends an exchange that failed. Unexpected errors are logged here, once, and shown as `internalError`. */
export function sendError(exchange: Exchange, error: unknown, log: Logger): void {
  // The caller has gone and took the work along: there is no one to answer, and nothing is wrong.
  if (exchange.res.destroyed && error instanceof Error && error.name === 'AbortError') return;
  const problem = problemOf(error) ?? internalError;
  const about = { requestId: exchange.requestId, route: exchange.route };
  if (problem === databaseUnavailable) log.warn({ reason: messageOf(error), ...about }, 'a request failed');
  else if (problem.status >= 500 && !isExpected(error))
    log.error({ err: error, ...about }, 'a request failed');
  // After the status line, close the connection, so that no caller takes a part for the whole.
  if (exchange.res.headersSent) exchange.res.destroy();
  else sendProblem(exchange, problem);
}

/**
 * The answer to a request about a network that exists and is not served here: 400, since the same request does not
 * succeed later.
 * @param server the subject of the sentence, such as `This host`
 */
export function networkNotServed(
  server: string,
  requested: Network,
  served: readonly Network[],
): ProblemError {
  const instead = served.length === 0 ? 'no network' : served.join(' and ');
  return problem('network_not_configured', `${server} does not serve ${requested}. It serves ${instead}.`);
}
