import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../errors/index.ts';
import { problemBody } from './problem.ts';

/** A request, its answer, and what both are called in logs. */
export interface Answering {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
}

/** Writes a problem; drops the connection where the request's body was not read to its end. */
export function sendProblem(exchange: Answering, problem: Problem): void {
  const { req, res } = exchange;
  const body = JSON.stringify(problemBody(problem, exchange.requestId));
  for (const name of ['etag', 'content-encoding', 'cache-control']) res.removeHeader(name);
  if (!req.complete && req.method !== 'GET' && req.method !== 'HEAD') res.setHeader('connection', 'close');
  res.writeHead(problem.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...problem.headers,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
