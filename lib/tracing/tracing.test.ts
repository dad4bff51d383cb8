import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { startCollector } from '../../test/support/collector.ts';
import { eventually } from '../../test/support/eventually.ts';
import { freePorts } from '../../test/support/free-ports.ts';
import { type Logger, silentLogger } from '../log/index.ts';
import { startClientSpan } from './client-span.ts';
import { startTracing } from './start-tracing.ts';
import { getTracing, type TraceKey } from './tracing.ts';

const run = promisify(execFile);

// The SDK reads the process's environment itself.
const names = new Set<string>();
let stop: (() => Promise<void>) | undefined;

async function start(env: Record<string, string>, log = silentLogger): Promise<void> {
  for (const name of Object.keys(env)) names.add(name);
  Object.assign(process.env, env);
  stop = await startTracing(process.env, log);
}

afterEach(async () => {
  await stop?.();
  stop = undefined;
  for (const name of names) delete process.env[name];
  names.clear();
});

const key: TraceKey = ['checkpoint', 'a chain', 'registry', 7];

test('without an endpoint, or turned off, a process has no tracing', async () => {
  await start({});
  expect(getTracing()).toBeUndefined();
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' });
  expect(getTracing()).toBeUndefined();
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' });
  expect(getTracing()).toBeUndefined();
});

test('without an endpoint nothing of the SDK is loaded', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    await import(${JSON.stringify(import.meta.resolve('../http/server-span.ts'))});
    const { startTracing } = await import(${JSON.stringify(import.meta.resolve('./start-tracing.ts'))});
    const count = () => urls.filter((url) => url.includes('@opentelemetry')).length;
    await startTracing({}, console);
    const before = count();
    await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, console);
    console.log(JSON.stringify([before, count() > 0]));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(JSON.parse(stdout)).toEqual([0, true]);
});

test('a protocol that is not supported stops the start, with the setting and what to set', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  await expect(start(env)).rejects.toThrow(
    /OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported\. Set http\/protobuf or http\/json/,
  );
});

test('protobuf is sent unless JSON is set', async () => {
  const collector = await startCollector();
  await using _ = { [Symbol.asyncDispose]: collector.close };
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  getTracing()!.start('work', {}).end();
  await stop!();
  await start({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
  getTracing()!.start('work', {}).end();
  await stop!();
  expect(collector.contentTypes).toEqual(['application/x-protobuf', 'application/json']);
});

test('processes find the same root by its key, and installations with another namespace do not', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  await start(endpoint);
  const first = getTracing()!.locate(key);
  expect(getTracing()!.start('root', { key, isRoot: true }).spanContext()).toEqual(first);
  expect(getTracing()!.locate(['checkpoint', 'a chain', 'registry', 8]).traceId).not.toBe(first.traceId);
  await stop!();
  await start(endpoint);
  expect(getTracing()!.locate(key)).toEqual(first);
  await stop!();
  await start({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=another' });
  expect(getTracing()!.locate(key).traceId).not.toBe(first.traceId);
});

test('the sampler of the environment decides once for a trace, also about spans of other processes', async () => {
  const collector = await startCollector();
  await using _ = { [Symbol.asyncDispose]: collector.close };
  await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.5',
  });
  const tracing = getTracing()!;
  for (let checkpoint = 0; checkpoint < 40; checkpoint += 1) {
    const own: TraceKey = ['checkpoint', 'a chain', 'registry', checkpoint];
    tracing.start('root', { key: own, isRoot: true }).end();
    tracing.start('child', { parent: tracing.locate(own) }).end();
  }
  await stop!();
  const collect = (name: string) =>
    collector
      .spans()
      .filter((span) => span.name === name)
      .map(({ traceId }) => traceId);
  const roots = collect('root');
  expect(collect('child')).toEqual(roots);
  expect(roots.length).toBeGreaterThan(0);
  expect(roots.length).toBeLessThan(40);
});

test('the span of an outgoing request has the host of its url and nothing else of it', async () => {
  const collector = await startCollector();
  await using _ = { [Symbol.asyncDispose]: collector.close };
  await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
  const url = new URL('https://user:password@hooks.example/path-token?key=query-token');
  startClientSpan({ method: 'POST', url })!.end({ status: 500 });
  await stop!();
  expect(collector.spans()[0]!.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 500,
    'server.address': 'hooks.example',
    'server.port': 443,
    'error.type': '500',
  });
  expect(collector.bodies.join()).not.toMatch(/password|path-token|query-token/);
});

test('a collector that fails is logged once, without its credentials, and once when it works again', async () => {
  const collector = await startCollector();
  await using _ = { [Symbol.asyncDispose]: collector.close };
  const { log, lines } = createTape();
  collector.answerWith(400);
  await start(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=the-token-of-the-collector',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
    log,
  );
  for (let failed = 1; failed <= 3; failed += 1) {
    getTracing()!.start('work', {}).end();
    await eventually(() => expect(collector.bodies).toHaveLength(failed));
  }
  collector.answerWith(200);
  getTracing()!.start('work', {}).end();
  await eventually(() => expect(lines).toHaveLength(2));
  expect(lines[0]).toContain('cannot send traces; they are dropped');
  expect(lines[1]).toContain('traces are sent again');
  expect(lines.join()).not.toContain('the-token-of-the-collector');
});

test('a collector that is not there is logged with the reason, and does not hold up the end', async () => {
  const { log, lines } = createTape();
  const [port] = await freePorts(1);
  await start(
    { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_TIMEOUT: '50' },
    log,
  );
  getTracing()!.start('work', {}).end();
  await stop!();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/ECONNREFUSED|timeout|timed out/i);
});

/** A log whose lines a test reads. */
function createTape(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log = pino({ base: undefined }, { write: (line: string) => void lines.push(line) });
  return { log, lines };
}
