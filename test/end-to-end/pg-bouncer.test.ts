import { expect, onTestFailed, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { createDatabase } from '../support/database.ts';
import { openPublisher, readProviderBalance } from '../support/demo-accounts.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { eventually } from '../support/eventually.ts';
import { queryGraph } from '../support/graph-queries.ts';
import { adminSecret, issueTestKey } from '../support/keys.ts';
import { type PgBouncer, startPgBouncer } from '../support/pg-bouncer.ts';
import { startReceiver } from '../support/receiver.ts';
import { ready, type Service, startService, stopService } from '../support/service.ts';
import { describeSpend } from '../support/spend-request.ts';
import { useForFile } from '../support/use-for-file.ts';

/** Far fewer than the clients of the five roles. */
const poolSize = 2;

let service: Service;
let bouncer: PgBouncer;
const world = useForFile(async () => {
  await using starting = new AsyncDisposableStack();
  const dir = await createDemoDir();
  starting.defer(() => dir.remove());
  const created = await createDatabase();
  starting.defer(() => created.drop());
  const direct = openDatabase(created.url, { max: 1 });
  starting.defer(() => direct.close());
  bouncer = await startPgBouncer(created.url, poolSize);
  starting.defer(() => bouncer.close());
  service = startService(dir.dir, [], {
    DATABASE_URL: bouncer.url,
    DIRECT_DATABASE_URL: created.url,
    DATABASE_PREPARED_STATEMENTS: 'off',
    REDIS_URL: 'memory:',
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    MARKETPLACE_ANON_RPM: '10000',
  });
  starting.defer(async () => void (await stopService(service)));
  const demo = await ready(service, dir.dir);
  const closing = starting.move();
  return { demo, direct, close: () => closing.disposeAsync() };
});

/** Follows the events of the catalog as an EventSource does: it resumes after the last one that it has. */
function followEvents(baseUrl: string) {
  const stop = new AbortController();
  const names: string[] = [];
  let last: string | undefined;
  const opened = Promise.withResolvers<void>();
  async function read(): Promise<void> {
    const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
    const answer = await fetch(`${baseUrl}/api/adaptors/events/stream`, { headers, signal: stop.signal });
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        last = /^id: (.+)$/m.exec(frame)?.[1] ?? last;
        const name = /^event: (.+)$/m.exec(frame)?.[1];
        if (name !== undefined) names.push(name);
        opened.resolve();
      }
    }
  }
  const running = (async () => {
    while (!stop.signal.aborted) await read().catch(() => undefined);
  })();
  const close = async () => {
    stop.abort();
    await running;
  };
  return { names, opened: opened.promise, close };
}

/** Sends a run until it is known how it ended, as a client does. */
async function spend(requestId: string): Promise<void> {
  const { demo } = world;
  const request = { ...describeSpend(demo), requestId };
  const headers = { authorization: `Bearer ${demo.agent.executorKey}` };
  await eventually(
    async () => {
      const steps = await readSteps(
        await fetch(`${demo.baseUrl}/api/agent/run`, buildRequest(request, headers)),
      );
      expect(steps.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    },
    { intervalMs: 300 },
  );
}

test('every role works through PgBouncer in transaction mode, and its end loses nothing', async () => {
  onTestFailed(() => console.log(service.output()));
  const { demo } = world;
  const { baseUrl } = demo;
  await using closing = new AsyncDisposableStack();
  const receiver = await startReceiver();
  closing.defer(() => receiver.close());
  const { key } = await issueTestKey(baseUrl);
  const events = ['Registered', 'Unlisted'];
  const hook = buildRequest({ url: receiver.url, events }, { 'x-api-key': key });
  expect((await fetch(`${baseUrl}/api/adaptors/webhooks`, hook)).status).toBe(200);
  const stream = followEvents(baseUrl);
  closing.defer(() => stream.close());
  await stream.opened;
  const publisher = await openPublisher(demo, baseUrl);
  const before = await readProviderBalance(demo);

  await publisher.unlist();
  await spend('first');
  const query = '{ adaptors(first: 100) { edges { node { serviceType } } } }';
  const pages = Array.from({ length: 40 }, async () => {
    const [list, graph] = await Promise.all([
      fetch(`${baseUrl}/api/adaptors?limit=100`).then((answer) => answer.json()),
      queryGraph(baseUrl, query),
    ]);
    expect(list.adaptors.length).toBeGreaterThan(10);
    expect(graph.data?.adaptors.edges.length, JSON.stringify(graph)).toBeGreaterThan(10);
  });
  await Promise.all(pages);

  const interrupted = spend('second');
  await eventually(async () => {
    const { rowCount } = await world.direct.pool.query(`select from agent_runs where request_id = 'second'`);
    expect(rowCount).toBe(1);
  });
  await bouncer.kill();
  await publisher.list();
  await publisher.unlist();
  expect((await fetch(`${baseUrl}/api/adaptors?q=swap`)).status).toBe(503);
  await bouncer.start();
  await interrupted;
  await spend('third');
  await publisher.list();

  const expected = ['Unlisted', 'Registered', 'Unlisted', 'Registered'];
  await eventually(() => {
    expect(stream.names).toEqual(expected);
    const delivered = receiver.received.map(({ body }) => JSON.parse(String(body)));
    // A delivery whose record was lost with PgBouncer is repeated, with its id.
    const names = new Map(delivered.map(({ id, event }) => [id, event]));
    expect([...names.values()].toSorted()).toEqual(expected.toSorted());
  });
  expect((await readProviderBalance(demo)) - before).toBe(3_000_000n);
});
