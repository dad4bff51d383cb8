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

interface Run {
  bounds: unknown;
  capId?: string;
  steps?: { capId?: string }[];
}

interface Payments {
  /** The cap of each step, in each simulation in turn; null for a step that is not a payment. */
  caps: (string | null)[][];
}

/** Takes the next of `turns`, and leaves the last one. */
const takeTurn = <Turn>(turns: Turn[]): Turn => (turns.length > 1 ? turns.shift()! : turns[0]!);

/** A marketplace whose listing makes the action take each of these amounts in turn, by each of these manifests. */
async function openMarket(
  amounts: string[],
  hashes: string[] = [hash('1')],
  { caps }: Payments = { caps: [[null]] },
) {
  const runs: Run[] = [];
  const routes: Record<string, (body: unknown, asked: Request) => Response | Promise<Response>> = {
    '/api/agent/runs': () => Response.json({ count: 0, runs: [] }),
    '/api/agent/simulate': () => {
      const amount = takeTurn(amounts);
      const manifestHash = takeTurn(hashes);
      const steps = takeTurn(caps).map((capId) =>
        capId === null
          ? { action: 'stablecoinRepay', adaptor: { ...adaptor, manifestHash }, capId, calls: [] }
          : { action: 'spend', adaptor: null, capId, calls: [] },
      );
      return Response.json({
        network: 'testnet',
        wouldSucceed: true,
        boundsHold: true,
        steps,
        paid: [],
        received: [],
        takesAtMost: [{ coinType, amount }],
        bringsAtLeast: [],
      });
    },
    '/api/agent/run': (body) => {
      runs.push(body as Run);
      const line = JSON.stringify({ step: 'confirm', status: 'done', digest: 'D' });
      return new Response(`${line}\n`, { headers: { 'content-type': 'application/x-ndjson' } });
    },
  };
  const api: typeof fetch = async (input, init) => {
    const asked = new Request(input, init);
    const body = asked.body ? await asked.json() : undefined;
    return await routes[new URL(asked.url).pathname]!(body, asked);
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
  return { client, questions, runs, routes };
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

const cap = (digit: string) => `0x${digit.repeat(64)}`;
const { action: _, amount: __, ...ofWallet } = request;
const payment = { action: 'spend', coinType, amount: '5', recipient: cap('e') };

test('an answer to a question about another cap asks again, and the run pays from the cap confirmed', async () => {
  const { client, questions, runs } = await openMarket(['5'], undefined, { caps: [[cap('1')], [cap('2')]] });
  await client.callTool({ name: 'run_action', arguments: { request: { ...ofWallet, ...payment } } });
  expect(questions).toHaveLength(2);
  expect(runs).toEqual([expect.objectContaining({ capId: cap('2') })]);
});

test('each payment of a composition pays from its cap that was confirmed', async () => {
  const { client, runs } = await openMarket(['5'], undefined, { caps: [[cap('1'), null, cap('3')]] });
  const steps = [payment, { action: 'stablecoinRepay', amount: '5' }, payment];
  const composed = { ...ofWallet, action: 'compose', steps };
  await client.callTool({ name: 'run_action', arguments: { request: composed } });
  expect(runs.map((run) => run.steps?.map(({ capId }) => capId))).toEqual([[cap('1'), undefined, cap('3')]]);
});

test('a client that leaves ends the read of its run, also between two steps', async () => {
  const { client, routes } = await openMarket(['5']);
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  routes['/api/agent/run'] = (_, { signal }) => {
    begun.resolve();
    signal.addEventListener('abort', () => ended.resolve());
    return new Response(new ReadableStream(), { headers: { 'x-run-id': '42' } });
  };
  const leave = new AbortController();
  const call = client.callTool({ name: 'run_action', arguments: { request } }, { signal: leave.signal });
  await begun.promise;
  leave.abort();
  await expect(call).rejects.toThrow();
  await ended.promise;
});

test('a request that was signed is replayed without a question, however many runs followed', async () => {
  const { client, questions, runs, routes } = await openMarket(['5']);
  const signed = {
    requestId: request.requestId,
    digest: 'D',
    request: { ...request, bounds: { takesAtMost: [] } },
  };
  const later = Array.from({ length: 150 }, (_, nth) => ({ ...signed, requestId: `later-${nth}` }));
  routes['/api/agent/runs'] = (_, { url }) => {
    const { searchParams } = new URL(url);
    const requestId = searchParams.get('requestId');
    const found = [...later, signed].filter((run) => requestId === null || run.requestId === requestId);
    const page = found.slice(0, Number(searchParams.get('limit') ?? 20));
    return Response.json({ count: page.length, runs: page });
  };
  await client.callTool({ name: 'run_action', arguments: { request } });
  expect([questions, runs]).toEqual([[], [expect.objectContaining({ bounds: { takesAtMost: [] } })]]);
});

test.each(['/api/agent/run', '/api/agent/runs', '/api/agent/simulate'])(
  'an error of %s names the requestId of the run, and no id of another kind under that name',
  async (failing) => {
    const { client, routes } = await openMarket(['5']);
    const refusal = { code: 'agent_unavailable', detail: 'No answer.', requestId: 'id-of-the-http-request' };
    routes[failing] = () => Response.json(refusal, { status: 503 });
    routes['/errors/agent_unavailable'] = () => Response.json({ whatToDo: 'Use the same `requestId`.' });
    const { content } = await client.callTool({ name: 'run_action', arguments: { request } });
    const [part] = content;
    expect(JSON.parse(part?.type === 'text' ? part.text : '').error).toMatchObject({
      code: 'agent_unavailable',
      requestId: request.requestId,
      httpRequestId: 'id-of-the-http-request',
    });
  },
);

test('an error without an answer names the requestId that the tool chose for the run', async () => {
  const { client, routes } = await openMarket(['5']);
  const { requestId: _, ...unnamed } = request;
  let sent: unknown;
  routes['/api/agent/run'] = (body) => {
    sent = (body as typeof request).requestId;
    // A step without the run's id: the client cannot attach, and does not try.
    const line = JSON.stringify({ step: 'build', status: 'done' });
    return new Response(`${line}\n`, { headers: { 'content-type': 'application/x-ndjson' } });
  };
  const { content } = await client.callTool({ name: 'run_action', arguments: { request: unnamed } });
  const [part] = content;
  expect(JSON.parse(part?.type === 'text' ? part.text : '').error).toMatchObject({
    code: 'no_answer',
    requestId: sent,
  });
});
