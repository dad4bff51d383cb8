import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFailed, test } from 'vitest';
import type { DemoFile } from '../../services/demo/file.ts';
import { readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { type CollectedSpan, startCollector } from '../support/collector.ts';
import { openPublisher } from '../support/demo-accounts.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { adminSecret, issueTestKey } from '../support/keys.ts';
import { startReceiver } from '../support/receiver.ts';
import { standalone, startRedisServers } from '../support/redis-server.ts';
import { ready, type Service, startService, stopService } from '../support/service.ts';
import { describeSpend } from '../support/spend-request.ts';
import { useForFile } from '../support/use-for-file.ts';

const run = promisify(execFile);
const example = join(import.meta.dirname, '../../docs/examples/list-an-adaptor.ts');
const internalSecret = 'the-internal-secret-of-the-tests';
/** Part of the receiver's url that only the subscriber may know. */
const urlToken = 'the-token-in-the-url';
const webhookSecret = 'the-secret-that-signs-deliveries';

/** The roles in processes of their own, and a collector that all of them send to. */
const world = useForFile(async () => {
  await using starting = new AsyncDisposableStack();
  const data = await createDemoDir();
  starting.defer(() => data.remove());
  const collector = await startCollector();
  starting.defer(() => collector.close());
  const redis = await startRedisServers(standalone);
  starting.defer(() => redis.stop());
  const receiver = await startReceiver();
  starting.defer(() => receiver.close());
  const [agentPort, toolsPort] = await freePorts(2);
  const env = {
    REDIS_URL: redis.urls[0]!,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    INTERNAL_AGENT_SECRET: internalSecret,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  const own: Record<string, Record<string, string>> = {
    localnet: {},
    indexer: {},
    'dispatcher tools': { TOOLS_PORT: String(toolsPort) },
    agent: { AGENT_PORT: String(agentPort), TOOLS_URL: `http://127.0.0.1:${toolsPort}` },
    gateway: { AGENT_URL: `http://127.0.0.1:${agentPort}` },
  };
  const services: Service[] = [];
  for (const [roles, settings] of Object.entries(own)) {
    const service = startService(data.dir, roles.split(' '), { ...env, ...settings });
    services.push(service);
    starting.defer(async () => void (await stopService(service)));
  }
  const output = () => services.map((service) => service.output()).join('\n');
  const running = starting.move();
  const gateway = services.at(-1)!;
  return { dir: data.dir, gateway, collector, receiver, output, close: () => running.disposeAsync() };
});

let demo: DemoFile & { baseUrl: string };
let apiKey: string;
beforeAll(async () => {
  demo = await ready(world.gateway, world.dir);
  ({ key: apiKey } = await issueTestKey(demo.baseUrl));
  const url = `${world.receiver.url}/hook?token=${urlToken}`;
  const hook = { url, events: ['Registered'], secret: webhookSecret };
  const answer = await fetch(
    `${demo.baseUrl}/api/adaptors/webhooks`,
    buildRequest(hook, { 'x-api-key': apiKey }),
  );
  expect(answer.status).toBe(200);
  await run(process.execPath, [example], { env: { ...process.env, DATA_DIR: world.dir } });
});

const findAll = (name: string, traceId?: string) =>
  world.collector
    .spans()
    .filter((span) => span.name === name && (traceId === undefined || span.traceId === traceId));

async function findOne(name: string, traceId?: string): Promise<CollectedSpan> {
  return await eventually(() => {
    const found = findAll(name, traceId);
    expect(found, `${name} in ${traceId}`).toHaveLength(1);
    return found[0]!;
  });
}

/** Waits for the request with a number, from 0, that the subscriber got. The example's listing is the first. */
async function receive(at: number) {
  return await eventually(() => {
    const { received } = world.receiver;
    expect(received.length).toBeGreaterThan(at);
    return received[at]!;
  });
}

/** The span of the event that a message is about. */
async function findCreated({ body }: { body: Buffer }): Promise<CollectedSpan> {
  const { id } = JSON.parse(String(body));
  return await eventually(() => {
    const isOfEvent = ({ attributes }: CollectedSpan) => attributes['messaging.message.id'] === id;
    const found = findAll('create Registered').filter(isOfEvent);
    expect(found).toHaveLength(1);
    return found[0]!;
  });
}

test('one trace leads from a checkpoint over the checks to the bytes that the first reader of the catalog gets', async () => {
  onTestFailed(() => console.log(world.output()));
  const created = await findCreated(await receive(0));
  const { traceId, spanId } = created.links![0]!;
  const root = await findOne('index checkpoint', traceId);
  expect(root).toMatchObject({ spanId, attributes: { 'marketplace.source': 'registry' } });
  expect(root.parentSpanId ?? '').toBe('');
  for (const step of ['receive events', 'store events', 'fetch manifest', 'prepare catalog']) {
    expect(await findOne(step, traceId)).toMatchObject({ parentSpanId: spanId });
  }
  await eventually(() => expect(findAll('check listing', traceId).length).toBeGreaterThan(0));
  const prepared = await findOne('prepare catalog', traceId);
  const sent = await findOne('send catalog', traceId);
  expect(sent.parentSpanId).toBe(prepared.spanId);
  expect(prepared.process).toBe(sent.process);
  expect(prepared.process).not.toBe(root.process);
  // The request is in a trace of its own. Both name each other.
  const [link] = sent.links!;
  const request = await findOne('GET /api/adaptors', link!.traceId);
  expect(request).toMatchObject({ spanId: link!.spanId, kind: 2 });
  expect(request.links).toMatchObject([{ traceId, spanId: sent.spanId }]);
});

test('a client that copies the catalog by its revisions gets the end of the trace too', async () => {
  const { baseUrl } = demo;
  const feed = async (since: number) =>
    await (
      await fetch(`${baseUrl}/api/adaptors?sinceRevision=${since}`, { headers: { 'x-api-key': apiKey } })
    ).json();
  const publisher = await openPublisher(demo, baseUrl);
  const { revision } = await feed(0);
  await publisher.unlist();
  await publisher.list();
  await eventually(async () => {
    const { changed } = await feed(revision);
    const listed = changed.map(({ serviceType }: { serviceType: string }) => serviceType);
    expect(listed).toContain(publisher.serviceType);
  });
  const created = await findCreated(await receive(1));
  const sent = await eventually(async () => {
    await feed(revision);
    const found = findAll('send catalog', created.links![0]!.traceId);
    expect(found).toHaveLength(1);
    return found[0]!;
  });
  expect(await findOne('GET /api/adaptors', sent.links![0]!.traceId)).toMatchObject({ kind: 2 });
});

test('one trace leads from an event to the request that its subscriber gets, and the subscriber can go on with it', async () => {
  const message = await receive(0);
  const created = await findCreated(message);
  const [, traceId, spanId] = message.headers.traceparent!.split('-');
  expect(traceId).toBe(created.traceId);
  const attempt = await findOne('POST', traceId);
  expect(attempt).toMatchObject({ spanId, parentSpanId: created.spanId, kind: 3 });
  expect(attempt.process).not.toBe(created.process);
  expect(attempt.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 204,
    'server.address': '127.0.0.1',
  });
});

test('one trace leads from the caller of a run over gateway, agent and tool service to its last step', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const caller = 'b7ad6b7169203331';
  const headers = {
    authorization: `Bearer ${demo.agent.executorKey}`,
    traceparent: `00-${traceId}-${caller}-01`,
  };
  const request = { ...describeSpend(demo), requestId: 'a traced run' };
  const answer = await fetch(`${demo.baseUrl}/api/agent/run`, buildRequest(request, headers));
  expect((await readSteps(answer)).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });

  const ofCaller = await eventually(() => {
    const found = findAll('POST /api/agent/run', traceId);
    expect(found).toHaveLength(2);
    return found.find(({ parentSpanId }) => parentSpanId === caller)!;
  });
  const below = (name: string, { spanId }: CollectedSpan) =>
    eventually(() => {
      const found = findAll(name, traceId).filter(({ parentSpanId }) => parentSpanId === spanId);
      expect(found, `${name} below ${spanId}`).toHaveLength(1);
      return found[0]!;
    });
  const agent = await below('POST /api/agent/run', await below('POST', ofCaller));
  const driven = await below('run spend', agent);
  for (const step of ['draft', 'check', 'simulate', 'sign', 'execute', 'confirm'])
    await below(`run step ${step}`, driven);
  const tools = await below('POST /draft', await below('POST', driven));
  const processes = [ofCaller, agent, tools].map(({ process }) => process);
  expect(new Set(processes).size).toBe(3);
  expect(driven.process).toBe(agent.process);
});

test('no span has a key, a token, a secret or the url of a subscriber', async () => {
  await findCreated(await receive(0));
  const sent = world.collector.bodies.join('\n');
  const secrets = {
    apiKey,
    webhookSecret,
    adminSecret,
    internalSecret,
    urlToken,
    key: demo.agent.executorKey,
  };
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(8);
    expect(sent.includes(secret), name).toBe(false);
  }
  expect(sent).not.toMatch(/postgres(ql)?:\/\/|\bredis:\/\//);
});
