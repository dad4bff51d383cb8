import express, { type Express, type Request, type Router } from 'express';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { answerErrors } from './exchange.ts';

/** The routes, and what is said where there is none. */
export function createApp(router: Router, log: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  // Queries are read strictly by the routes.
  app.set('query parser', false);
  app.use(router);
  app.use(({ path }: Request) => {
    const detail = `There is nothing at ${path.slice(0, 200)} for this method; /docs lists what there is.`;
    throw new ProblemError({ status: 404, code: 'not_found', title: 'Not found', detail });
  });
  app.use(answerErrors(log));
  return app;
}
