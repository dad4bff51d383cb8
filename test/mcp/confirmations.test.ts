import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openSession } from '../support/agent-session.ts';
import { issueExecutorKey } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { adminSecret } from '../support/keys.ts';
import { type Connected, doors, type ToolClient, type ToolResult } from '../support/mcp-clients.ts';

/* The questions that a person must confirm before a model moves funds, for every kind of client. */

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;

let marketplace: DemoMarketplace;
let demo: DemoMarketplace['demo'];
/** An executor key that its issuer did not mark `unattended`. */
let key: string;
let walletPath: string;
beforeAll(async () => {
  const env = { REDIS_URL: 'memory:', MARKETPLACE_ADMIN_SECRET: adminSecret, MARKETPLACE_ANON_RPM: '100000' };
  marketplace = await startDemoMarketplace([], env);
  ({ demo } = marketplace);
  walletPath = `/mcp/wallets/testnet/${demo.owner.walletId}`;
  ({ key } = await issueExecutorKey({ ask }, demo.owner.walletId));
});
afterAll(() => marketplace?.close());

const ask = (url: string, init?: RequestInit) => fetch(`${demo.baseUrl}${url}`, init);

const parseError = ({ isError, content }: ToolResult) => {
  expect(isError).toBe(true);
  return JSON.parse(content[0]!.text).error;
};

const wallet = () => ({ network: 'testnet', owner: demo.owner.address, walletId: demo.owner.walletId });
const payment = (amount: string) => ({ coinType: sui, amount, recipient: demo.provider.address });
/** The same payment with the tool of a wallet and with that of the marketplace. */
const pay = (path: string, amount: string): [name: string, args: object] =>
  path === '/mcp'
    ? ['run_action', { request: { action: 'spend', ...wallet(), ...payment(amount) } }]
    : ['spend', payment(amount)];

/** A client with a person who reads each question and answers it with `says`. */
async function person(connect: (capabilities: ClientCapabilities) => Promise<Connected>) {
  const { tools, answer } = await connect({ elicitation: { form: {} } });
  onTestFinished(() => tools.close());
  const state = { says: true, read: [] as string[], tools };
  answer((message) => {
    state.read.push(message);
    return { action: 'accept', content: { confirm: state.says } };
  });
  return state;
}

async function fetchRuns(amount: string) {
  const query = new URLSearchParams({ network: 'testnet', walletId: demo.owner.walletId, limit: '100' });
  const answer = await ask(`/api/agent/runs?${query}`, { headers: { authorization: `Bearer ${key}` } });
  const { runs } = await answer.json();
  return runs.filter(({ request }: { request: { amount?: string } }) => request.amount === amount);
}

/** Connects a kind of client to its server, with the given credential. */
const connectBy =
  ({ server, connect }: (typeof doors)[string], token: string) =>
  (capabilities: ClientCapabilities) =>
    connect(demo.baseUrl, { token }, pickPath(server), capabilities);
const pickPath = (server: 'marketplace' | 'wallet') => (server === 'marketplace' ? '/mcp' : walletPath);

const every = Object.entries(doors).map(([name, door], nth) => ({ name, door, nth }));

test.each(every)(
  '$name runs nothing for a client that cannot ask, unless the key is unattended',
  async (one) => {
    const { door, nth } = one;
    const call = pay(pickPath(door.server), String(100 + nth));
    // Over HTTP, a client of the 2025 protocol receives no question, even if it declares the capability.
    const capabilities = door.canAsk ? {} : { elicitation: {} };
    const { tools } = await connectBy(door, key)(capabilities);
    onTestFinished(() => tools.close());
    const refused = parseError(await tools.call(...call));
    // The client cannot see why it is not asked, so the error names the version that it lacks.
    expect(refused).toMatchObject({
      code: 'confirmation_needed',
      detail: expect.stringContaining('over HTTP with the MCP version 2026-07-28'),
      whatToDo: expect.stringContaining('let it negotiate the version'),
    });
    expect(await fetchRuns(String(100 + nth))).toEqual([]);
    const { key: free } = await issueExecutorKey({ ask }, demo.owner.walletId, { unattended: true });
    const unattended = await connectBy(door, free)(capabilities);
    onTestFinished(() => unattended.tools.close());
    const { structuredContent } = await unattended.tools.call(...call);
    expect(structuredContent).toMatchObject({ digest: expect.any(String) });
  },
);

test.each(every.filter(({ door }) => door.canAsk))(
  '$name asks a person who the recipient is, and runs only after a yes, within the bounds shown',
  async ({ door, nth }) => {
    const amount = String(200 + nth);
    const call = pay(pickPath(door.server), amount);
    const reader = await person(connectBy(door, key));
    reader.says = false;
    expect(parseError(await reader.tools.call(...call))).toMatchObject({ code: 'not_confirmed' });
    expect(await fetchRuns(amount)).toEqual([]);
    reader.says = true;
    const { structuredContent } = await reader.tools.call(...call);
    expect(structuredContent).toMatchObject({ digest: expect.any(String) });
    expect(reader.read).toHaveLength(2);
    const [question] = reader.read;
    expect(question).toContain(`At most ${amount} base units of ${sui}`);
    expect(question).toContain(`- ${demo.provider.address} is paid ${amount} base units of ${sui}`);
    const [run] = await fetchRuns(amount);
    expect(run.request.bounds).toEqual({
      takesAtMost: [{ coinType: sui, amount }],
      bringsAtLeast: [],
      manifests: {},
    });
  },
);

test('the session of an owner is asked too, as a key that is not unattended', async () => {
  const keypair = Ed25519Keypair.fromSecretKey(demo.owner.secretKey);
  const session = await openSession({ ask }, { address: demo.owner.address, keypair });
  const token = session.authorization!.slice('Bearer '.length);
  for (const path of ['/mcp', walletPath]) {
    const { tools } = await doors['the marketplace over HTTP']!.connect(demo.baseUrl, { token }, path, {});
    onTestFinished(() => tools.close());
    expect(parseError(await tools.call(...pay(path, '300')))).toMatchObject({ code: 'confirmation_needed' });
  }
});

test('a client that can only open a page cannot ask', async () => {
  const { connect } = doors['the marketplace over HTTP']!;
  const { tools } = await connect(demo.baseUrl, { token: key }, '/mcp', { elicitation: { url: {} } });
  onTestFinished(() => tools.close());
  expect(parseError(await tools.call(...pay('/mcp', '301')))).toMatchObject({ code: 'confirmation_needed' });
});

test('a call with the requestId of a signed run asks nobody and pays nothing: it returns that run', async () => {
  const reader = await person(connectBy(doors['a wallet over HTTP']!, key));
  const given = { ...payment('302'), requestId: 'asked-once' };
  const first = (await reader.tools.call('spend', given)).structuredContent!;
  const again = (await reader.tools.call('spend', given)).structuredContent!;
  expect([again.digest, reader.read.length]).toEqual([first.digest, 1]);
  const { tools } = await connectBy(doors['the marketplace over HTTP']!, key)({});
  onTestFinished(() => tools.close());
  const request = { action: 'spend', ...wallet(), ...payment('302'), requestId: 'asked-once' };
  expect((await tools.call('run_action', { request })).structuredContent!.digest).toBe(first.digest);
  const other = { request: { ...request, amount: '303' } };
  expect(parseError(await tools.call('run_action', other))).toMatchObject({ code: 'request_id_reused' });
  expect(await fetchRuns('302')).toHaveLength(1);
});

/** Sends a call as a client of the 2026 protocol does, and returns its result. */
async function sendCall(path: string, params: object): Promise<Record<string, unknown>> {
  const protocolVersion = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } };
  const answer = await ask(
    path,
    buildRequest(body, {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': 'tools/call',
      'mcp-name': String(Reflect.get(params, 'name')),
    }),
  );
  return (await answer.json()).result;
}

test.each<[name: string, pickDoor: () => string, amount: string, more: object]>([
  ['the marketplace', () => '/mcp', '310', {}],
  ['a wallet', () => walletPath, '311', {}],
  ['a wallet, to repeat a call', () => walletPath, '312', { repeat: true }],
])('at %s, a yes that arrives twice pays once', async (_, pickDoor, amount, more) => {
  const [name, args] = pay(pickDoor(), amount);
  const call = { name, arguments: { ...args, ...more } };
  const { requestState } = await sendCall(pickDoor(), call);
  const confirm = { action: 'accept', content: { confirm: true } };
  const confirmed = { ...call, requestState, inputResponses: { confirm } };
  const results = await Promise.all([sendCall(pickDoor(), confirmed), sendCall(pickDoor(), confirmed)]);
  results.push(await sendCall(pickDoor(), confirmed));
  const digests = results.map(({ structuredContent }) => Reflect.get(structuredContent as object, 'digest'));
  expect(digests).toEqual(Array(3).fill(expect.stringMatching(/^\w{43,44}$/)));
  expect(new Set(digests).size).toBe(1);
  expect(await fetchRuns(amount)).toHaveLength(1);
});

test('a yes for one call confirms no other call', async () => {
  const call = (amount: string): { name: string; arguments: object } => {
    const [name, args] = pay(walletPath, amount);
    return { name, arguments: args };
  };
  const { requestState } = await sendCall(walletPath, call('313'));
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
  for (const other of [
    call('314'),
    { ...call('313'), arguments: { ...payment('313'), requestId: 'other' } },
  ]) {
    const result = await sendCall(walletPath, { ...other, requestState, inputResponses });
    expect(result).toMatchObject({ inputRequests: { confirm: expect.anything() } });
  }
  expect([...(await fetchRuns('313')), ...(await fetchRuns('314'))]).toEqual([]);
});

interface Operation {
  tool: string;
  objects: string[];
  writtenByPublisher: { operation: string; serviceType: string };
}
async function operation(tools: ToolClient, name: string): Promise<Operation> {
  const { operations } = (await tools.call('operations', {})).structuredContent as {
    operations: Operation[];
  };
  return operations.find(({ writtenByPublisher }) => writtenByPublisher.operation === name)!;
}

describe('an operation', () => {
  test('is confirmed by the bounds that are signed, when a simulation moves next to nothing', async () => {
    const reader = await person(connectBy(doors['a wallet over HTTP']!, key));
    const { tool, objects } = await operation(reader.tools, 'share_vault::deposit');
    const shares = demo.venues.vault.coins.share!;
    // The op takes one SUI today, but the caller allows it to take three.
    const given = {
      spends: [{ coinType: sui, amount: '3000000000' }],
      receivesAtLeast: [{ coinType: shares, amount: '7' }],
      amount: '1000000',
    };
    reader.says = false;
    await reader.tools.call(tool, given);
    const [question = ''] = reader.read;
    expect(question).toContain(`At most 3000000000 base units of ${sui} (3 SUI) leaves the wallet.`);
    expect(question).toMatch(/At least 7 base units of 0x\w+::\w+::\w+ comes into the wallet\./);
    expect(question).toContain('- amount = "1000000"');
    for (const id of objects) expect(question).toContain(id);
    const simulation = (await reader.tools.call('simulate', { tool, arguments: given }))
      .structuredContent as {
      received: { amount: string }[];
    };
    expect(simulation).toMatchObject({ paid: [{ coinType: sui, amount: '1000000' }] });
    expect(question).not.toContain(`${simulation.received[0]!.amount} base units`);
  });

  test('is confirmed with each of its values, which cannot pass for words of ours', async () => {
    const reader = await person(connectBy(doors['a wallet over HTTP']!, key));
    const { tool } = await operation(reader.tools, 'term_savings::deposit');
    reader.says = false;
    const given = {
      spends: [{ coinType: sui, amount: '1000000' }],
      receivesAtLeast: [],
      value1: 'mine\n- No coin leaves the wallet.',
    };
    expect(parseError(await reader.tools.call(tool, given))).toMatchObject({ code: 'not_confirmed' });
    expect(reader.read[0]).toContain(String.raw`- values.name = "mine\n- No coin leaves the wallet."`);
    expect(reader.read[0]!.split('\n')).not.toContain('- No coin leaves the wallet.');
  });

  test('is not put to a person who could not read it whole', async () => {
    const reader = await person(connectBy(doors['the marketplace over HTTP']!, key));
    const request = {
      action: 'call',
      ...wallet(),
      adaptor: demo.venues.vault.serviceType,
      op: 'share_vault::deposit',
      spends: [],
      receivesAtLeast: [],
      values: { note: 'x'.repeat(21_000) },
    };
    const { code, detail } = parseError(await reader.tools.call('run_action', { request }));
    expect([code, detail]).toEqual(['invalid_arguments', expect.stringContaining('in full')]);
    expect(reader.read).toEqual([]);
  });
});
