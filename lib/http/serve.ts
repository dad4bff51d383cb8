import type { Port } from '@adaptor-marketplace/localnet/internal/listen-on';
import { problem } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { beginExchange, type Exchange, type Step } from './exchange.ts';
import { type HttpServer, listen } from './listen.ts';
import { sendError, sendProblem } from './problem.ts';

const urlLengthMax = 8_000;

/**
 * Serves HTTP. Each request passes the steps in order until one answers it: the list of steps is the life of a request.
 * A step that throws ends the request with the error's problem, or 500. Rejects where the address cannot be had.
 */
export function serve(host: string, port: Port, steps: readonly Step[], log: Logger): Promise<HttpServer> {
  async function passLater(exchange: Exchange, taken: Promise<boolean>, next: number): Promise<void> {
    try {
      if (!(await taken) && !exchange.res.destroyed) pass(exchange, next);
    } catch (error) {
      sendError(exchange, error, log);
    }
  }

  function pass(exchange: Exchange, first: number): void {
    for (let at = first; at < steps.length; at += 1) {
      const taken = steps[at]!(exchange);
      if (taken === true) return;
      if (taken !== false) return void passLater(exchange, taken, at + 1);
    }
  }

  return listen(host, port, (req, res) => {
    const exchange = beginExchange(req, res);
    try {
      pass(exchange, 0);
    } catch (error) {
      sendError(exchange, error, log);
    }
  });
}

/** Puts the request's id on the answer. */
export function sendRequestId({ res, requestId }: Exchange): boolean {
  res.setHeader('x-request-id', requestId);
  return false;
}

/** Refuses a url that no route takes: it would be logged, matched and echoed at its full length. */
export function refuseLongUrl(exchange: Exchange): boolean {
  if ((exchange.req.url ?? '').length <= urlLengthMax) return false;
  const detail = `The url may have ${urlLengthMax} characters.`;
  sendProblem(exchange, problem('uri_too_long', detail));
  return true;
}
