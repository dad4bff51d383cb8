import type { Logger } from '../../../lib/log/index.ts';
import { pagePaths } from '../pages/paths.ts';
import { sendError } from '../respond/problem.ts';
import { type Exchange, type Step, splitUrl } from '../server/exchange.ts';
import { secure } from '../server/secure.ts';
import type { Admission } from './admit.ts';

/**
 * Watched by machines, or pages whose bytes never change: nobody is to lose a request of the API to them. Each by its
 * whole path: what a prefix lets through could be any path, such as `/docs/../api`.
 */
const free = new Set(['/', '/healthz', '/readyz', '/metrics', ...pagePaths]);

/** Puts the steps behind the limits: each request but the free ones is admitted first, or refused; all bear the headers. */
export function limited({ admit, show }: Admission, steps: readonly Step[], log: Logger): Step {
  const pass = (exchange: Exchange) => {
    for (const step of steps) if (step(exchange)) return;
  };
  const admitFirst = async (exchange: Exchange) => {
    try {
      exchange.caller = await admit(exchange);
    } catch (error) {
      exchange.route = 'limits';
      secure(exchange);
      return sendError(exchange, error, log);
    }
    if (!exchange.res.destroyed) pass(exchange);
  };
  return (exchange) => {
    if (isFree(exchange)) {
      show(exchange);
      pass(exchange);
    } else void admitFirst(exchange);
    return true;
  };
}

/** Whether a path is outside of the limits. */
export function isFreePath(path: string): boolean {
  return free.has(path);
}

function isFree({ req }: Exchange): boolean {
  if (isFreePath(splitUrl(req.url ?? '').path)) return true;
  // Browsers ask this by themselves, without the key that the request will bear.
  return req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
}
