import { NodeError } from '@adaptor-marketplace/adaptor/chain/found';
import { nodeProblem } from '../chain/node/problem.ts';
import { isDatabaseAway } from '../errors/database-away.ts';
import { type Problem, ProblemError, problem } from '../errors/index.ts';
import { problemType } from '../errors/problems.ts';

/**
 * The body of every error (RFC 9457). `type` is the page of the code: below `publicUrl`, relative where that is absent.
 * `errors` has one row per wrong field.
 */
export function problemBody(
  { status, code, title, detail, errors }: Problem,
  requestId: string,
  publicUrl?: string | undefined,
) {
  const type = problemType(code, publicUrl);
  return { type, title, status, detail, code, requestId, ...(errors && { errors }) };
}

export const internalError: Problem = problem(
  'internal_error',
  'Something went wrong. If it persists, report the request id to the operator.',
);

/** The problem of an error that any service can meet; undefined for the unknown. */
export function commonProblem(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) return error;
  if (error instanceof NodeError) return nodeProblem(error.late);
  return databaseProblem(error);
}

export const databaseUnavailable: Problem = problem(
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
