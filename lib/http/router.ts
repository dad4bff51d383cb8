import express, { type NextFunction, type Request, type Response } from 'express';
import { type Problem, ProblemError, problem } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { type Exchange, internalError, type Step, sendError, sendProblem } from './exchange.ts';
import { prefersHtml, requireAccepts } from './negotiation.ts';
import type { Route } from './route.ts';

/**
 * The last step: finds the route of a request, by path and then by method, and runs it. Express only does the matching,
 * so that the router reads requests in the same way as the steps before it.
 * @param hint added to a 404: where the endpoints are listed
 * @param errorPage shows browsers a problem of a path that has pages, or of one that is nothing
 */
export function router<Dependencies>(
  routes: readonly Route<Dependencies>[],
  dependencies: Dependencies,
  {
    log,
    hint,
    errorPage,
  }: { log: Logger; hint: string; errorPage?: (exchange: Exchange, problem: Problem) => Promise<void> },
): Step {
  const exchanges = new WeakMap<Request, Exchange>();
  const getExchange = (req: Request) => exchanges.get(req)!;
  /** Requests whose errors are pages for browsers. */
  const paged = new WeakSet<Request>();

  function showProblem(exchange: Exchange, shown: Problem): void {
    const { req } = exchange;
    if (!errorPage || !paged.has(req as Request) || !prefersHtml(req)) {
      sendProblem(exchange, shown);
      return;
    }
    errorPage(exchange, shown).catch((error: unknown) => {
      // The page has no form that the caller accepts. The problem itself is sent in any case.
      const isRefused = error instanceof ProblemError;
      if (!isRefused) log.error({ err: error, requestId: exchange.requestId }, 'the page of an error failed');
      if (exchange.res.headersSent) exchange.res.destroy();
      else if (isRefused) sendProblem(exchange, shown);
      else sendProblem(exchange, internalError);
    });
  }

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    const served = app.route(path);
    for (const route of own) {
      served[route.method](async (req: Request) => {
        const exchange = getExchange(req);
        exchange.route = path;
        if ([route.mediaType, route.alternative].includes('text/html')) paged.add(req);
        requireAccepts(req, route.mediaType, ...(route.alternative ? [route.alternative] : []));
        const parameters = req.params as Record<string, string>;
        // No id has U+0000, and PostgreSQL does not take it.
        if (Object.values(parameters).some((value) => value.includes('\0'))) throw notFound(req.path, hint);
        await route.answer(exchange, parameters, dependencies);
      });
    }
    const names = own.map(({ method }) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()));
    served.all((req) => refuseMethod(getExchange(req), [...names, 'OPTIONS'].join(', ')));
  }
  app.use((req: Request) => {
    paged.add(req);
    throw notFound(req.path, hint);
  });
  app.use((error: unknown, req: Request, _res: Response, _next: NextFunction) => {
    // Express throws this for a parameter of the path that is not percent-encoded UTF-8.
    const isMalformed = error instanceof URIError && Reflect.get(error, 'status') === 400;
    const malformed = problem('bad_request', 'The path is not percent-encoded UTF-8.');
    sendError(getExchange(req), isMalformed ? malformed : error, log, showProblem);
  });

  return (exchange) => {
    exchanges.set(exchange.req as Request, exchange);
    app(exchange.req, exchange.res);
    return true;
  };
}

/** Answers a method that a path does not support: 405, or for OPTIONS the supported methods. */
export function refuseMethod(exchange: Exchange, allow: string): void {
  if (exchange.req.method === 'OPTIONS') {
    exchange.res.writeHead(204, { allow }).end();
    return;
  }
  sendProblem(exchange, problem('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } }));
}

function notFound(path: string, hint: string): ProblemError {
  return problem('not_found', `Not found: ${path.slice(0, 200)}. ${hint}`);
}
