import type { Attributes } from '@opentelemetry/api';
import { getTracing, type SpanStart } from './tracing.ts';

interface ClientRequest extends Pick<SpanStart, 'parent' | 'key' | 'attributes'> {
  method: string;
  url: URL;
}

interface ClientSpan {
  /** `traceparent` and `tracestate` of the request. */
  headers: Record<string, string>;
  /** Ends the span with the status of the response, or the kind of the error. */
  end(result: { status: number } | { error: string }): void;
}

/**
 * Starts the span of an outgoing request; undefined without tracing. It has the host and port of the url and nothing else
 * of it, because the rest can contain credentials.
 */
export function startClientSpan({
  method,
  url,
  parent,
  key,
  attributes,
}: ClientRequest): ClientSpan | undefined {
  const tracing = getTracing();
  const span = tracing?.start(method, {
    kind: 'client',
    parent,
    ...(key && { key }),
    attributes: { ...describeRequest(method, url), ...attributes },
  });
  return (
    span && {
      headers: tracing!.inject(span),
      end(result) {
        if ('status' in result) span.setAttribute('http.response.status_code', result.status);
        const error =
          'error' in result ? result.error : result.status >= 400 ? String(result.status) : undefined;
        if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: errorStatus });
        span.end();
      },
    }
  );
}

/** `SpanStatusCode.ERROR`, without loading the library. */
export const errorStatus = 2;

function describeRequest(method: string, { protocol, hostname, port }: URL): Attributes {
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}
