import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from '../../../lib/http/request-id.ts';
import type { Exchange } from './exchange.ts';

/** Begins an exchange. */
export function identify(req: IncomingMessage, res: ServerResponse): Exchange {
  return { req, res, requestId: requestIdOf(req), startedAtMs: performance.now(), route: 'unmatched' };
}
