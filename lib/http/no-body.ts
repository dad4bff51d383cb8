import type { IncomingMessage } from 'node:http';
import { problem } from '../errors/index.ts';

/**
 * Refuses a request that has a body, where its query alone says what is asked: a body that nobody reads may hold what
 * the caller relies on.
 * @throws ProblemError 400 `unexpected_body`
 */
export function requireNoBody({ headers }: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (coding === undefined && Number(length) === 0) return;
  throw problem('unexpected_body', 'This operation takes no body. Put the values into the query.');
}
