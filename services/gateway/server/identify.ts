import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';

const wellFormed = /^[A-Za-z0-9._:-]{8,128}$/;

/** Begins an exchange: the caller's own request id where it is one that logs and headers can carry. */
export function identify(req: IncomingMessage, res: ServerResponse): Exchange {
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
  return { req, res, requestId, startedAtMs: performance.now(), route: 'unmatched' };
}
