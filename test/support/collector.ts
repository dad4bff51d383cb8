import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number; arrayValue?: unknown };

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  links?: { traceId: string; spanId: string }[];
}

interface SentTraces {
  resourceSpans: {
    resource: { attributes: SentSpan['attributes'] };
    scopeSpans: { spans: SentSpan[] }[];
  }[];
}

export interface CollectedSpan extends Omit<SentSpan, 'attributes'> {
  /** `service.instance.id`: one of each process. */
  process: string;
  attributes: Record<string, string | number>;
}

interface Collector {
  url: string;
  /** Bodies as they arrived, and their content types. */
  bodies: string[];
  contentTypes: (string | undefined)[];
  /** Status of its answers from now on. */
  answerWith(status: number): void;
  /** All spans so far, if they came as JSON. */
  spans(): CollectedSpan[];
  close(): Promise<void>;
}

/** A receiver of traces: OTLP over HTTP, at the path that the standard names. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const contentTypes: (string | undefined)[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (request.url !== '/v1/traces') return response.writeHead(404).end();
    bodies.push(String(body));
    contentTypes.push(request.headers['content-type']);
    return response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    bodies,
    contentTypes,
    answerWith: (next) => {
      status = next;
    },
    spans: () => bodies.flatMap(readSpans),
    close,
  };
}

function readSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as SentTraces;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = String(flatten(resource.attributes)['service.instance.id']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, process, attributes: flatten(span.attributes) })),
    );
  });
}

function flatten(attributes: SentSpan['attributes']): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue ?? Number.NaN),
    ]),
  );
}
