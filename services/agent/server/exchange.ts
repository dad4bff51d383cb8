import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { BadCursorError } from '../../../db/queries/cursor.ts';
import type { Problem } from '../../../lib/errors/index.ts';
import { commonProblem, internalError, problemBody } from '../../../lib/http/problem.ts';
import type { Logger } from '../../../lib/log/index.ts';

const wellFormed = /^[A-Za-z0-9._:-]{8,128}$/;

/** The request's name in logs: the gateway's, which it sends along. */
export function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
}

export function sendJson(res: Response, value: unknown): void {
  res.setHeader('cache-control', 'no-store');
  res.json(value);
}

/** Ends exchanges that failed. What is unknown is logged once, here, and masked. */
export function answerErrors(log: Logger) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const requestId = requestIdOf(req);
    const problem = problemOf(error) ?? internalError;
    if (problem === internalError) log.error({ err: error, requestId, path: req.path }, 'a request failed');
    if (res.headersSent) {
      res.destroy();
      return;
    }
    if (!req.complete && req.method !== 'GET') res.setHeader('connection', 'close');
    res.setHeader('cache-control', 'no-store');
    res.setHeader('x-request-id', requestId);
    for (const [name, value] of Object.entries(problem.headers ?? {})) res.setHeader(name, value);
    const body = JSON.stringify(problemBody(problem, requestId));
    res.status(problem.status).type('application/problem+json').send(body);
  };
}

function problemOf(error: unknown): Problem | undefined {
  if (error instanceof BadCursorError) {
    const errors = [{ path: 'query.cursor', message: error.message }];
    return { status: 400, code: 'bad_cursor', title: 'Bad cursor', detail: error.message, errors };
  }
  return commonProblem(error);
}
