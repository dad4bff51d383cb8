import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../access/caller.ts';

/** One request and its answer. */
export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** `performance.now()` at arrival. */
  startedAtMs: number;
  /** The route's template for logs and metrics, never the url: strangers choose that. */
  route: string;
  /** Set where this host has a key-value store; who calls is not asked for without one. */
  caller?: Caller;
  /** Set where the credential of the request has been counted among its address's attempts. */
  attempted?: boolean;
}

/** A step of a request's life; true when it has taken the request, so that no later step sees it. */
export type Step = (exchange: Exchange) => boolean;

const exchanges = new WeakMap<IncomingMessage, Exchange>();

/** Lets handlers behind express find the exchange again. */
export function rememberExchange(exchange: Exchange): void {
  exchanges.set(exchange.req, exchange);
}

export function exchangeOf(req: IncomingMessage): Exchange {
  const exchange = exchanges.get(req);
  if (!exchange) throw new Error('The request did not pass through the steps of the server.');
  return exchange;
}

/** Path and query of the request's url, which is relative to this server. */
export function splitUrl(url: string): { path: string; search: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}
