import type { NextFunction, Request, Response } from 'express';
import type { Problem } from '../../../lib/errors/index.ts';
import { requestIdOf } from '../../../lib/http/exchange.ts';
import { internalError, problemOf, sendProblem } from '../../../lib/http/problem.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Answers are of one caller and of this moment: nobody keeps them. */
export function sendJson(res: Response, value: unknown): void {
  res.setHeader('cache-control', 'no-store');
  res.json(value);
}

/** Ends exchanges that failed. What is unknown is logged once, here, and masked. */
export function answerErrors(log: Logger) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const requestId = requestIdOf(req);
    const problem = problemOf(error) ?? expressProblem(error) ?? internalError;
    if (problem === internalError) log.error({ err: error, requestId, path: req.path }, 'a request failed');
    if (res.headersSent) res.destroy();
    else sendProblem({ req, res, requestId }, problem);
  };
}

/** Express refuses malformed paths by errors that carry a 4xx status. */
function expressProblem(error: unknown): Problem | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return { status, code: 'bad_request', title: 'Bad request', detail: 'The request is malformed.' };
}
