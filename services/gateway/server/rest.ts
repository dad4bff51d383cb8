import express, { type NextFunction, type Request, type Response } from 'express';
import { type Problem, ProblemError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { requireAccepts } from '../request/accept.ts';
import { sendError } from '../respond/problem.ts';
import { type Exchange, exchangeOf, rememberExchange, type Step } from './exchange.ts';
import { refuseMethod } from './methods.ts';

/** One path of the API. All that exist so far are read with GET and HEAD. */
export interface Route {
  path: string;
  /** What the route answers with; callers that refuse it get 406. */
  mediaType: string;
  handle(exchange: Exchange): Promise<void>;
}

/** Everything that is not answered ahead of it: the routes, and what is said where there is none. */
export function rest(routes: readonly Route[], log: Logger): Step {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  // Queries are read strictly by the routes.
  app.set('query parser', false);
  for (const route of routes) {
    const handle = async (req: Request) => {
      const exchange = exchangeOf(req);
      exchange.route = route.path;
      requireAccepts(req, route.mediaType);
      await route.handle(exchange);
    };
    app
      .route(route.path)
      .get(handle)
      .all((req) => refuseMethod(exchangeOf(req), 'GET, HEAD, OPTIONS'));
  }
  app.use(({ path }: Request) => {
    throw new ProblemError(notFound(path));
  });
  app.use((error: unknown, req: Request, _res: Response, _next: NextFunction) => {
    sendError(exchangeOf(req), error, log);
  });
  return (exchange) => {
    rememberExchange(exchange);
    app(exchange.req, exchange.res);
    return true;
  };
}

function notFound(path: string): Problem {
  const detail = `There is nothing at ${path.slice(0, 200)}; /docs lists what there is.`;
  return { status: 404, code: 'not_found', title: 'Not found', detail };
}
