import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { marketplaceServer } from './server.ts';

const baseUrl = 'https://market.example';
const coinType = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const request = {
  action: 'stablecoinRepay',
  amount: '5',
  requestId: 'repay',
  network: 'testnet',
  owner: `0x${'a'.repeat(64)}`,
  walletId: `0x${'b'.repeat(64)}`,
};

const adaptor = { serviceType: `0x${'c'.repeat(64)}::a::A`, publisher: `0x${'d'.repeat(64)}` };
const hash = (digit: string) => digit.repeat(64);

/** A marketplace whose listing makes the action take each of these amounts in turn, by each of these manifests. */
async function openMarket(amounts: string[], hashes: string[] = [hash('1')]) {
  const runs: { bounds: unknown }[] = [];
  const routes: Record<string, (body: unknown) => Response> = {
    '/api/agent/runs': () => Response.json({ count: 0, runs: [] }),
    '/api/agent/simulate': () => {
      const amount = amounts.length > 1 ? amounts.shift()! : amounts[0]!;
      const manifestHash = hashes.length > 1 ? hashes.shift()! : hashes[0]!;
      return Response.json({
        network: 'testnet',
        wouldSucceed: true,
        boundsHold: true,
        steps: [{ action: 'stablecoinRepay', adaptor: { ...adaptor, manifestHash }, calls: [] }],
        paid: [],
        received: [],
        takesAtMost: [{ coinType, amount }],
        bringsAtLeast: [],
      });
    },
    '/api/agent/run': (body) => {
      runs.push(body as { bounds: unknown });
      const line = JSON.stringify({ step: 'confirm', status: 'done', digest: 'D' });
      return new Response(`${line}\n`, { headers: { 'content-type': 'application/x-ndjson' } });
    },
  };
  const api: typeof fetch = async (input, init) => {
    const asked = new Request(input, init);
    const body = asked.body ? await asked.json() : undefined;
    return routes[new URL(asked.url).pathname]!(body);
  };
  const handler = createMcpHandler(() => marketplaceServer({ baseUrl, token: 'ek_test', fetch: api }));
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  );
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { confirm: true } };
  });
  const send: typeof fetch = (input, init) => handler.fetch(new Request(input, init));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { fetch: send }));
  onTestFinished(() => client.close());
  return { client, questions, runs };
}

test('an answer to a question that would be another one by now asks the person again', async () => {
  const { client, questions, runs } = await openMarket(['5', '3000000000']);
  await client.callTool({ name: 'run_action', arguments: { request } });
  expect(questions).toEqual([
    expect.stringContaining('At most 5 base units'),
    expect.stringContaining('At most 3000000000 base units'),
  ]);
  expect(runs).toEqual([
    expect.objectContaining({
      bounds: {
        takesAtMost: [{ coinType, amount: '3000000000' }],
        bringsAtLeast: [],
        manifests: { [adaptor.serviceType]: hash('1') },
      },
    }),
  ]);
});

test('an answer to a question about an earlier listing asks again, and the run is held to the listing confirmed', async () => {
  const { client, questions, runs } = await openMarket(['5'], [hash('1'), hash('2')]);
  await client.callTool({ name: 'run_action', arguments: { request } });
  expect(questions).toEqual([expect.stringContaining(hash('1')), expect.stringContaining(hash('2'))]);
  expect(runs).toEqual([
    expect.objectContaining({
      bounds: expect.objectContaining({ manifests: { [adaptor.serviceType]: hash('2') } }),
    }),
  ]);
});

test('a run carries the bounds that were confirmed, whatever bounds the model sent', async () => {
  const { client, questions, runs } = await openMarket(['5']);
  const bounds = { takesAtMost: [{ coinType, amount: '9000000000' }], bringsAtLeast: [] };
  await client.callTool({ name: 'run_action', arguments: { request: { ...request, bounds } } });
  expect(questions).toHaveLength(1);
  expect(questions[0]).not.toContain('9000000000');
  expect(runs[0]!.bounds).toMatchObject({ takesAtMost: [{ coinType, amount: '5' }], bringsAtLeast: [] });
});
