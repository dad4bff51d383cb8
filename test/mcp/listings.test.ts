import { unlist, update } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import type { AgentRuns, AgentSimulation } from '@adaptor-marketplace/sdk';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { storeManifest } from '../../services/demo/listings.ts';
import { buildRequest } from '../support/build-request.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { adminSecret, asAdmin } from '../support/keys.ts';
import { doors, type ToolClient, type ToolResult } from '../support/mcp-clients.ts';

/* What a person confirms is what can be signed, also when a publisher updates a listing meanwhile. */

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const op = 'tip_jar::tip';

let marketplace: DemoMarketplace;
let demo: DemoMarketplace['demo'];
let key: string;
let serviceType: string;
beforeAll(async () => {
  const env = { REDIS_URL: 'memory:', MARKETPLACE_ADMIN_SECRET: adminSecret, MARKETPLACE_ANON_RPM: '100000' };
  marketplace = await startDemoMarketplace([], env);
  ({ demo } = marketplace);
  serviceType = `${demo.packages.adaptors.tip_jar}::tip_jar::TipJar`;
  key = await issueKey({});
});
afterAll(() => marketplace?.close());

const post = (path: string, body: object, headers: Record<string, string>) =>
  fetch(`${demo.baseUrl}${path}`, buildRequest(body, headers));
async function issueKey(more: object): Promise<string> {
  const bounds = { network: 'testnet', walletId: demo.owner.walletId, ...more };
  return (await (await post('/api/agent/keys', bounds, asAdmin)).json()).key;
}

const asKey = () => ({ authorization: `Bearer ${key}` });

/** A tip, as a request to the API. */
const tip = (amount: string, more: object = {}) => ({
  action: 'call',
  network: 'testnet',
  owner: demo.owner.address,
  walletId: demo.owner.walletId,
  adaptor: serviceType,
  op,
  spends: [{ coinType: sui, amount }],
  receivesAtLeast: [],
  ...more,
});

async function readListing() {
  const answer = await fetch(`${demo.baseUrl}/api/adaptors?q=Tip%20Jar`);
  const { adaptors } = await answer.json();
  return adaptors.find((one: { serviceType: string }) => one.serviceType === serviceType);
}

/** The publisher of the listing. */
function openHarbour() {
  const { secretKey } = demo.publishers.find(({ name }) => name === 'harbour')!;
  const keypair = Ed25519Keypair.fromSecretKey(secretKey);
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });
  return { address: keypair.toSuiAddress(), keypair, client };
}

/** Opens another jar, and updates the listing so that tips go into it. Returns its id. */
async function moveJar(): Promise<string> {
  const packageId = demo.packages.adaptors.tip_jar!;
  const { created } = await execute(openHarbour(), (tx) =>
    tx.moveCall({ target: `${packageId}::tip_jar::open` }),
  );
  const { id } = created.find(({ type }) => type.endsWith('::tip_jar::Jar'))!;
  const { manifest } = await readListing();
  await updateListing(JSON.parse(JSON.stringify(manifest).replaceAll(readJar(manifest), id)));
  return id;
}

async function updateListing(manifest: object): Promise<void> {
  const packageId = demo.packages.adaptors.tip_jar!;
  const stored = await storeManifest(demo.blobStoreUrl, manifest);
  const registry = { packageId: demo.packages.registry, objectId: demo.objects.registry };
  await execute(openHarbour(), (tx) => update(tx, registry, { serviceType, packageId, ...stored }));
  await eventually(async () => expect((await readListing()).manifestHash).toBe(stored.manifestHash));
}

const readJar = (manifest: { ops: { entry: string; call: { args: { objectId?: string }[] } }[] }): string =>
  manifest.ops.find(({ entry }) => entry === 'tip')!.call.args.find(({ objectId }) => objectId)!.objectId!;

async function runLines(request: object): Promise<{ status: string; code?: string; digest?: string }[]> {
  const answer = await post('/api/agent/run', request, asKey());
  return (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function listRuns(): Promise<AgentRuns['runs']> {
  const query = new URLSearchParams({ network: 'testnet', walletId: demo.owner.walletId, limit: '100' });
  const answer = await fetch(`${demo.baseUrl}/api/agent/runs?${query}`, { headers: asKey() });
  return (await answer.json()).runs;
}

const buildWalletPath = () => `/mcp/wallets/testnet/${demo.owner.walletId}`;

/** Calls, simulates and describes the operation of a tool. Returns the errors. */
async function callEveryWay(tools: Pick<ToolClient, 'call'>, tool: string, given: object): Promise<object[]> {
  const results = [
    await tools.call(tool, given),
    await tools.call('simulate', { tool, arguments: given }),
    await tools.call('operations', { tool }),
  ];
  return results.map(parseError);
}

const parseError = ({ content }: ToolResult) => JSON.parse(content[0]!.text).error;

test.each(Object.entries(doors).filter(([, { canAsk }]) => canAsk))(
  '%s shows each call, with the jar that the listing sets',
  async (_, { server, connect }) => {
    const path = server === 'wallet' ? buildWalletPath() : '/mcp';
    const capabilities: ClientCapabilities = { elicitation: { form: {} } };
    const { tools, answer } = await connect(demo.baseUrl, { token: key }, path, capabilities);
    onTestFinished(() => tools.close());
    const read: string[] = [];
    answer((message) => {
      read.push(message);
      return { action: 'accept', content: { confirm: false } };
    });
    const called =
      server === 'wallet'
        ? await tools.call(await findTool(tools), { spends: tip('5').spends, receivesAtLeast: [] })
        : await tools.call('run_action', { request: tip('5') });
    expect(parseError(called)).toMatchObject({ code: 'not_confirmed' });
    const { manifest, manifestHash, publisher } = await readListing();
    const lines = read[0]!.split('\n');
    expect(lines).toContain(`- Call 1: ${demo.packages.adaptors.tip_jar}::${op}`);
    expect(lines).toContain(`- Call 1, argument 2: object ${readJar(manifest)} (set by the listing)`);
    expect(lines).toContain('- Call 1, argument 3: amount 5');
    expect(lines).toContain(
      `- Listing: service ${serviceType}, publisher ${publisher}, manifest ${manifestHash}.`,
    );
  },
);

async function findTool(tools: Pick<ToolClient, 'call'>): Promise<string> {
  const { operations } = (await tools.call('operations', {})).structuredContent as {
    operations: { tool: string; writtenByPublisher: { operation: string } }[];
  };
  return operations.find(({ writtenByPublisher }) => writtenByPublisher.operation === op)!.tool;
}

test('a listing that is updated after the simulation is not signed within the bounds of the simulation', async () => {
  const request = tip('7', { requestId: 'tip-of-7' });
  const simulation: AgentSimulation = await (await post('/api/agent/simulate', request, asKey())).json();
  const [{ adaptor, calls } = { adaptor: null, calls: [] }] = simulation.steps;
  const { manifest, manifestHash } = await readListing();
  expect(adaptor).toMatchObject({ serviceType, manifestHash });
  expect(calls[0]!.arguments[1]).toEqual({ role: 'object', value: readJar(manifest), fixed: true });
  const { takesAtMost, bringsAtLeast } = simulation;
  const bounds = { takesAtMost, bringsAtLeast, manifests: { [serviceType]: manifestHash } };

  const jar = await moveJar();
  const refused = await runLines({ ...request, bounds });
  expect(refused.at(-1)).toMatchObject({ status: 'error', code: 'listing_changed' });
  expect(refused.some(({ digest }) => digest !== undefined)).toBe(false);

  const again: AgentSimulation = await (await post('/api/agent/simulate', request, asKey())).json();
  expect(again.steps[0]!.calls[0]!.arguments[1]).toMatchObject({ value: jar });
  const manifests = { [serviceType]: again.steps[0]!.adaptor!.manifestHash };
  // Other bounds are another request.
  const other = { ...request, bounds: { ...bounds, manifests } };
  const conflict = await post('/api/agent/run', other, asKey());
  expect([conflict.status, (await conflict.json()).code]).toEqual([422, 'request_id_reused']);
  expect((await runLines({ ...other, requestId: 'tip-of-7-again' })).at(-1)).toMatchObject({
    status: 'done',
    digest: expect.any(String),
  });
});

test('a listing that is updated while a person reads is asked about again, and the old answer runs nothing', async () => {
  const { connect } = doors['the marketplace over HTTP']!;
  const capabilities: ClientCapabilities = { elicitation: { form: {} } };
  const { tools, answer } = await connect(demo.baseUrl, { token: key }, '/mcp', capabilities);
  onTestFinished(() => tools.close());
  const read: string[] = [];
  const jars: string[] = [readJar((await readListing()).manifest)];
  answer(async (message) => {
    read.push(message);
    if (read.length === 1) jars.push(await moveJar());
    return { action: 'accept', content: { confirm: read.length === 1 } };
  });
  const called = await tools.call('run_action', { request: tip('11', { requestId: 'tip-of-11' }) });
  expect(parseError(called)).toMatchObject({ code: 'not_confirmed' });
  expect(read).toEqual(jars.map((jar) => expect.stringContaining(`object ${jar} (set by the listing)`)));
  expect((await listRuns()).some(({ requestId }) => requestId === 'tip-of-11')).toBe(false);
});

describe('a tool of a listing that is updated after it was listed', () => {
  const walletDoors = Object.entries(doors).filter(([, { server }]) => server === 'wallet');
  let versions = 0;
  /** Changes only words of the manifest: the calls of its ops stay. */
  const reword = async () =>
    await updateListing({ ...(await readListing()).manifest, summary: `Version ${++versions}` });

  test.each(walletDoors)('is refused without a question or a run: %s', async (_, { connect }) => {
    const token = await issueKey({ unattended: true });
    const clients: ClientCapabilities[] = [{}, { elicitation: { form: {} } }];
    for (const capabilities of clients) {
      const { tools, answer } = await connect(demo.baseUrl, { token }, buildWalletPath(), capabilities);
      onTestFinished(() => tools.close());
      const questions: string[] = [];
      if (capabilities.elicitation) {
        answer((message) => {
          questions.push(message);
          return { action: 'accept', content: { confirm: true } };
        });
      }
      const tool = await findTool(tools);
      await reword();
      const runs = await listRuns();
      const given = { spends: tip('13').spends, receivesAtLeast: [] };
      for (const error of await callEveryWay(tools, tool, given))
        expect(error).toMatchObject({ code: 'listing_changed' });
      expect(questions).toEqual([]);
      expect(await listRuns()).toEqual(runs);
    }
  });

  test('is bound to its listing until the signature, and is a repetition under its next name', async () => {
    const { connect } = doors['a wallet over HTTP']!;
    const token = await issueKey({ unattended: true });
    const { tools } = await connect(demo.baseUrl, { token }, buildWalletPath(), {});
    onTestFinished(() => tools.close());
    const given = { spends: tip('17').spends, receivesAtLeast: [] };
    const { structuredContent } = await tools.call(await findTool(tools), given);
    expect(structuredContent).toMatchObject({ digest: expect.any(String) });
    const { requestId } = structuredContent as { requestId: string };
    const run = (await listRuns()).find((one) => one.requestId === requestId)!;
    const manifests = { [serviceType]: (await readListing()).manifestHash };
    expect(run.request.bounds).toMatchObject({ manifests });
    await reword();
    const next = await findTool(tools);
    expect(parseError(await tools.call(next, given))).toMatchObject({ code: 'already_called', requestId });
    const attached = await tools.call(next, { ...given, requestId });
    expect(attached.structuredContent).toMatchObject(structuredContent as object);
  });
});

test('a call with wrong arguments is answered with all arguments, their types and units, and an example', async () => {
  const { connect } = doors['a wallet over HTTP']!;
  const { tools } = await connect(demo.baseUrl, { token: key }, buildWalletPath(), {});
  onTestFinished(() => tools.close());
  const tool = await findTool(tools);
  const right = { spends: tip('19').spends, receivesAtLeast: [] };
  const described = {
    arguments: { spends: expect.stringContaining('base units'), receivesAtLeast: expect.any(String) },
    example: { spends: [{ coinType: '0x2::sui::SUI', amount: '1000000' }], receivesAtLeast: [] },
  };
  for (const wrong of [{}, { ...right, spends: '19' }, { ...right, price: '1' }, { ...right, value1: 'x' }]) {
    const error = parseError(await tools.call(tool, wrong));
    expect(error).toMatchObject({ code: 'invalid_arguments', ...described });
    expect(parseError(await tools.call('simulate', { tool, arguments: wrong }))).toEqual(error);
  }
  // Only the drafted call shows that this coin is not the jar's.
  const other = {
    ...right,
    spends: [{ coinType: `${serviceType.split('::')[0]}::none::NONE`, amount: '1' }],
  };
  const { structuredContent } = await tools.call('simulate', { tool, arguments: { ...other, amount: '5' } });
  expect(structuredContent).toMatchObject({ wouldSucceed: false });
});

test('a tool of a listing that its publisher unlisted says so, and runs nothing', async () => {
  const { connect } = doors['a wallet over HTTP']!;
  const token = await issueKey({ unattended: true });
  const { tools } = await connect(demo.baseUrl, { token }, buildWalletPath(), {});
  onTestFinished(() => tools.close());
  const tool = await findTool(tools);
  const registry = { packageId: demo.packages.registry, objectId: demo.objects.registry };
  await execute(openHarbour(), (tx) => unlist(tx, registry, serviceType));
  await eventually(async () => expect(await readListing()).toBeUndefined());
  const given = { spends: tip('23').spends, receivesAtLeast: [] };
  for (const error of await callEveryWay(tools, tool, given)) {
    expect(error).toMatchObject({
      code: 'listing_changed',
      detail: expect.stringContaining('The publisher has unlisted it. Nothing was signed.'),
    });
  }
});
