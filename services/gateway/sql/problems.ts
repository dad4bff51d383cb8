import pg from 'pg';
import { isDatabaseAway, problem } from '../../../lib/errors/index.ts';
import { type SqlBounds, tooSlow } from './bounds.ts';
import { capitalize } from './refusals.ts';

/** SQLSTATE of internal errors of PostgreSQL. */
const internalError = 'XX000';

/** SQLSTATEs of time limits: of a statement, and of an idle or long transaction. */
const late = new Set(['57014', '25P03', '25P04']);

/** SQLSTATEs of a collision: a lock that was not free in time, a deadlock, or on a replica a change to apply. */
const collided = new Set(['40001', '40P01', '55P03']);

/** SQLSTATE classes of errors in the statement. The caller may see the message of PostgreSQL about them. */
const inStatement = /^(0A|21|22|25|2F|42|54)/;

/**
 * Converts an error about a statement to a problem, without what it reveals of this host, or returns it unchanged.
 * @param prefix text before the statement of the caller, which positions count too
 */
export function createSqlProblem(error: unknown, bounds: SqlBounds, prefix: string): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined || isOutage(error)) return error;
  const { code, message, hint, position } = error;
  if (late.has(code)) return tooSlow(bounds);
  if (collided.has(code)) {
    const detail = 'The statement collided with a change of the database. Try again shortly.';
    return problem('sql_busy', detail, { status: 503 });
  }
  if (code === '53400' || code === '53200' || isBeyondAlloc(error)) {
    return problem(
      'sql_too_large',
      'The statement needs more memory or temporary files than it may use. Filter, aggregate less, or repeat less in a regular expression.',
    );
  }
  if (code === internalError)
    return problem(
      'sql_failed',
      'PostgreSQL has an internal error with this statement. Write it in another way.',
    );
  if (!inStatement.test(code)) return error;
  const text = `${capitalize(message)}.${hint ? ` ${hint}` : ''}`;
  const at = position === undefined ? undefined : Number(position) - prefix.length;
  return problem('sql_failed', at === undefined ? text : `Character ${at}: ${text}`, {
    errors: [{ path: 'body.sql', message: text, position: at }],
  });
}

/** `true` if PostgreSQL failed by a fault of its own, which the operator should know of. */
export const isInternalError = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code === internalError && !isBeyondAlloc(error);

/** `true` if a value needs more memory than PostgreSQL gives to one, such as a regular expression with many repetitions. */
const isBeyondAlloc = ({ code, message }: pg.DatabaseError) =>
  code === internalError && message.startsWith('invalid memory alloc request size');

/** `true` if the database is away. Limits of a statement have the same SQLSTATE class as an exhausted server. */
const isOutage = (error: pg.DatabaseError) =>
  isDatabaseAway(error) && error.code !== '53400' && error.code !== '53200';
