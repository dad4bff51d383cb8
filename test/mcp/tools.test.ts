import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { issueExecutorKey } from '../support/agent-world.ts';
import { runBlocks } from '../support/cli/run-blocks.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { adminSecret } from '../support/keys.ts';
import { connections, type ToolClient, type ToolResult } from '../support/mcp-clients.ts';

let marketplace: DemoMarketplace;
let demo: DemoMarketplace['demo'];
/** An executor key that needs no confirmation, because these clients cannot ask a person. */
let key: string;
beforeAll(async () => {
  const env = {
    REDIS_URL: 'memory:',
    MARKETPLACE_ANON_RPM: '100000',
    MARKETPLACE_ADMIN_SECRET: adminSecret,
  };
  marketplace = await startDemoMarketplace([], env);
  ({ demo } = marketplace);
  const ask = (path: string, init?: RequestInit) => fetch(demo.baseUrl + path, init);
  ({ key } = await issueExecutorKey({ ask }, demo.owner.walletId, { unattended: true }));
});
afterAll(() => marketplace?.close());

const parseError = ({ isError, content }: ToolResult) => {
  expect(isError).toBe(true);
  return JSON.parse(content[0]!.text).error;
};
const spend = (requestId?: string) => ({
  request: {
    action: 'spend',
    network: 'testnet',
    owner: demo.owner.address,
    walletId: demo.owner.walletId,
    coinType: '0x2::sui::SUI',
    amount: '1000',
    recipient: demo.provider.address,
    ...(requestId !== undefined && { requestId }),
  },
});

/** A transaction of the owner, which pays the provider from the gas coin. */
function writePayment(): string {
  const tx = new Transaction();
  tx.setSender(demo.owner.address);
  tx.transferObjects([tx.splitCoins(tx.gas, [1_000])], demo.provider.address);
  return JSON.stringify(tx.getData());
}

/** One successful call of each tool in the demo, and a part of its answer. */
function calls(): Record<string, [args: object, holds: object]> {
  const vault = demo.publishers
    .flatMap(({ serviceTypes }) => serviceTypes)
    .find((type) => type.includes('::share_vault::'))!;
  const packageId = vault.split('::')[0]!;
  return {
    search_adaptors: [{ q: 'reef vault', limit: 1 }, { network: 'testnet' }],
    describe_adaptor: [{ serviceType: vault }, { serviceType: vault }],
    get_certificate: [{ serviceType: vault }, { serviceType: vault, network: 'testnet' }],
    get_certificate_changes: [{ serviceType: vault }, { serviceType: vault, state: expect.any(String) }],
    get_source: [{ serviceType: vault }, { verdict: expect.any(String) }],
    explain: [{ transaction: writePayment() }, { sender: demo.owner.address, rest: 'cannot' }],
    introspect_package: [{ packageId }, {}],
    infer_call: [{ packageId, entry: 'share_vault::deposit' }, {}],
    draft_listing: [
      {
        packageId,
        name: 'Drafted by a model',
        summary: 'A draft.',
        category: 'Other',
        sender: demo.owner.address,
      },
      {},
    ],
    get_registry_schema: [{}, {}],
    get_wallet: [{ owner: demo.owner.address }, {}],
    list_delegations: [{ address: demo.agent.address }, {}],
    list_agents: [{}, { network: 'testnet' }],
    find_jobs: [{ jobId: demo.jobId }, {}],
    list_events: [{ after: '0.0.0', limit: 2 }, { network: 'testnet' }],
    simulate_action: [spend(), { wouldSucceed: true }],
    run_action: [spend(), {}],
  };
}

describe.each(Object.entries(connections))('%s', (_name, connect) => {
  let client: ToolClient;
  beforeAll(async () => {
    client = await connect(demo.baseUrl, { token: key });
  });
  afterAll(() => client.close());

  test('lists and calls every tool, and gets its answer as a value and as text', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(calls()));
    for (const { name, inputSchema, annotations } of tools) {
      const [args, holds] = calls()[name]!;
      const schemas = new AjvJsonSchemaValidator();
      expect([name, schemas.getValidator(inputSchema)(args)]).toMatchObject([name, { valid: true }]);
      const { isError, structuredContent, content } = await client.call(name, args);
      expect({ name, isError, said: isError ? content : [] }).toEqual({ name, isError: undefined, said: [] });
      expect(structuredContent).toMatchObject(holds);
      expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
      expect(annotations).toMatchObject({
        readOnlyHint: name !== 'run_action' && name !== 'draft_listing',
        destructiveHint: name === 'run_action',
      });
    }
  });

  test('sees each step of a run when it happens, and attaches to the run by its requestId', async () => {
    const seen: string[] = [];
    const requestId = `progress-${_name}`;
    const { structuredContent } = await client.call('run_action', spend(requestId), (message) =>
      seen.push(message),
    );
    const { digest, steps } = structuredContent as { digest: string; steps: Record<string, string>[] };
    expect(steps.at(-1)).toEqual({ step: 'confirm', status: 'done', digest });
    const told = steps.map(({ step, status }) => `${step}: ${status}`);
    // An answer can overtake the last notifications within its client.
    expect(seen).toEqual(told.slice(0, seen.length));
    expect(seen.length).toBeGreaterThan(told.length / 2);
    const again = await client.call('run_action', spend(requestId));
    expect(again.structuredContent).toEqual({ requestId, digest, steps });
  });

  test('reads what went wrong and what to do', async () => {
    const unknown = parseError(
      await client.call('describe_adaptor', { serviceType: `0x${'9'.repeat(64)}::no::No` }),
    );
    expect(unknown).toMatchObject({ code: 'listing_not_found', status: 404 });
    expect(unknown.whatToDo).toMatch(/\w{4}/);
    const wrong = parseError(await client.call('search_adaptors', { limit: 'many' }));
    expect(wrong.errors).toEqual([expect.objectContaining({ path: 'query.limit' })]);
    const { request } = spend();
    const failed = parseError(
      await client.call('run_action', { request: { ...request, amount: '9'.repeat(19) } }),
    );
    expect(failed).toMatchObject({ code: expect.any(String), detail: expect.stringMatching(/\w{4}/) });
    const would = await client.call('simulate_action', { request: { ...request, amount: '9'.repeat(18) } });
    expect(would.structuredContent).toMatchObject({ wouldSucceed: false, code: expect.any(String) });
  });

  test('reads guides, schemas and manifests, and gets the prompts', async () => {
    const uris = await client.resources();
    for (const uri of uris) expect((await client.read(uri)).length).toBeGreaterThan(500);
    const [serviceType] = demo.publishers[0]!.serviceTypes;
    const manifest = JSON.parse(await client.read(`marketplace://manifests/testnet/${serviceType}`));
    expect(manifest.packageId).toBe(serviceType!.split('::')[0]);
    await expect(client.read('marketplace://guides/../../package.json')).rejects.toThrow();
    expect(await client.prompts()).toEqual(['list_my_package', 'find_adaptor', 'run_action']);
    const text = await client.prompt('find_adaptor', { need: 'stake "SUI"\u202e' });
    expect(text).toContain(JSON.stringify('stake "SUI"'));
  });
});

test('an action needs a credential of its wallet, by every gate of a run', async () => {
  const connect = connections['a client of 2026 over HTTP']!;
  const anonymous = await connect(demo.baseUrl);
  onTestFinished(() => anonymous.close());
  for (const name of ['run_action', 'simulate_action']) {
    expect(parseError(await anonymous.call(name, spend()))).toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
  }
  const stranger = await connect(demo.baseUrl, { token: `ek_${'a'.repeat(43)}` });
  onTestFinished(() => stranger.close());
  expect(parseError(await stranger.call('run_action', spend()))).toMatchObject({ code: 'invalid_key' });
  const holder = await connect(demo.baseUrl, { token: demo.agent.executorKey });
  onTestFinished(() => holder.close());
  const { request } = spend();
  const other = { request: { ...request, walletId: `0x${'3'.repeat(64)}` } };
  expect(parseError(await holder.call('run_action', other))).toMatchObject({ code: 'wrong_wallet' });
});

/** The snippets of an adaptor's page. */
async function fetchSnippets(serviceType: string): Promise<string[]> {
  const page = await (await fetch(`${demo.baseUrl}/a/testnet/${serviceType}`)).text();
  const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
  return [...page.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(([, text]) =>
    text!.replace(/&(#?\w+);/g, (_, name) => entities[name] ?? `&${name};`),
  );
}

test('the page of an adaptor shows a configuration of a client that connects, and a curl command that answers', async () => {
  const [serviceType] = demo.publishers[0]!.serviceTypes;
  const shown = await fetchSnippets(serviceType!);
  const { type, url } = JSON.parse(shown.find((text) => text.includes('mcpServers'))!).mcpServers.marketplace;
  expect([type, new URL(url).origin]).toEqual(['http', new URL(demo.baseUrl).origin]);
  const client = await connections['a client of 2026 over HTTP']!(url, {}, new URL(url).pathname);
  onTestFinished(() => client.close());
  const described = await client.call('describe_adaptor', { serviceType });
  expect(described.structuredContent).toMatchObject({ serviceType });
  const { stdout } = await promisify(execFile)('sh', ['-c', shown.find((text) => text.startsWith('curl '))!]);
  expect(stdout).toContain(serviceType);
});

test('the page of an adaptor shows a program that runs, and a command that calls its first op', async () => {
  const { serviceType } = demo.venues.swap;
  const shown = await fetchSnippets(serviceType);
  const program = shown.find((text) => text.startsWith('import '))!;
  const cwd = join(import.meta.dirname, '../..');
  const node = ['--input-type=module', '--eval', program];
  expect((await promisify(execFile)(process.execPath, node, { cwd })).stdout).toContain('pool_swap');
  const command = shown.find((text) => text.startsWith('npx adaptor-marketplace call'))!;
  const { owner } = demo;
  const lines = [`WALLET=${owner.walletId}`, `${command} --ptb --signer ${owner.address}`];
  const env = { SUI_RPC_URL: demo.rpcUrl };
  expect(await runBlocks(marketplace.dataDir, lines, { env })).toMatch(/^sui client ptb .*pool_swap::/);
});

test('every example of docs/mcp.md works, and its table names every tool', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
  const [http, stdio] = [...text.matchAll(/```json\n(.*?)```/gs)].map(
    ([, block]) => JSON.parse(block!).mcpServers.marketplace,
  );
  const token = demo.agent.executorKey;
  const byHttp = await connections['a client of 2026 over HTTP']!(
    demo.baseUrl,
    { token: http.headers.authorization.replace('Bearer ek_...', token) },
    new URL(http.url).pathname,
  );
  onTestFinished(() => byHttp.close());
  const names = (await byHttp.listTools()).tools.map(({ name }) => name);
  expect(stdio.command).toBe('npx');
  expect(stdio.args.slice(0, 3)).toEqual(['adaptor-marketplace', 'mcp', '--url']);
  expect(Object.keys(stdio.env)).toEqual(['MARKETPLACE_EXECUTOR_KEY', 'MARKETPLACE_API_KEY']);
  const [, table] = /^## Tools\n(.*?)^Arguments/ms.exec(text)!;
  expect([...table!.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(names.toSorted());
  const [, curl] = /```sh\n(curl.*?)```/s.exec(text)!;
  const command = curl!.replace('http://127.0.0.1:8080', demo.baseUrl);
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  const message = JSON.parse(/^data: (.*)$/m.exec(stdout)?.[1] ?? stdout);
  expect(message.result.structuredContent.adaptors.length).toBeGreaterThan(0);
});
