import { sendProblem } from '../../../lib/http/send.ts';
import type { Exchange } from './exchange.ts';

/** Answers a method that a path does not take: 405, or for OPTIONS what it does take. */
export function refuseMethod(exchange: Exchange, allow: string): void {
  if (exchange.req.method === 'OPTIONS') {
    exchange.res.writeHead(204, { allow }).end();
    return;
  }
  sendProblem(exchange, {
    status: 405,
    code: 'method_not_allowed',
    title: 'Method not allowed',
    detail: `This path takes ${allow}.`,
    headers: { allow },
  });
}
