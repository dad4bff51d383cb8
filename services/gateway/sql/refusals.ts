import { type ProblemError, problem } from '../../../lib/errors/index.ts';

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function invalid(message: string, position: number | undefined): ProblemError {
  return problem('sql_invalid', message, { errors: [{ path: 'body.sql', message, position }] });
}

/** In characters from 1: nodes have bytes of UTF-8 from 0. */
function computePosition(sql: string, byte: number): number {
  return [...Buffer.from(sql).subarray(0, byte).toString()].length + 1;
}

interface StatementRefusal {
  byte: number;
  /** Subject of `is not allowed`. */
  what: string;
  instead?: string | undefined;
}

export function refuse(sql: string, { byte, what, instead }: StatementRefusal): ProblemError {
  const position = computePosition(sql, byte);
  const message = `${what} is not allowed.${instead ? ` ${instead}` : ''}`;
  return problem('sql_refused', `Character ${position}: ${message}`, {
    errors: [{ path: 'body.sql', message, position }],
  });
}

export const quoteName = (names: readonly string[] | undefined) =>
  `\`${(names ?? ['?']).join('.').slice(0, 80)}\``;
