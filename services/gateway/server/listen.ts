import type { Port } from '@adaptor-marketplace/localnet/internal/listen-on';
import { type HttpServer, listen } from '../../../lib/http/listen.ts';
import { sendProblem } from '../../../lib/http/send.ts';
import type { Exchange, Step } from './exchange.ts';
import { identify } from './identify.ts';

const urlLengthMax = 8_000;

/** Serves HTTP, each request passing the steps in order until one takes it. */
export function listenHttp(host: string, port: Port, steps: readonly Step[]): Promise<HttpServer> {
  return listen(host, port, (req, res) => {
    const exchange = identify(req, res);
    for (const step of steps) if (step(exchange)) return;
  });
}

/** Refuses what no route takes: it would be logged, matched and echoed at its full length. */
export function refuseLongUrl(exchange: Exchange): boolean {
  if ((exchange.req.url ?? '').length <= urlLengthMax) return false;
  const detail = `The url may have ${urlLengthMax} characters.`;
  sendProblem(exchange, { status: 414, code: 'uri_too_long', title: 'URI too long', detail });
  return true;
}
