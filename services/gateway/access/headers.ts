import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import type { WindowCount } from '../../../lib/kv/kv.ts';

/** Names of the headers, for scripts that may read them across origins. */
const rateHeaderNames = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
] as const;

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

export const windowMs = 60_000;

/** A limit that a caller is under. `name` tells the caller which. */
export interface Policy {
  name: 'anonymous' | 'key' | 'credential' | 'attempts';
  perMinute: number;
}

/** Whole seconds until the window ends; at least one, so that nobody retries in it. */
const secondsLeft = ({ endsInMs }: WindowCount) => Math.max(1, Math.ceil(endsInMs / 1000));

/**
 * Says how much is left: in the form that is in common use, and as the RateLimit header fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function setRateHeaders({ res }: Exchange, { name, perMinute }: Policy, window: WindowCount): void {
  const remaining = Math.max(0, perMinute - window.count);
  const seconds = secondsLeft(window);
  res.setHeader('x-ratelimit-limit', perMinute);
  res.setHeader('x-ratelimit-remaining', remaining);
  res.setHeader('x-ratelimit-reset', Math.floor(Date.now() / 1000) + seconds);
  res.setHeader('ratelimit-policy', `"${name}";q=${perMinute};w=${windowMs / 1000}`);
  res.setHeader('ratelimit', `"${name}";r=${remaining};t=${seconds}`);
}

const remedies: Record<Policy['name'], string> = {
  anonymous: ' An API key of this host has a limit of its own.',
  key: '',
  credential: '',
  attempts: ' Too many credentials were tried from this address. Requests without one are still served.',
};

/** 429, with the seconds until the window ends. */
export function tooMany({ name, perMinute }: Policy, window: WindowCount): ProblemError {
  const seconds = secondsLeft(window);
  const detail = `The limit is ${perMinute} requests a minute. Try again in ${seconds} s.${remedies[name]}`;
  return problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}
