import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { nodeChecks } from '../../packages/cli/src/doctor/checks.ts';
import { examineNode, type NodeReport, requestsMax } from '../../packages/cli/src/doctor/examine.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

let localnet: Localnet;
beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
});
afterEach(() => localnet.misbehaviour.reset());
afterAll(() => localnet.close());

const doctor = (url: string, ...words: string[]) => runCommand(['doctor', '--rpc', url, ...words], {});

interface Printed extends NodeReport {
  network: string | null;
  canRun: boolean;
  findings: string[];
}

async function examine(): Promise<Printed & { code: number }> {
  const { code, out } = await doctor(localnet.rpcUrl, '--json');
  return { code, ...JSON.parse(out) };
}

const findState = ({ checks }: Printed, method: string) =>
  checks.find(({ rpc }) => rpc.endsWith(`/${method}`))!.state;

test('a node with everything is fit, and its facts are reported', async () => {
  const report = await examine();
  expect(report).toMatchObject({
    code: 0,
    canRun: true,
    findings: [],
    network: null,
    url: localnet.rpcUrl,
    chainId: localnet.ledger.chainId,
    checkpoints: { lowest: 0, lowestObjects: 0, listLag: 0 },
    limits: { batchMax: 1_000, requestBytes: 131_072 },
    requests: { refused: 0, firstRefused: null, retryAfterS: null },
  });
  expect(report.checks.map(({ state }) => state)).toEqual(report.checks.map(() => 'ok'));
  expect(report.checks.every(({ medianMs }) => medianMs! > 0)).toBe(true);
  expect(report.limits.responseBytes).toBeGreaterThan(100_000);
  expect(Object.keys(report.firstFrameMs)).toHaveLength(2);
});

test('it sends no more requests than it announces', async () => {
  const { err, out } = await doctor(localnet.rpcUrl, '--json');
  const announced = Number(/at most (\d+) requests/.exec(err)![1]);
  const { sent } = JSON.parse(out).requests;
  expect(sent).toBeGreaterThan(30);
  expect(sent).toBeLessThanOrEqual(announced);
  // A public provider allows about 100 in 30 s.
  expect(announced).toBeLessThan(100);
});

test('without list indexes the node is fit, and what is slower is named', async () => {
  localnet.misbehaviour.set({ refuseLists: true });
  const report = await examine();
  expect(report).toMatchObject({ code: 0, canRun: true, checkpoints: { listLag: null } });
  expect(findState(report, 'ListTransactions')).toBe('absent');
  expect(findState(report, 'ListPackageVersions')).toBe('absent');
  expect(report.findings).toEqual([
    expect.stringMatching(/^LedgerService\/ListTransactions is absent .*disabled.*reads every checkpoint/),
    expect.stringMatching(/^MovePackageService\/ListPackageVersions is absent .*first version/),
  ]);
});

test('without list indexes and without streams of checkpoints the node is not fit', async () => {
  localnet.misbehaviour.set({
    refuseLists: true,
    failCalls: { code: 'UNIMPLEMENTED', methods: ['SubscribeCheckpoints'], share: 1, seed: 1 },
  });
  const { code, out, err } = await doctor(localnet.rpcUrl);
  expect(code).toBe(1);
  expect(out).toMatch(/SubscribeCheckpoints +absent +- /);
  expect(out).toContain('The service cannot run with this node.');
  expect(err).toContain(`error: The service cannot run with ${localnet.rpcUrl}.`);
});

test('with list indexes, streams of checkpoints are not needed', async () => {
  localnet.misbehaviour.set({
    failCalls: { code: 'UNIMPLEMENTED', methods: ['SubscribeCheckpoints'], share: 1, seed: 1 },
  });
  const report = await examine();
  expect(report).toMatchObject({ code: 0, canRun: true });
  expect(report.findings).toEqual([expect.stringContaining('With the list index, nothing.')]);
});

test('a rate limit is counted, with the request that met it first', async () => {
  localnet.misbehaviour.set({ failCalls: { code: 'RESOURCE_EXHAUSTED', share: 0.1, seed: 7 } });
  const report = await examine();
  const { refused, firstRefused } = report.requests;
  expect(refused).toBeGreaterThan(0);
  expect(firstRefused).toBeGreaterThan(0);
  const limited = report.checks.filter(({ state }) => state !== 'ok');
  expect(limited.length).toBeGreaterThan(0);
  expect(limited.every(({ reason }) => reason?.startsWith('RESOURCE_EXHAUSTED'))).toBe(true);
  expect(report.findings.at(-1)).toMatch(new RegExp(`^A rate limit refused ${refused} of .* no delay`));
});

test('lists that are behind are reported with their distance', async () => {
  localnet.misbehaviour.set({ lagLists: { checkpoints: 40 } });
  for (let made = 0; made < 120; made++) localnet.ledger.createCheckpoint();
  const { checkpoints, findings } = await examine();
  // Checkpoints are made while the node is examined.
  expect(checkpoints.listLag).toBeGreaterThanOrEqual(30);
  expect(checkpoints.listLag).toBeLessThanOrEqual(40);
  expect(findings).toEqual([expect.stringContaining(`${checkpoints.listLag} checkpoints behind`)]);
});

test('a clock that differs from the node’s is reported, in both directions', async () => {
  localnet.misbehaviour.set({ clock: { offsetMs: 600_000 } });
  localnet.ledger.createCheckpoint();
  const { findings } = await examine();
  expect(findings).toEqual([expect.stringMatching(/is 6\d\d s ahead of the clock of this machine/)]);
});

test('a stream that opens and brings nothing is limited', async () => {
  localnet.misbehaviour.set({ dropStream: { afterFrames: 0, methods: ['SubscribeTransactions'] } });
  const report = await examine();
  expect(findState(report, 'SubscribeTransactions')).not.toBe('ok');
  expect(report.code).toBe(1);
});

test('a pruned node is fit, and its lowest checkpoint is named with the settings of an archive and a bucket', async () => {
  const pruned = await startTestLocalnet({ checkpointIntervalMs: 20 });
  onTestFinished(() => pruned.close());
  for (let made = 0; made < 20; made++) pruned.ledger.createCheckpoint();
  pruned.misbehaviour.set({ prune: { below: 10 } });
  const { code, out } = await doctor(pruned.rpcUrl, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    checkpoints: { lowest: 10, lowestObjects: 10 },
    findings: [
      expect.stringMatching(
        /begins at checkpoint 10\..*SUI_<NETWORK>_ARCHIVE_URL .*SUI_<NETWORK>_CHECKPOINTS_URL/,
      ),
    ],
  });
});

test('a node whose packages have no contents as objects is not fit', async () => {
  const node = await startNodeDouble({
    getServiceInfo: () => ({ chainId: 'chain', checkpointHeight: 1n }),
    getObject: () => ({ object: { version: 1n, package: { modules: [{ name: 'coin' }] } } }),
  });
  onTestFinished(() => node.close());
  const { code, out } = await doctor(node.url, '--json');
  const { checks }: Printed = JSON.parse(out);
  expect(code).toBe(1);
  expect(checks.find(({ rpc }) => rpc === 'LedgerService/GetObject')).toMatchObject({
    state: 'absent',
    reason: 'a package as an object has no bytecode, no type origins, no linkage',
  });
});

async function listening(server: Server): Promise<string> {
  const { url } = await listenLocally(server);
  onTestFinished(() => void server.close());
  return url;
}

test.each<[name: string, start: () => Promise<string>, message: string]>([
  ['no server', async () => 'http://127.0.0.1:1', 'does not answer: the connection was refused'],
  ['an unknown name', async () => 'http://node.invalid:9000', 'its host name does not resolve'],
  [
    'a server of HTTP/1',
    () => listening(createHttpServer((_, res) => res.end('hello'))),
    'it does not speak gRPC',
  ],
  [
    'a page',
    () =>
      listening(
        createHttp2Server((_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>')),
      ),
    'answers HTTP 200 with a web page',
  ],
  [
    'a server without gRPC',
    () => listening(createHttp2Server((_, res) => res.writeHead(404).end())),
    'answers HTTP 404: it serves no gRPC there',
  ],
  [
    'a rate limit',
    () => listening(createHttp2Server((_, res) => res.writeHead(429).end())),
    'answers HTTP 429: its rate limit is reached',
  ],
  [
    'a provider that requires a token',
    () => listening(createHttp2Server((_, res) => res.writeHead(401).end())),
    'set SUI_RPC_TOKEN',
  ],
  [
    'a gRPC server of something else',
    () =>
      listening(
        createHttp2Server((_, res) =>
          res.writeHead(200, { 'content-type': 'application/grpc', 'grpc-status': '12' }).end(),
        ),
      ),
    'speaks gRPC, but not sui.rpc.v2',
  ],
  [
    'https for a server without TLS',
    async () => localnet.rpcUrl.replace('http:', 'https:'),
    'does not speak TLS',
  ],
  [
    'a certificate that is not trusted',
    async () => {
      const proxy = await startTlsProxy(localnet.rpcUrl);
      onTestFinished(() => proxy.close());
      return `https://127.0.0.1:${proxy.port}`;
    },
    'its TLS certificate is not trusted',
  ],
  [
    'http for a server with TLS',
    async () => {
      const proxy = await startTlsProxy(localnet.rpcUrl);
      onTestFinished(() => proxy.close());
      return `http://127.0.0.1:${proxy.port}`;
    },
    'it does not speak gRPC without TLS',
  ],
])('%s is refused with the reason', async (_, start, message) => {
  const url = await start();
  const { code, out, err } = await doctor(url);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(`error: ${url} (--rpc) `);
  expect(err).toContain(message);
});

test('a server that accepts and says nothing is given up on', async () => {
  const url = await listening(createTcpServer((socket) => void socket.on('error', () => undefined)));
  await expect(examineNode(url, { timeoutMs: 200 })).rejects.toThrow('it did not answer in time');
});

test('without --rpc the node is that of SUI_RPC_URL, which a message names', async () => {
  const { err } = await runCommand(['doctor'], { SUI_RPC_URL: 'http://127.0.0.1:1' });
  expect(err).toContain('http://127.0.0.1:1 (SUI_RPC_URL) does not answer');
});

test('Ctrl-C ends it at once', async () => {
  const url = await listening(createTcpServer((socket) => void socket.on('error', () => undefined)));
  const program = join(import.meta.dirname, '../../packages/cli/bin/adaptor-marketplace.js');
  const child = spawn(process.execPath, [program, 'doctor', '--rpc', url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  await once(child.stderr, 'data');
  child.kill('SIGINT');
  await once(child, 'close');
  expect(said).toBe(`Checking ${url} with at most ${requestsMax} requests.\n`);
});

const document = join(import.meta.dirname, '../../docs/public-networks.md');

/** Text in which all that depends on the machine and the moment is replaced. */
const withoutMeasures = (text: string) =>
  text
    .replace(/\d[\d,.]* (ms|s|bytes|checkpoints)\b/g, 'N $1')
    .replace(/checkpoints \d+ to \d+/, 'checkpoints 0 to N')
    .replace(/chain \w+/, 'chain X')
    .replace(/http:\S+/, 'url')
    .replace(/ +/g, ' ');

/** Blocks of the document by their names. `WRITE_DOCS=1` writes them. */
async function expectBlocks(blocks: Record<string, string>): Promise<void> {
  let text = await readFile(document, 'utf8');
  for (const [name, block] of Object.entries(blocks)) {
    const begin = `<!-- written by test/cli/doctor.test.ts with WRITE_DOCS=1: ${name} -->\n`;
    const from = text.indexOf(begin) + begin.length;
    const to = text.indexOf('\n<!-- end -->', from);
    expect([text.includes(begin), to > from]).toEqual([true, true]);
    if (process.env.WRITE_DOCS) text = text.slice(0, from) + block + text.slice(to);
    else expect(withoutMeasures(text.slice(from, to))).toBe(withoutMeasures(block));
  }
  if (process.env.WRITE_DOCS) await writeFile(document, text);
}

test('docs/public-networks.md shows the output for our own network, and every RPC with what its absence costs', async () => {
  // The intervals of `npx adaptor-marketplace localnet`.
  const network = await startTestLocalnet({ checkpointIntervalMs: 250 });
  onTestFinished(() => network.close());
  for (let made = 0; made < 100; made++) network.ledger.createCheckpoint();
  const { out } = await doctor(network.rpcUrl);
  const shown = out.replace(network.rpcUrl, 'http://127.0.0.1:9000');
  const rows = nodeChecks.map(({ rpc, need, without }) => `| \`${rpc}\` | ${need} | ${without} |`);
  await expectBlocks({
    output: `\`\`\`\n${shown}\`\`\``,
    RPCs: ['| RPC | needed | without it |', '|---|---|---|', ...rows].join('\n'),
  });
});
