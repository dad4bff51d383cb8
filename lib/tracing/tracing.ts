import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes, Span, SpanContext } from '@opentelemetry/api';

export type { Span, SpanContext };

/**
 * Names a trace that spans of several processes belong to: a kind, and what identifies one of it. The ids of the trace
 * and of its root span are a hash of the key, so processes need not pass them to each other.
 */
export type TraceKey = readonly [kind: 'checkpoint' | 'event', ...identity: (string | number)[]];

export interface SpanStart {
  /** Role of the span in a request or message. Default: work within the process. */
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  /** Milliseconds since the epoch. Default: now. */
  startMs?: number;
  /** Absent: a span without a parent, in the trace of `key` or in a new one. */
  parent?: SpanContext | undefined;
  /** Trace of a span without a parent. */
  key?: TraceKey;
  /** `true` if the span is the root that `locate` returns for `key`. Only one process may record it. */
  isRoot?: boolean;
  links?: readonly SpanContext[];
  /** Never keys, tokens, bodies or urls: the operator's collector stores them. */
  attributes?: Attributes;
}

export interface Tracing {
  /** Starts a span. It is sent after its `end`. */
  start(name: string, options: SpanStart): Span;
  /** Returns the context of the root span of a key's trace, the same in each process. */
  locate(key: TraceKey): SpanContext;
  /** Returns the caller's span, by the headers `traceparent` and `tracestate` of W3C Trace Context. */
  extract(headers: IncomingHttpHeaders): SpanContext | undefined;
  /** Returns these headers for a request that belongs to a span. */
  inject(span: Span): Record<string, string>;
}

let active: Tracing | undefined;

/** Tracing of this process. Undefined without an endpoint, so `getTracing()?.` does not even build the attributes. */
export const getTracing = (): Tracing | undefined => active;

export function setTracing(tracing: Tracing | undefined): void {
  active = tracing;
}

/** Time since the epoch in milliseconds, with fractions, of a value of `performance.now()`. */
export const toEpochMs = (performanceMs: number): number => performance.timeOrigin + performanceMs;
