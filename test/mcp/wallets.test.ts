import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { policy } from '@adaptor-marketplace/adaptor/transactions';
import { grant, mintScopedCap, revoke } from '@adaptor-marketplace/sdk/transactions';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openSession } from '../support/agent-session.ts';
import { issueExecutorKey } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { connections, connectNew, type ToolClient, type ToolResult } from '../support/mcp-clients.ts';

const adminSecret = 'of-the-test-only';
const sui = '0x2::sui::SUI';

let marketplace: DemoMarketplace;
let demo: DemoMarketplace['demo'];
let chain: SuiGrpcClient;
let path: string;
let vault: string;
/** A session of the wallet's owner, as a header. */
let session: Record<string, string>;

beforeAll(async () => {
  const env = {
    REDIS_URL: 'memory:',
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    MARKETPLACE_ANON_RPM: '100000',
  };
  marketplace = await startDemoMarketplace([], env);
  ({ demo } = marketplace);
  chain = new SuiGrpcClient({ network: 'testnet', baseUrl: demo.rpcUrl });
  path = `/mcp/wallets/testnet/${demo.owner.walletId}`;
  vault = demo.publishers
    .flatMap(({ serviceTypes }) => serviceTypes)
    .find((type) => type.includes('::share_vault::'))!;
  const keypair = Ed25519Keypair.fromSecretKey(demo.owner.secretKey);
  session = await openSession({ ask }, { address: demo.owner.address, keypair });
});
afterAll(() => marketplace?.close());

const ask = (url: string, init?: RequestInit) => fetch(`${demo.baseUrl}${url}`, init);

/** Signs and executes as the wallet's owner. */
async function asOwner(
  make: (wallet: { packageId: string; walletId: string }) => Transaction,
): Promise<void> {
  const transaction = make({ packageId: demo.packages.wallet, walletId: demo.owner.walletId });
  const signer = Ed25519Keypair.fromSecretKey(demo.owner.secretKey);
  const result = await chain.signAndExecuteTransaction({ transaction, signer, include: { effects: true } });
  expect(result.FailedTransaction?.status).toBeUndefined();
}

const issueKey = (bounds: object) => issueExecutorKey({ ask }, demo.owner.walletId, bounds, session);

async function connect(
  token: string,
  options: ClientOptions = {},
): Promise<{ client: Client; tools: ToolClient }> {
  const connected = await connectNew(demo.baseUrl, { token }, path, options);
  onTestFinished(() => connected.tools.close());
  return connected;
}

const fetchToolNames = async (tools: ToolClient) => (await tools.listTools()).tools.map(({ name }) => name);
/** Returns the publishers' operation names by tool name. */
async function fetchOperations(tools: ToolClient): Promise<Map<string, string>> {
  const { structuredContent } = await tools.call('operations', {});
  const { operations } = structuredContent as {
    operations: { tool: string; writtenByPublisher: { operation: string } }[];
  };
  return new Map(operations.map(({ tool, writtenByPublisher }) => [tool, writtenByPublisher.operation]));
}
const parseError = ({ isError, content }: ToolResult) => {
  expect(isError).toBe(true);
  return JSON.parse(content[0]!.text).error;
};
const spend = (more: object = {}) => ({
  coinType: sui,
  amount: '1000',
  recipient: demo.provider.address,
  ...more,
});

describe('the list of tools', () => {
  test('is what the wallet granted and the key allows, for clients of both protocols', async () => {
    const { tools } = await connect(demo.agent.executorKey);
    const all = await fetchToolNames(tools);
    expect(all.slice(0, 4)).toEqual(['limits', 'simulate', 'operations', 'spend']);
    const operations = await fetchOperations(tools);
    expect([...operations.keys()]).toEqual(all.slice(4));
    expect([...operations.values()]).toContain('share_vault::deposit');
    const old = await connections['a client of 2025 over HTTP']!(
      demo.baseUrl,
      { token: demo.agent.executorKey },
      path,
    );
    onTestFinished(() => old.close());
    expect(await fetchToolNames(old)).toEqual(all);

    const { key: spender } = await issueKey({ actions: ['spend'] });
    expect(await fetchToolNames((await connect(spender)).tools)).toEqual(['limits', 'simulate', 'spend']);
    const { key: saver } = await issueKey({ services: [vault] });
    const some = await fetchToolNames((await connect(saver)).tools);
    expect(some).not.toContain('spend');
    expect(some.slice(3)).toEqual(
      all.filter((name) => operations.get(name)?.startsWith('share_vault::') ?? false),
    );
    const owner = await connect(session.authorization!.slice('Bearer '.length));
    expect(await fetchToolNames(owner.tools)).toEqual(all);
  });

  test('is in our words: nothing that a publisher wrote stands in it', async () => {
    const { tools } = await connect(demo.agent.executorKey);
    const text = JSON.stringify((await tools.listTools()).tools);
    for (const name of (await fetchToolNames(tools)).slice(4)) expect(name).toMatch(/^op_[0-9a-f]{12}$/);
    const { adaptors } = await (await ask('/api/adaptors')).json();
    for (const { manifest, serviceType } of adaptors) {
      expect(text).not.toContain(manifest.name);
      expect(text).not.toContain(manifest.summary);
      expect(text).not.toContain(serviceType.split('::').slice(1).join('::'));
      for (const { module, entry, label } of manifest.ops) {
        expect(text).not.toContain(`${module}::${entry}`);
        expect(text).not.toContain(`${module}_${entry}`);
        if (label) expect(text).not.toContain(label);
      }
    }
  });

  test('loses a tool when its grant ends and gets it back, and a client that listens is notified', async () => {
    const { client, tools } = await connect(demo.agent.executorKey);
    let notices = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      notices += 1;
    });
    const before = await fetchToolNames(tools);
    const listening = await client.listen({ toolsListChanged: true });
    onTestFinished(() => listening.close());
    const operations = await fetchOperations(tools);
    const isThere = async () =>
      (await fetchToolNames(tools)).some((name) => operations.get(name)?.startsWith('share_vault::'));
    await asOwner((wallet) => revoke(demo.owner.address, wallet, vault));
    await eventually(() => expect(notices).toBe(1));
    expect(await isThere()).toBe(false);
    await asOwner((wallet) =>
      grant(demo.owner.address, wallet, { service: vault, coinType: sui, allowance: unlimitedAllowance }),
    );
    await eventually(() => expect(notices).toBe(2));
    expect(await fetchToolNames(tools)).toEqual(before);
  });
});

test('the list loses the tools of an adaptor in quarantine, says why, and has them again when it is lifted', async () => {
  const { client, tools } = await connect(demo.agent.executorKey);
  let notices = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    notices += 1;
  });
  const before = await fetchToolNames(tools);
  const listening = await client.listen({ toolsListChanged: true });
  onTestFinished(() => listening.close());
  const operations = await fetchOperations(tools);
  const [deposit] = [...operations].find(([, operation]) => operation === 'share_vault::deposit')!;
  const decide = async (action: string, reason: string) => {
    const answer = await ask(
      `/api/admin/quarantines${action}`,
      buildRequest({ subject: vault, reason, operator: 'Ada' }, { authorization: `Bearer ${adminSecret}` }),
    );
    expect(answer.status).toBe(200);
  };
  await decide('', 'It drains grants');
  await eventually(() => expect(notices).toBe(1));
  expect(await fetchToolNames(tools)).toEqual(
    before.filter((name) => !operations.get(name)?.startsWith('share_vault::')),
  );
  expect((await fetchOperations(tools)).has(deposit)).toBe(false);
  expect(parseError(await tools.call(deposit, {}))).toEqual({
    code: 'listing_changed',
    detail: expect.stringContaining('holds it in quarantine: It drains grants. Nothing was signed.'),
  });
  await decide('/release', 'It was fixed');
  await eventually(() => expect(notices).toBe(2));
  expect(await fetchToolNames(tools)).toEqual(before);
});

describe('a credential', () => {
  test('of another kind, another wallet or no one is refused', async () => {
    const list = (headers: Record<string, string>, at = path) =>
      ask(
        at,
        buildRequest(
          { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
          { accept: 'application/json, text/event-stream', ...headers },
        ),
      );
    const token = session.authorization!.slice('Bearer '.length);
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
    const refused: [headers: Record<string, string>, status: number][] = [
      [{}, 401],
      [{ cookie: `agent_session=${token}` }, 401],
      [{ 'x-svc-internal-agent': adminSecret }, 401],
      [bearer(adminSecret), 401],
      [bearer(`ek_${'a'.repeat(43)}`), 401],
    ];
    for (const [headers, status] of refused) {
      const answer = await list(headers);
      expect([headers, answer.status]).toEqual([headers, status]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    const other = `/mcp/wallets/testnet/0x${'3'.repeat(64)}`;
    expect((await list(bearer(demo.agent.executorKey), other)).status).toBe(403);
    expect((await list(bearer(token), other)).status).toBe(403);
    expect((await list({ ...bearer(demo.agent.executorKey), origin: 'https://evil.example' })).status).toBe(
      403,
    );
    expect((await list(bearer(demo.agent.executorKey))).status).toBe(200);
  });

  test('that is revoked lists and calls nothing, and who listens with it is notified', async () => {
    const { id, key } = await issueKey({ unattended: true });
    const { client, tools } = await connect(key);
    let notices = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      notices += 1;
    });
    await client.listen({ toolsListChanged: true });
    expect(await fetchToolNames(tools)).toContain('spend');
    const revoked = await ask(`/api/agent/keys/${id}`, { method: 'DELETE', headers: session });
    expect(revoked.status).toBe(204);
    await eventually(() => expect(notices).toBe(1));
    await expect(tools.call('spend', spend())).rejects.toThrow();
  });

  test('that was stolen moves no more than its scope, whatever it asks for', async () => {
    const maxPerRun = [{ coinType: sui, amount: '500' }];
    const { key } = await issueKey({ actions: ['spend'], maxPerRun, unattended: true });
    const { tools } = await connect(key);
    expect(parseError(await tools.call('spend', spend({ amount: '501' })))).toMatchObject({
      code: 'out_of_scope',
    });
    const more = { owner: demo.provider.address, walletId: '0x1', action: 'compose' };
    expect(parseError(await tools.call('spend', spend(more)))).toMatchObject({ code: 'invalid_arguments' });
  });
});

test('a key listens ten times, and not an eleventh time', async () => {
  const { key } = await issueKey({});
  const { client } = await connect(key);
  for (let nth = 0; nth < 10; nth += 1) {
    const listening = await client.listen({ toolsListChanged: true });
    onTestFinished(() => listening.close());
  }
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
  // The limit applies to listeners only: the key still lists and calls tools.
  const { tools } = await connect(key);
  expect((await tools.call('limits', {})).structuredContent).toMatchObject({ owner: demo.owner.address });
  const other = await connect((await issueKey({})).key);
  const listening = await other.client.listen({ toolsListChanged: true });
  onTestFinished(() => listening.close());
});

describe('a call that moves funds', () => {
  test('asks a person again once its key was narrowed to that, and no change lets it run unattended', async () => {
    const { id, key } = await issueKey({ actions: ['spend'], unattended: true });
    const patch = (body: object) =>
      ask(`/api/agent/keys/${id}`, {
        method: 'PATCH',
        headers: { ...session, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { tools } = await connect(key);
    expect((await tools.call('spend', spend({ amount: '3' }))).structuredContent).toMatchObject({
      digest: expect.any(String),
    });
    expect((await patch({ unattended: false })).status).toBe(200);
    for (const body of [{ unattended: true }, { unattended: true, actions: ['spend'] }]) {
      expect((await patch(body)).status).toBe(422);
    }
    const asked = await tools.call('spend', spend({ amount: '4' }));
    expect(parseError(asked)).toMatchObject({ code: 'confirmation_needed' });
  });

  test('is run once, unless it asks to be repeated', async () => {
    const { key } = await issueKey({ unattended: true });
    const { tools } = await connect(key);
    const args = spend({ amount: '77' });
    const first = (await tools.call('spend', args)).structuredContent as {
      requestId: string;
      digest: string;
    };
    const again = parseError(await tools.call('spend', args));
    expect(again).toMatchObject({ code: 'already_called', requestId: first.requestId });
    const attached = await tools.call('spend', { ...args, requestId: first.requestId });
    expect(attached.structuredContent).toMatchObject({ digest: first.digest });
    const repeated = (await tools.call('spend', { ...args, repeat: true })).structuredContent!;
    expect(repeated.digest).not.toBe(first.digest);
  });

  test('runs an op within what it may take and must bring, and can be simulated', async () => {
    const { key } = await issueKey({ unattended: true });
    const { tools } = await connect(key);
    const [deposit = ''] = [...(await fetchOperations(tools))].find(
      ([, op]) => op === 'share_vault::deposit',
    )!;
    const shares = demo.venues.vault.coins.share!;
    const asked = {
      spends: [{ coinType: sui, amount: '1000000' }],
      receivesAtLeast: [{ coinType: shares, amount: '1' }],
    };
    const simulated = (await tools.call('simulate', { tool: deposit, arguments: asked })).structuredContent!;
    expect(simulated).toMatchObject({ wouldSucceed: true });
    const steps: string[] = [];
    const { structuredContent } = await tools.call(deposit, asked, (step) => steps.push(step));
    expect(structuredContent).toMatchObject({ digest: expect.any(String) });
    expect(steps.at(-1)).toBe('confirm: done');
    const greedy = { ...asked, receivesAtLeast: [{ coinType: shares, amount: '999999999999' }] };
    expect(parseError(await tools.call(deposit, greedy)).detail).toMatch(/\w{4}/);
    const { delegate, caps } = (await tools.call('limits', {})).structuredContent as Record<string, never>;
    expect([delegate, caps]).toEqual([
      expect.objectContaining({ services: expect.any(Array) }),
      expect.any(Array),
    ]);
  });

  test('shows which budgets have no limit, so that a model does not read 2^64 - 1 as an amount', async () => {
    const { tools } = await connect((await issueKey({})).key);
    const { delegate } = (await tools.call('limits', {})).structuredContent as {
      delegate: Record<'services' | 'coins', { key: string; amount: string; unlimited: boolean }[]>;
    };
    const budgets = [...delegate.services, ...delegate.coins];
    expect(new Set(budgets.map(({ unlimited }) => unlimited))).toEqual(new Set([true, false]));
    for (const { amount, unlimited } of budgets) expect(unlimited).toBe(amount === String(2n ** 64n - 1n));
  });
});

test('the tool that spends goes when the owner revokes the caps, and comes back with a new one', async () => {
  const { client, tools } = await connect(demo.agent.executorKey);
  let notices = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    notices += 1;
  });
  await client.listen({ toolsListChanged: true });
  expect(await fetchToolNames(tools)).toContain('spend');
  await asOwner(({ packageId, walletId }) => {
    const tx = new Transaction();
    tx.setSender(demo.owner.address);
    policy.revokeAll(tx, { packageId, wallet: walletId });
    return tx;
  });
  await eventually(() => expect(notices).toBe(1));
  expect(await fetchToolNames(tools)).not.toContain('spend');
  await expect(tools.call('spend', spend())).rejects.toThrow();
  const root = { coinType: sui, budget: 1_000_000n, maxDepth: 0, recipient: demo.agent.address };
  await asOwner((wallet) => mintScopedCap(demo.owner.address, wallet, root));
  await eventually(() => expect(notices).toBe(2));
  expect(await fetchToolNames(tools)).toContain('spend');
});
