import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../log/index.ts';
import { reportFailures } from './report-failures.ts';
import { setTracing, type TraceKey, type Tracing } from './tracing.ts';

const name = 'adaptor-marketplace';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

interface Ids {
  traceId: string;
  spanId: string;
}

/** Generates random ids, except for a span whose ids are set just before it starts. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  chosen: Partial<Ids> = {};

  generateTraceId = () => this.chosen.traceId ?? this.#random.generateTraceId();
  generateSpanId = () => this.chosen.spanId ?? this.#random.generateSpanId();
}

/** Maximum time for which a process that ends sends its last spans, in milliseconds. */
const lastSpansMs = 2_000;

/**
 * Starts to send spans. The SDK reads the standard variables of the environment itself: endpoint, headers, sampler,
 * limits, batches and resource. @returns a function that sends what is left, and stops
 */
export function openTracing(exporter: SpanExporter, log: Logger): () => Promise<void> {
  const resource = detectResource();
  const ids = new ChosenIds();
  const provider = new BasicTracerProvider({
    resource,
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(reportFailures(exporter, log))],
  });
  setTracing(createTracing(provider, ids, String(resource.attributes['service.namespace'] ?? '')));
  return async () => {
    setTracing(undefined);
    const timer = new AbortController();
    const late = delay(lastSpansMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
    timer.abort();
  };
}

function detectResource(): Resource {
  const detected = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] });
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': name }))
    .merge(detected);
}

function createTracing(provider: BasicTracerProvider, ids: ChosenIds, namespace: string): Tracing {
  const tracer = provider.getTracer(name);
  const propagator = new W3CTraceContextPropagator();

  function startWith(chosen: Partial<Ids>, start: () => ReturnType<typeof tracer.startSpan>) {
    ids.chosen = chosen;
    try {
      return start();
    } finally {
      ids.chosen = {};
    }
  }

  return {
    start(spanName, { kind, startMs, parent, key, isRoot, links = [], attributes }) {
      const derived = key && deriveIds(namespace, key);
      const chosen = { traceId: derived?.traceId, spanId: isRoot ? derived?.spanId : undefined };
      const context: Context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      const options = {
        ...(kind && { kind: kinds[kind] }),
        ...(startMs !== undefined && { startTime: startMs }),
        ...(attributes && { attributes }),
        links: links.map((linked) => ({ context: linked })),
      };
      return startWith(chosen as Partial<Ids>, () => tracer.startSpan(spanName, options, context));
    },
    locate(key): SpanContext {
      // A span that never ends is not sent. The sampler decides about it as in the process that sends it.
      return startWith(deriveIds(namespace, key), () => tracer.startSpan('', {}, ROOT_CONTEXT)).spanContext();
    },
    extract(headers) {
      return trace.getSpanContext(propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter));
    },
    inject(span) {
      const headers: Record<string, string> = {};
      propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, defaultTextMapSetter);
      return headers;
    },
  };
}

/** Two installations that send to one collector have different ids if `service.namespace` of their resource differs. */
function deriveIds(namespace: string, key: TraceKey): Ids {
  const digest = createHash('sha256')
    .update(JSON.stringify([namespace, key]))
    .digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}
