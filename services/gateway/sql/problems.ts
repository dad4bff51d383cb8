import pg from 'pg';
import { isDatabaseAway, problem } from '../../../lib/errors/index.ts';
import { type SqlBounds, tooSlow } from './bounds.ts';

/** SQLSTATE classes of errors in the statement. The caller may see the message of PostgreSQL about them. */
const inStatement = /^(0A|21|22|2F|42)/;

/**
 * Converts an error of PostgreSQL about a statement to a problem, without what it reveals about this host. Returns
 * other errors unchanged.
 * @param prefix text before the statement of the caller, which positions count too
 */
export function sqlProblem(error: unknown, bounds: SqlBounds, prefix: string): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined || isDatabaseAwayNotLimit(error))
    return error;
  const { code, message, hint, position } = error;
  if (code === '57014') return tooSlow(bounds);
  if (code === '53400' || code === '53200') {
    return problem(
      'sql_too_large',
      'The statement needs more memory or temporary files than it may use. Filter, or aggregate less.',
    );
  }
  if (!inStatement.test(code) && !code.startsWith('54')) return error;
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}.${hint ? ` ${hint}` : ''}`;
  const at = position === undefined ? undefined : Number(position) - prefix.length;
  return problem('sql_failed', at === undefined ? text : `Character ${at}: ${text}`, {
    errors: [{ path: 'body.sql', message: text, position: at }],
  });
}

/**
 * Returns `true` if the database is unavailable. The limits of a statement have the same SQLSTATE class as an exhausted
 * server.
 */
const isDatabaseAwayNotLimit = (error: pg.DatabaseError) =>
  isDatabaseAway(error) && error.code !== '53400' && error.code !== '53200';
