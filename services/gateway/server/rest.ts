import express, { type NextFunction, type Request, type Response } from 'express';
import { type Problem, ProblemError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { requireAccepts } from '../request/accept.ts';
import { sendError } from '../respond/problem.ts';
import { type Exchange, exchangeOf, rememberExchange, type Step } from './exchange.ts';
import { refuseMethod } from './methods.ts';

/** Answers a request; `parameters` are those of the path, decoded. */
export type Handler = (exchange: Exchange, parameters: Record<string, string>) => Promise<void>;

/** One path of the API (`:name` is a parameter) and the methods that it takes; `get` answers HEAD too. */
export interface Route extends Partial<Record<Method, Handler>> {
  path: string;
  /** What the route answers with; callers that refuse it get 406. */
  mediaType: string;
}

const methods = ['get', 'post', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

/** Everything that is not answered ahead of it: the routes, and what is said where there is none. */
export function rest(routes: readonly Route[], log: Logger): Step {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  // Queries are read strictly by the routes.
  app.set('query parser', false);
  for (const { path, mediaType, ...handlers } of routes) {
    const served = app.route(path);
    const taken = methods.filter((method) => handlers[method]);
    for (const method of taken) {
      served[method](async (req: Request) => {
        const exchange = exchangeOf(req);
        exchange.route = path;
        requireAccepts(req, mediaType);
        const parameters = req.params as Record<string, string>;
        // No id has U+0000, and no database takes it.
        if (Object.values(parameters).some((value) => value.includes('\0')))
          throw new ProblemError(notFound(req.path));
        await handlers[method]!(exchange, parameters);
      });
    }
    const names = taken.map((method) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()));
    const allow = [...names, 'OPTIONS'].join(', ');
    served.all((req) => refuseMethod(exchangeOf(req), allow));
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
