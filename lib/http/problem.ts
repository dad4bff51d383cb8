import { NodeError } from '@adaptor-marketplace/adaptor/chain/found';
import { nodeProblem } from '../chain/node/problem.ts';
import { isDatabaseAway } from '../errors/database-away.ts';
import { type Problem, ProblemError } from '../errors/index.ts';

/** The body of every refusal (RFC 9457). `code` is stable; `errors` has one row per wrong field. */
export function problemBody(problem: Problem, requestId: string) {
  const { status, code, title, detail, errors } = problem;
  return { type: 'about:blank', title, status, detail, code, requestId, ...(errors && { errors }) };
}

export const internalError: Problem = {
  status: 500,
  code: 'internal_error',
  title: 'Internal error',
  detail: 'Something went wrong here. Tell the host the request id if it lasts.',
};

/** What may be said of an error that any service can meet; undefined for the unknown. */
export function commonProblem(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) {
    const { status, code, title, message: detail, headers } = error;
    return { status, code, title, detail, headers, ...(error.fields && { errors: error.fields }) };
  }
  if (error instanceof NodeError) return commonProblem(nodeProblem(error.late));
  return databaseProblem(error);
}

export const databaseUnavailable: Problem = {
  status: 503,
  code: 'database_unavailable',
  title: 'Not available',
  detail: 'The database cannot be reached; try again shortly.',
  headers: { 'retry-after': '5' },
};

/** SQLSTATEs of text that PostgreSQL does not take: only a request can bring it. */
const unstorable = new Set(['22021', '22P05']);

function databaseProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (unstorable.has(code)) {
    const detail = 'The request holds text that cannot be stored, such as U+0000.';
    return { status: 400, code: 'invalid_text', title: 'Invalid text', detail };
  }
  if (code === '57014') {
    const detail = 'The read took too long; ask for less.';
    return { status: 504, code: 'timeout', title: 'Timeout', detail };
  }
  return isDatabaseAway(error) ? databaseUnavailable : undefined;
}
