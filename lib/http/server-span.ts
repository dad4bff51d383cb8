import { errorStatus } from '../tracing/client-span.ts';
import { type Span, type Tracing, toEpochMs } from '../tracing/tracing.ts';
import type { Exchange } from './exchange.ts';

/** Methods that HTTP defines. Callers can invent others, and each would be a value of its own. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);

/** Starts the span of a request, at its arrival, unless it has started. Its parent is the caller's span, if there is one. */
export function startServerSpan(tracing: Tracing, exchange: Exchange): Span {
  exchange.span ??= tracing.start('request', {
    kind: 'server',
    startMs: toEpochMs(exchange.startedAtMs),
    parent: tracing.extract(exchange.req.headers),
  });
  return exchange.span;
}

/** Ends the span of a request. It has the route and not the path: strangers choose that, and what is in it. */
export function endServerSpan(tracing: Tracing, exchange: Exchange): void {
  const { req, res, route, requestId } = exchange;
  const method = methods.has(req.method ?? '') ? req.method! : '_OTHER';
  const status = res.statusCode;
  const span = startServerSpan(tracing, exchange).updateName(
    route === 'unmatched' ? method : `${method} ${route}`,
  );
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'http.response.header.x-request-id': [requestId],
    'network.protocol.version': req.httpVersion,
    'url.scheme': 'http',
    ...(route !== 'unmatched' && { 'http.route': route }),
    ...(status >= 500 && { 'error.type': String(status) }),
  });
  if (status >= 500) span.setStatus({ code: errorStatus });
  span.end();
}
