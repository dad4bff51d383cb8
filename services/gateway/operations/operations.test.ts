import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { storeProviders } from '../../../db/queries/providers.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';
import { problem } from '../openapi/parts.ts';
import { healthBody, readyBody, statusBody } from './health.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.close());

const get = async (path: string) => {
  const answer = await fetch(gateway.url + path);
  return { status: answer.status, body: await answer.json() };
};

test('the process is alive before any source has started, and not ready, naming the source', async () => {
  expect(healthBody.parse((await get('/healthz')).body)).toEqual({ status: 'ok' });
  const { status, body } = await get('/readyz');
  expect(status).toBe(503);
  expect(problem.parse(body).errors).toEqual([{ path: 'testnet.registry', message: 'has not started' }]);
});

test('ready follows the age of the covered checkpoint, whatever errors passed', async () => {
  await gateway.seed.source({ lastError: 'stream ended' });
  const ready = await get('/readyz');
  expect([ready.status, readyBody.parse(ready.body)]).toEqual([200, { status: 'ready' }]);
  await gateway.seed.source({ checkpointAt: new Date(Date.now() - 120_000), lastError: 'cursor is pruned' });
  const late = await get('/readyz');
  expect(late.status).toBe(503);
  expect(problem.parse(late.body).detail).toMatch(
    /testnet.registry: is 12\d s behind, above 60 s \(cursor is pruned\)/,
  );
});

test('the page of the status has the balance of the agent over a day', async () => {
  await gateway.seed.source();
  await gateway.db.pool.query(
    `insert into agent_gas_quarters (network, payer, from_at, balance)
      values ('testnet', $1, now() - interval '2 hours', 12500000000), ('testnet', $1, now() - interval '1 hour', 11000000000)`,
    [address(0xa)],
  );
  const answer = await fetch(`${gateway.url}/status`, { headers: { accept: 'text/html' } });
  const page = await answer.text();
  for (const text of [
    'agent 0x0000…000a: SUI for gas',
    '12.5 SUI',
    '11 SUI when the agent last read its coins',
  ])
    expect(page).toContain(text);
});

test('a source that has stopped for good makes the service unready at once, with the reason', async () => {
  const stoppedAt = new Date();
  await gateway.seed.source({ lastError: 'cursor is pruned', stoppedAt, secondsLeft: 40 });
  const { status, body } = await get('/readyz');
  expect(status).toBe(503);
  const message = 'has stopped: cursor is pruned';
  expect(problem.parse(body).errors).toEqual([{ path: 'testnet.registry', message }]);
  const [source] = statusBody.parse((await get('/status')).body).networks.testnet?.sources ?? [];
  expect(source).toMatchObject({
    ready: false,
    secondsLeft: null,
    lastError: 'cursor is pruned',
    stoppedMs: stoppedAt.getTime(),
  });
});

test('a source that is followed no more says so, and keeps nobody waiting', async () => {
  await gateway.seed.source();
  await gateway.seed.source({ name: 'wallet', checkpointAt: new Date(0), removedAt: new Date() });
  expect((await get('/readyz')).status).toBe(200);
  const sources = statusBody.parse((await get('/status')).body).networks.testnet?.sources;
  expect(sources?.map(({ name, ready, removedMs }) => [name, ready, removedMs !== null])).toEqual([
    ['registry', true, false],
    ['wallet', false, true],
  ]);
});

test('the status reports where each source, each provider and each listing stands', async () => {
  const quiet = { reason: null, tip: null, lagMs: null, latencyMs: null, budget: null, budgetLeft: null };
  await storeProviders(gateway.db.pool, 'testnet', [
    { ...quiet, host: 'old.example:443', inUse: true, state: 'healthy' },
  ]);
  await storeProviders(gateway.db.pool, 'testnet', [
    { ...quiet, host: 'a.example:443', inUse: false, state: 'failing', reason: 'UNAVAILABLE' },
    {
      host: 'b.example:443',
      inUse: true,
      state: 'healthy',
      reason: null,
      tip: 9,
      lagMs: 0,
      latencyMs: 40,
      budget: 100,
      budgetLeft: 21,
    },
  ]);
  await gateway.seed.source({
    cursorProvider: 'https://files.example/secret',
    checkpoint: 5,
    chainTip: 9,
    secondsLeft: 40,
    eventCount: 3,
    undecodedCount: 1,
    lastError: 'e',
  });
  await gateway.seed.listing();
  await gateway.seed.listing({ row: { listed: false, witnessCheck: 'invalid', nameError: 'bad' } });
  await gateway.seed.changed();
  const { body } = await get('/status');
  expect(statusBody.parse(body).networks.testnet).toEqual({
    chainId: 'chain',
    catalogVersion: 2,
    sources: [
      {
        name: 'registry',
        ready: true,
        hasCursor: false,
        readFrom: 'files.example',
        checkpoint: 5,
        chainTip: 9,
        lagSeconds: expect.any(Number),
        secondsLeft: 40,
        events: 3,
        undecodedEvents: 1,
        lastError: 'e',
        lastErrorMs: null,
        stoppedMs: null,
        removedMs: null,
      },
    ],
    off: ['wallet', 'rules', 'agents', 'escrow', 'statements'],
    walletLock: null,
    providers: [
      {
        host: 'b.example:443',
        inUse: true,
        state: 'healthy',
        reason: null,
        tip: 9,
        lagMs: 0,
        latencyMs: 40,
        budget: 100,
        budgetLeft: 21,
        ageSeconds: expect.any(Number),
      },
      {
        host: 'a.example:443',
        inUse: false,
        state: 'failing',
        reason: 'UNAVAILABLE',
        tip: null,
        lagMs: null,
        latencyMs: null,
        budget: null,
        budgetLeft: null,
        ageSeconds: expect.any(Number),
      },
    ],
    listings: {
      listed: 1,
      unlisted: 1,
      badNames: 1,
      manifestErrors: 0,
      publisherChecks: { verified: 2 },
      witnessChecks: { valid: 1, invalid: 1 },
    },
    manifests: { verified: 2 },
  });
});

test('metrics have the lag and the readiness of each followed source at the time of the scrape', async () => {
  const readSources = async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return text.match(/^source_(lag_seconds|ready)\{.*$/gm)?.sort() ?? [];
  };
  expect(await readSources()).toEqual(['source_ready{network="testnet",source="registry"} 0']);
  await gateway.seed.source();
  expect(await readSources()).toEqual([
    expect.stringMatching(/^source_lag_seconds\{network="testnet",source="registry"\} \d$/),
    'source_ready{network="testnet",source="registry"} 1',
  ]);
  await gateway.seed.source({ checkpointAt: new Date(Date.now() - 120_000) });
  expect(await readSources()).toEqual([
    expect.stringMatching(/^source_lag_seconds\{network="testnet",source="registry"\} 12\d$/),
    'source_ready{network="testnet",source="registry"} 0',
  ]);
});

test('requests are measured by route, so that a stranger cannot add labels', async () => {
  await (await fetch(`${gateway.url}/api/adaptors`)).text();
  await (await fetch(`${gateway.url}/no/such/${'x'.repeat(20)}`)).text();
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(text).toContain('http_request_duration_seconds_count{route="/api/adaptors",status="200"} 1');
  expect(text).toContain('http_request_duration_seconds_count{route="unmatched",status="404"} 1');
  expect(text).not.toContain('/no/such');
  expect(text).toContain('catalog_entries{network="testnet"} 0');
});

test('while reads of the index fail the catalog is still served, and no response shows SQL', async () => {
  await gateway.seed.listing();
  await gateway.db.pool.query('alter table sources rename to sources_gone');
  expect((await get('/api/adaptors')).status).toBe(200);
  const { status, body } = await get('/readyz');
  expect([status, problem.parse(body).code]).toEqual([500, 'internal_error']);
  expect(JSON.stringify(body)).not.toContain('sources');
  await gateway.db.pool.query('alter table sources_gone rename to sources');
});

test('metrics are for callers on this machine, and a proxy on it does not publish them', async () => {
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(200);
  for (const [name, value] of Object.entries({ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=_gone' })) {
    const answer = await fetch(`${gateway.url}/metrics`, { headers: { [name]: value } });
    expect([answer.status, (await answer.json()).code]).toEqual([403, 'forbidden']);
  }
});

test('however many ask at once whether the service is ready, two reads answer them', async () => {
  await gateway.seed.source();
  const reading = vi.spyOn(gateway.served.pool, 'query');
  const countReads = () =>
    reading.mock.calls.filter(([query]) => JSON.stringify(query).includes('read-index-state')).length;
  let received = 0;
  const receive = () => {
    received += 1;
  };
  subscribe('http.server.request.start', receive);
  onTestFinished(() => {
    unsubscribe('http.server.request.start', receive);
    reading.mockRestore();
  });
  const lock = await gateway.db.pool.connect();
  await lock.query('begin; lock table sources');
  const asked = Array.from({ length: 30 }, () => get('/readyz'));
  await expect.poll(() => received).toBeGreaterThanOrEqual(30);
  await get('/healthz');
  await lock.query('rollback');
  lock.release();
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(countReads()).toBeGreaterThan(0);
  // The gateway itself also reads the table while they wait.
  expect(countReads()).toBeLessThan(6);
});
