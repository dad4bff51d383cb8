import { STATUS_CODES } from 'node:http';
import { NodeError } from '@adaptor-marketplace/adaptor/chain/found';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { BadCursorError } from '../../../db/queries/page.ts';
import { type Problem, ProblemError } from '../../../lib/errors/index.ts';
import { commonProblem, databaseUnavailable, internalError } from '../../../lib/http/problem.ts';
import { sendProblem } from '../../../lib/http/send.ts';
import { KvUnavailableError } from '../../../lib/kv/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { kvUnavailable } from '../access/caller.ts';
import type { Exchange } from '../server/exchange.ts';

/** Ends an exchange that failed. What is unknown is logged once, here, and masked. */
export function sendError(exchange: Exchange, error: unknown, log: Logger): void {
  // The caller has gone and took the work along: nobody to answer, and nothing is wrong.
  if (exchange.res.destroyed && error instanceof Error && error.name === 'AbortError') return;
  const problem = knownProblem(error) ?? internalError;
  // A ProblemError is an answer, such as a readiness check's 503; the request's own line records it. An outage of the
  // key-value store has a line of its own, where it begins.
  const isExpected = [ProblemError, NodeError, KvUnavailableError].some((known) => error instanceof known);
  const about = { requestId: exchange.requestId, route: exchange.route };
  if (problem === databaseUnavailable) log.warn({ reason: messageOf(error), ...about }, 'a request failed');
  else if (problem.status >= 500 && !isExpected) log.error({ err: error, ...about }, 'a request failed');
  // The status line has left: all that is left is to break off, so that nobody takes half for the whole.
  if (exchange.res.headersSent) exchange.res.destroy();
  else sendProblem(exchange, problem);
}

/** What may be said of an error; undefined for the unknown. */
export function knownProblem(error: unknown): Problem | undefined {
  if (error instanceof BadCursorError) {
    const errors = [{ path: 'query.cursor', message: error.message }];
    return { status: 400, code: 'bad_cursor', title: 'Bad cursor', detail: error.message, errors };
  }
  if (error instanceof KvUnavailableError) return knownProblem(kvUnavailable());
  return commonProblem(error) ?? expressProblem(error);
}

/** Express refuses malformed paths by errors that carry a 4xx status. */
function expressProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  if (error.status < 400 || error.status > 499) return undefined;
  const title = STATUS_CODES[error.status] ?? 'Bad request';
  return { status: error.status, code: 'bad_request', title, detail: 'The request is malformed.' };
}
