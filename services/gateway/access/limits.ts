import { type Exchange, type Step, sendError, splitUrl } from '../../../lib/http/exchange.ts';
import type { RouteDescription } from '../../../lib/http/route.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Admission } from './admission.ts';
import { isPreflight, sendCommonHeaders } from './attempts.ts';
import { setCaller } from './caller.ts';

/** Returns a check that is `true` if a path belongs to a route that is not counted. */
export function createUnlimitedCheck(routes: readonly LimitedRoute[]): (path: string) => boolean {
  const free = routes.filter(({ unlimited }) => unlimited);
  const exact = new Set(free.flatMap(({ path }) => (path.includes(':') ? [] : [path])));
  const patterns = free.filter(({ path }) => path.includes(':')).map(buildPathPattern);
  return (path) => exact.has(path) || patterns.some((pattern) => pattern.test(path));
}

type LimitedRoute = Pick<RouteDescription, 'path' | 'unlimited' | 'parameters'>;

/** Builds the pattern of a route's whole path. A parameter whose values are unknown matches nothing. */
function buildPathPattern({ path, parameters = {} }: LimitedRoute): RegExp {
  const source = path.replace(/:(\w+)/g, (_, name: string) => {
    const { values, pattern } = parameters[name] ?? {};
    return `(?:${pattern ?? values?.join('|') ?? '(?!)'})`;
  });
  return new RegExp(`^${source}$`);
}

/**
 * Admits or refuses each request, and sets the headers of its limit. An unlimited route matches by its whole path: a
 * prefix could let any path through, such as `/docs/../api`.
 */
export function limitRequests(admission: Admission, routes: readonly LimitedRoute[], log: Logger): Step {
  const unlimited = createUnlimitedCheck(routes);

  /** Returns `true` if it refused the request. */
  async function admitOrRefuse(exchange: Exchange): Promise<boolean> {
    try {
      setCaller(exchange, await admission.admit(exchange));
      return false;
    } catch (error) {
      exchange.route = 'limits';
      sendCommonHeaders(exchange);
      sendError(exchange, error, log);
      return true;
    }
  }

  return (exchange) => {
    const isCounted = !unlimited(splitUrl(exchange.req.url ?? '').path) && !isPreflight(exchange);
    if (isCounted) return admitOrRefuse(exchange);
    admission.show(exchange);
    return false;
  };
}
