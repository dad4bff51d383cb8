import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { createMarketplace } from '@adaptor-marketplace/sdk';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startChromium } from '../support/chromium.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { type InstalledProject, installProject, installRuntime } from '../support/installed-project.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { ready, type Service, startService, stopService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { type Outcome, promises, type World } from './suite.ts';

const run = promisify(execFile);
const adminSecret = 'of-the-test-only';

/** A whole marketplace with keys and webhooks. Its limits are higher than the suite needs. */
let marketplace: Service;
let data: Awaited<ReturnType<typeof createDemoDir>>;
let receiver: Receiver;
let project: InstalledProject;
let world: Omit<World, 'runtime'>;

beforeAll(async () => {
  data = await createDemoDir();
  marketplace = startService(data.dir, [], {
    REDIS_URL: 'memory:',
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    MARKETPLACE_ANON_RPM: '100000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  });
  // A page of another origin also reads the answer.
  receiver = await startReceiver((response, { path }, { method }) => {
    if (method !== 'GET') return response.writeHead(204).end();
    const posted = receiver.received.filter((one) => one.path === path && one.body.length > 0);
    const shown = posted.map(({ headers, body }) => ({ headers, body: body.toString('base64') }));
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end(JSON.stringify(shown));
  });
  project = await installProject(['move-bytecode', 'adaptor', 'sdk']);
  const example = join(import.meta.dirname, '../../docs/examples/hello_adaptor');
  const { modules, dependencies } = await compilePackage(example);
  const demo = await ready(marketplace, data.dir);
  world = {
    baseUrl: demo.baseUrl,
    rpcUrl: demo.rpcUrl,
    faucetUrl: demo.faucetUrl,
    registry: { packageId: demo.packages.registry, objectId: demo.objects.registry },
    walletPackageId: demo.packages.wallet,
    owner: demo.owner,
    recipient: demo.provider.address,
    executorKey: demo.agent.executorKey,
    adminSecret,
    receiverUrl: receiver.url,
    package: {
      modules: modules.map((module) => Buffer.from(module).toString('base64')),
      dependencies,
      witness: 'greeter::Greeter',
    },
  };
  for (const file of ['suite.ts', 'main.ts']) {
    await project.write(file, await readFile(join(import.meta.dirname, file), 'utf8'));
  }
});
afterAll(async () => {
  await stopService(marketplace);
  await Promise.all([data.remove(), project.remove(), receiver.close()]);
});

async function runProgram(program: string, ...args: string[]): Promise<Outcome[]> {
  const env = { ...process.env, DENO_DIR: join(project.dir, '.deno'), DENO_NO_UPDATE_CHECK: '1' };
  const { stdout } = await run(program, [...args, 'main.ts'], { cwd: project.dir, env });
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

/** Runs the suite as the script of a page whose origin is not the marketplace's. */
async function inChromium(): Promise<Outcome[]> {
  const { outputFiles } = await build({
    entryPoints: [join(project.dir, 'main.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    platform: 'browser',
    target: 'esnext',
    logLevel: 'silent',
  });
  const files: Record<string, [type: string, content: Uint8Array | string]> = {
    '/': ['text/html', '<script type="module" src="/main.js"></script>'],
    '/main.js': ['text/javascript', outputFiles[0]!.contents],
    '/world.json': ['application/json', await readFile(join(project.dir, 'world.json'))],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, content] = files[url] ?? ['text/plain', ''];
    response.writeHead(content === '' ? 404 : 200, { 'content-type': type }).end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await startChromium();
  try {
    const page = await (await browser.newContext()).newPage();
    const failed = new Promise<never>((_, reject) => page.once('pageerror', reject));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const finished = page.waitForFunction('globalThis.outcomes', undefined, { timeout: 240_000 });
    return (await (await Promise.race([finished, failed])).jsonValue()) as Outcome[];
  } finally {
    await browser.close();
    server.close();
  }
}

const runtimes: Record<string, () => Promise<Outcome[]>> = {
  node: () => runProgram(project.node),
  deno: async () =>
    runProgram(await installRuntime('deno'), 'run', '--allow-all', '--node-modules-dir=manual'),
  bun: async () => runProgram(await installRuntime('bun'), 'run'),
  chromium: inChromium,
};

describe.each(Object.keys(runtimes))('from its tarball, the sdk in %s', (runtime) => {
  let outcomes: Outcome[];
  beforeAll(async () => {
    await project.write('world.json', JSON.stringify({ ...world, runtime }));
    outcomes = await runtimes[runtime]!();
  });

  test.each(Object.keys(promises))('%s', (name) => {
    expect(outcomes.find((outcome) => outcome.name === name)).toEqual({ name });
  });
});

test('every example of docs/sdk.md runs, in their order', async () => {
  const document = await readFile(join(import.meta.dirname, '../../docs/sdk.md'), 'utf8');
  const examples = [...document.matchAll(/^```js\n(.*?)^```$/gms)].map(([, example]) => example!);
  expect(examples.length).toBeGreaterThan(7);
  await project.write('.data/demo.json', await readFile(join(data.dir, 'demo.json'), 'utf8'));
  // Code of a server that passes a delivery to the handler.
  const delivery = `
    const { createHmac } = await import('node:crypto');
    const body = JSON.stringify({ event: 'Test', id: 'test:1' });
    const timestamp = Math.floor(Date.now() / 1000);
    const hmac = createHmac('sha256', process.env.WEBHOOK_SECRET).update(\`test:1.\${timestamp}.\${body}\`);
    const headers = {
      ...{ 'webhook-id': 'test:1', 'webhook-timestamp': String(timestamp) },
      'webhook-signature': \`v1,\${hmac.digest('base64')}\`,
    };
    for (const sent of [body, body + ' ']) {
      const { status } = await receive(new Request('http://app', { method: 'POST', body: sent, headers }));
      console.log('responded', status);
    }`;
  await project.write('docs.js', [...examples, delivery].join('\n'));
  const env = { ...process.env, WEBHOOK_SECRET: 'a-secret-of-this-test' };
  const { stdout } = await run(project.node, ['docs.js'], { cwd: project.dir, env });
  const lines = stdout.trim().split('\n');
  const printed = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  expect(lines[0]).toBe(`registry ${world.registry.objectId}`);
  expect(printed(/^swap Lagoon Swap \d+$/)).toBe(1);
  expect(printed(/^review [1-5] 0x[0-9a-f]{64}$/)).toBe(2);
  expect(printed(/^event \w+ \d+\.\d+\.\d+$/)).toBe(1);
  expect(lines).toContain('refused 404 listing_not_found');
  expect(lines).toContain('verified true listing manifest witness publisher');
  expect(printed(/^granted \w{40,}$/)).toBe(1);
  expect(printed(/^wallet 0x[0-9a-f]{64}$/)).toBe(1);
  expect(printed(/^explained At most 0\.001 SUI leaves /)).toBe(1);
  expect(printed(/^deposited \w{40,}$/)).toBe(1);
  expect(printed(/^would abort: .+ aborted with E\w+ \(code \d+\)\.$/)).toBe(1);
  expect(printed(/^grant 0x0{63}2::sui::SUI 0 LISTED$/)).toBe(1);
  expect(lines).toContain('grants left 0');
  expect(printed(/^confirm done \w{40,}$/)).toBe(1);
  expect(lines.slice(-3)).toEqual(['received Test test:1', 'responded 204', 'responded 401']);
});

test('events and an action go on through connections that are cut', async () => {
  const proxy = await startTcpProxy(world.baseUrl);
  onTestFinished(() => proxy.cut());
  const market = createMarketplace({ baseUrl: proxy.url, token: world.executorKey });
  const direct = createMarketplace({ baseUrl: world.baseUrl });
  const { events: known } = await direct.api.listEvents({ query: { limit: 500 } });
  expect(known.length).toBeGreaterThan(10);
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { id } of market.events({ after: '0.0.0', signal: stop.signal })) {
    seen.push(id);
    if (seen.length === known.length) break;
    if (seen.length % 5 !== 0) continue;
    await proxy.cut();
    await proxy.restore();
  }
  expect(seen).toEqual(known.map(({ id }) => id));
  const { owner, recipient } = world;
  const action = {
    owner: owner.address,
    walletId: owner.walletId,
    coinType: '0x2::sui::SUI',
    amount: '1000',
    recipient,
    requestId: 'sdk-cut',
  };
  const steps: string[] = [];
  for await (const { step, status } of market.runAction(action)) {
    steps.push(`${step} ${status}`);
    await proxy.cut();
    await proxy.restore();
  }
  const runs = await createMarketplace({ baseUrl: world.baseUrl, token: world.executorKey }).api.listRuns({
    query: { walletId: owner.walletId, limit: 100 },
  });
  const [own, ...others] = runs.runs.filter(({ requestId }) => requestId === 'sdk-cut');
  expect(others).toEqual([]);
  expect(steps).toEqual(own!.steps.map(({ step, status }) => `${step} ${status}`));
  expect(steps.at(-1)).toBe('confirm done');
});
