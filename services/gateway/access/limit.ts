import { type Exchange, type Step, splitUrl } from '../../../lib/http/exchange.ts';
import { sendError } from '../../../lib/http/problem.ts';
import type { RouteDescription } from '../../../lib/http/route.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Admission } from './admit.ts';
import { setCaller } from './caller.ts';
import { isPreflight, sendCommonHeaders } from './headers.ts';

/** The paths of the routes that are not counted. */
export function unlimitedPaths(routes: readonly LimitedRoute[]): Set<string> {
  return new Set(routes.flatMap((route) => (route.unlimited ? concretePaths(route) : [])));
}

type LimitedRoute = Pick<RouteDescription, 'path' | 'unlimited' | 'parameters'>;

/** The path of a route, or one for each value of its parameter. */
function concretePaths({ path, parameters = {} }: LimitedRoute): string[] {
  const [[name, { values = [] }] = ['', {}]] = Object.entries(parameters);
  return name === '' ? [path] : values.map((value) => path.replace(`:${name}`, value));
}

/**
 * Admits or refuses each request, and puts the headers of its limit on the answer. Unlimited routes are not counted,
 * so that no caller loses a request of the API to them. They are known by their whole path: a prefix could let any
 * path through, such as `/docs/../api`.
 */
export function limits({ admit, show }: Admission, routes: readonly LimitedRoute[], log: Logger): Step {
  const unlimited = unlimitedPaths(routes);

  async function admitted(exchange: Exchange): Promise<boolean> {
    try {
      setCaller(exchange, await admit(exchange));
      return false;
    } catch (error) {
      exchange.route = 'limits';
      sendCommonHeaders(exchange);
      sendError(exchange, error, log);
      return true;
    }
  }

  return (exchange) => {
    if (!unlimited.has(splitUrl(exchange.req.url ?? '').path) && !isPreflight(exchange)) {
      return admitted(exchange);
    }
    show(exchange);
    return false;
  };
}
