import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../errors/index.ts';
import { problemBody } from './problem.ts';

/** A request, its answer, and what both are called in logs. */
export interface Answering {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
}

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
