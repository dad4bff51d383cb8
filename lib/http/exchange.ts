import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request and its answer. */
export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  /** `performance.now()` at arrival. */
  startedAtMs: number;
  /** The route's template for logs and metrics, never the url: strangers choose that. */
  route: string;
}

/**
 * One step of a request's life; true when it has answered the request, or will, so that no later step sees it. A step
 * that has to wait returns a promise. Hot paths do not: a promise costs each request a turn of the event loop.
 */
export type Step = (exchange: Exchange) => boolean | Promise<boolean>;

/** Path and query of the request's url, which is relative to this server. */
export function splitUrl(url: string): { path: string; search: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

const wellFormed = /^[A-Za-z0-9._:-]{8,128}$/;

/** The caller's own request id where it is one that logs and headers can carry, else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
}

/** The query of the request's url, undecoded, without its question mark. */
export const searchOf = ({ req }: Pick<Exchange, 'req'>): string => splitUrl(req.url ?? '').search;

/** Begins an exchange. */
export function beginExchange(req: IncomingMessage, res: ServerResponse): Exchange {
  return { req, res, requestId: requestIdOf(req), startedAtMs: performance.now(), route: 'unmatched' };
}
