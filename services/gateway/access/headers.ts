import type { Exchange } from '../../../lib/http/exchange.ts';
import { rateHeaderNames } from './rate-headers.ts';

const exposedHeaders = [
  'etag',
  'link',
  'x-indexed-checkpoint',
  'x-request-id',
  'retry-after',
  ...rateHeaderNames,
];

/**
 * On every answer. Reads are for any origin, and scripts may see the headers that mean something to them;
 * nothing served as data may be run, framed or sniffed into something else. Pages put their own policy in place
 * of this one.
 */
export const commonHeaders: readonly [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', exposedHeaders.join(', ')],
];

export function sendCommonHeaders({ res, requestId }: Exchange): boolean {
  for (const [name, value] of commonHeaders) res.setHeader(name, value);
  res.setHeader('x-request-id', requestId);
  return false;
}

/** Browsers send it by themselves, without the key that the request will have. */
export const isPreflight = ({ req }: Exchange): boolean =>
  req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;

/** Answers what a browser asks before a request that is not simple. */
export function answerPreflight(exchange: Exchange): boolean {
  if (!isPreflight(exchange)) return false;
  const { res } = exchange;
  exchange.route = 'preflight';
  res.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers':
      'accept, authorization, content-type, if-none-match, x-api-key, x-request-id',
    'access-control-max-age': '86400',
    vary: 'access-control-request-method, access-control-request-headers',
  });
  res.end();
  return true;
}
