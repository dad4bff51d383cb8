import { scopedCap } from '@adaptor-marketplace/adaptor/transactions';
import { marketplaceServer } from '@adaptor-marketplace/mcp';
import { mintScopedCap } from '@adaptor-marketplace/sdk/transactions';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { buildRequest } from '../support/build-request.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { adminSecret, asAdmin } from '../support/keys.ts';
import type { ToolResult } from '../support/mcp-clients.ts';

/* What changes after the tools decided to run an action, and before the marketplace receives the run. */

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;

let marketplace: DemoMarketplace;
let demo: DemoMarketplace['demo'];
beforeAll(async () => {
  const env = { REDIS_URL: 'memory:', MARKETPLACE_ADMIN_SECRET: adminSecret, MARKETPLACE_ANON_RPM: '100000' };
  marketplace = await startDemoMarketplace([], env);
  ({ demo } = marketplace);
});
afterAll(() => marketplace?.close());

/** Happens once, when the tools send a run. */
let happens: () => Promise<void>;
beforeEach(() => {
  happens = async () => undefined;
});

/** Connects a client to tools whose runs arrive after `happens`. Its person says yes to each question. */
async function connect(token: string, capabilities: ClientCapabilities) {
  const delayed: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).pathname === '/api/agent/run') await happens();
    return await fetch(request);
  };
  const handler = createMcpHandler(() => marketplaceServer({ baseUrl: demo.baseUrl, token, fetch: delayed }));
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities },
  );
  const questions: string[] = [];
  if (capabilities.elicitation)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { confirm: true } };
    });
  const send: typeof fetch = (input, init) => handler.fetch(new Request(input, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('https://tools.example'), { fetch: send }));
  onTestFinished(() => client.close());
  const run = async (request: object) =>
    (await client.callTool({ name: 'run_action', arguments: { request } })) as ToolResult;
  return { run, questions };
}

const parseError = ({ isError, content }: ToolResult) => {
  expect(isError).toBe(true);
  return JSON.parse(content[0]!.text).error;
};

const payment = (amount: string) => ({
  action: 'spend',
  network: 'testnet',
  owner: demo.owner.address,
  walletId: demo.owner.walletId,
  coinType: sui,
  amount,
  recipient: demo.provider.address,
});

async function call(method: string, path: string, headers: Record<string, string>, body?: object) {
  const answer = await fetch(`${demo.baseUrl}${path}`, buildRequest(body, headers, method));
  expect(answer.status).toBe(200);
  return await answer.json();
}

const issueKey = (bounds: object): Promise<{ id: string; key: string }> =>
  call('POST', '/api/agent/keys', asAdmin, { network: 'testnet', walletId: demo.owner.walletId, ...bounds });

/** Returns the runs of a payment of this amount. */
async function fetchRuns(key: string, amount: string) {
  const query = new URLSearchParams({ network: 'testnet', walletId: demo.owner.walletId, limit: '100' });
  const { runs } = await call('GET', `/api/agent/runs?${query}`, { authorization: `Bearer ${key}` });
  return runs.filter(({ request }: { request: { amount?: string } }) => request.amount === amount);
}

test('a key that no longer runs unattended starts nothing, also for tools that read it before', async () => {
  const { id, key } = await issueKey({ unattended: true });
  const { run } = await connect(key, {});
  happens = async () => {
    await call('PATCH', `/api/agent/keys/${id}`, asAdmin, { unattended: false });
  };
  expect(parseError(await run(payment('401')))).toMatchObject({ code: 'confirmation_needed' });
  expect(await fetchRuns(key, '401')).toEqual([]);
});

test('a model cannot say who confirmed: its `unattended` counts for nothing', async () => {
  const { key } = await issueKey({});
  const alone = await connect(key, {});
  expect(parseError(await alone.run({ ...payment('402'), unattended: false }))).toMatchObject({
    code: 'confirmation_needed',
  });
  const asked = await connect(key, { elicitation: { form: {} } });
  const { structuredContent } = await asked.run({ ...payment('402'), unattended: true });
  expect([asked.questions.length, structuredContent]).toEqual([
    1,
    expect.objectContaining({ digest: expect.any(String) }),
  ]);
});

test('a payment is made by the cap in the question or by none, when that cap is revoked after the yes', async () => {
  const { key } = await issueKey({});
  const wallet = { packageId: demo.packages.wallet, walletId: demo.owner.walletId };
  const root = { coinType: sui, budget: 1_000_000n, maxDepth: 0, recipient: demo.agent.address };
  await asOwner(mintScopedCap(demo.owner.address, wallet, root));
  const headers = { authorization: `Bearer ${key}` };
  const simulate = (body: object) => call('POST', '/api/agent/simulate', headers, body);
  const [{ capId }] = (await simulate(payment('403'))).steps;
  const { run, questions } = await connect(key, { elicitation: { form: {} } });
  happens = async () => {
    const tx = new Transaction();
    tx.setSender(demo.owner.address);
    scopedCap.revoke(tx, { packageId: wallet.packageId, wallet: wallet.walletId }, capId);
    await asOwner(tx);
    // The agent pays from its other cap if a request names none.
    await eventually(async () => {
      expect((await simulate(payment('404'))).steps[0]).not.toMatchObject({ capId });
    });
  };
  expect(parseError(await run(payment('403')))).toMatchObject({
    code: 'cap_missing',
    detail: expect.stringContaining(`Cap ${capId}: `),
  });
  expect(questions).toEqual([expect.stringContaining(`object ${capId}`)]);
  const [refused] = await fetchRuns(key, '403');
  expect(refused).toMatchObject({ state: 'failed', digest: null, request: { capId } });
});

async function asOwner(transaction: Transaction): Promise<void> {
  const chain = new SuiGrpcClient({ network: 'testnet', baseUrl: demo.rpcUrl });
  const signer = Ed25519Keypair.fromSecretKey(demo.owner.secretKey);
  const result = await chain.signAndExecuteTransaction({ transaction, signer, include: { effects: true } });
  expect(result.FailedTransaction?.status).toBeUndefined();
}
