import type { IncomingMessage } from 'node:http';

/**
 * `true` if a page of this site sent the request, according to headers that browsers set. `SameSite` alone would let
 * pages on other ports of the same host act, and every response has `access-control-allow-origin: *`.
 */
export function isFromOwnPage({ method, headers }: IncomingMessage): boolean {
  if (headers['sec-fetch-site'] !== 'same-origin') return false;
  if (method === 'GET' || method === 'HEAD') return true;
  // A form cannot send this type.
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  return isJson && isOwnOrigin(headers.origin, headers.host);
}

/** `true` for this host's own origin. Plain http counts only on loopback, which browsers treat as secure. */
function isOwnOrigin(origin: string | undefined, host = ''): boolean {
  if (origin === undefined || host === '') return false;
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
  return origin === `https://${host}` || (isLoopback && origin === `http://${host}`);
}
