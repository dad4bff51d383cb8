import fc from 'fast-check';
import { parseJson } from '../../lib/json.ts';
import { findPart } from './description.ts';
import { createRequestDoor, type Door, listSecrets } from './door.ts';
import { encodeBody, type FuzzRequest, type FuzzResponse, send } from './exchange.ts';
import { oddHeaders, sender } from './headers.ts';
import type { Host } from './host.ts';
import { Fault, judgeAny } from './judge.ts';
import { hostileText, type JsonSchema, nearly, nearlyJson, SchemaValues } from './values.ts';

interface Tool {
  name: string;
  inputSchema: JsonSchema;
}

type Header = readonly [string, string];

const usual: Header[] = [
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream'],
  ['mcp-protocol-version', '2025-11-25'],
];

/** Messages to the tools for models: of the marketplace, and of the wallet of a host of one's own. */
export async function openMcpDoor(host: Host): Promise<Door<FuzzRequest>> {
  const servers: { target: string; headers: Header[] }[] = [{ target: '/mcp', headers: [] }];
  const walletId = host.words.get('walletId')?.[0];
  if (host.credentials && walletId) {
    const bearer = ['authorization', `Bearer ${host.credentials.executorKey}`] as const;
    servers.push({ target: `/mcp/wallets/testnet/${walletId}`, headers: [bearer] });
  }
  const secrets = listSecrets(host);
  const inputs: fc.Arbitrary<FuzzRequest>[] = [];
  for (const { target, headers } of servers) {
    const tools = await listTools(host.baseUrl, target, headers);
    inputs.push(
      fc
        .record({ from: sender, odd: oddHeaders, how: fc.nat(9), message: makeMessages(host, tools) })
        .map(({ from, odd, how, message }) => ({
          method: how === 9 && odd.length > 1 ? 'GET' : 'POST',
          target: how === 8 && odd.length > 0 ? `${target}/x` : target,
          headers: [...headers, from, ...(how < 2 ? mergeHeaders(usual, odd) : usual)],
          ...(!(how === 9 && odd.length > 1) && { body: encodeBody(message) }),
        })),
    );
  }
  const door = { name: 'mcp', batchSize: 200, inputs: fc.oneof(...inputs) };
  return createRequestDoor(host, door, (request, response) => {
    judgeAny(request, response, { route: '/mcp', secrets });
    judgeMessage(request, response);
  });
}

const mergeHeaders = (own: readonly Header[], odd: readonly Header[]): Header[] => [
  ...own.filter(([name]) => !odd.some(([other]) => other === name)),
  ...odd,
];

async function listTools(baseUrl: string, target: string, headers: Header[]): Promise<Tool[]> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const { body } = await send(baseUrl, {
    method: 'POST',
    target,
    headers: [...headers, ...usual],
    body: encodeBody(JSON.stringify(message)),
  });
  const json = body.startsWith('{') ? body : (listData(body)[0] ?? '');
  const { result } = (parseJson(json) ?? {}) as { result?: { tools: Tool[] } };
  if (!result) throw new Error(`no tools at ${target}: ${body.slice(0, 300)}`);
  return result.tools;
}

/** Lists the data of a stream's events. Only CR and LF end a line. */
const listData = (body: string): string[] =>
  [...body.matchAll(/^data: ([^\r\n]+)/gm)].map(([, data]) => data!);

const methods = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'sampling/createMessage',
  'tasks/get',
  'x',
  '',
];

function makeMessages(host: Host, tools: readonly Tool[]): fc.Arbitrary<string> {
  const calls = tools.map(({ name, inputSchema }) => {
    const values = new SchemaValues((ref) => findPart(inputSchema, ref) as JsonSchema, host.words);
    return fc.record({ name: fc.constant(name), arguments: nearly(values.accepted(inputSchema)) });
  });
  const call = fc.oneof(...calls).map((params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const uri = fc.oneof(
    hostileText,
    fc.constantFrom('marketplace://manifests/testnet/x', 'marketplace://', 'file:///etc/passwd'),
    fc
      .constantFrom(...(host.words.get('serviceType') ?? ['x']))
      .map((type) => `marketplace://manifests/testnet/${type}`),
  );
  const other = fc.record({
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
    id: fc.constantFrom<unknown>(1, 'a', null, 1.5, {}, undefined),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...methods) },
      { weight: 1, arbitrary: hostileText },
    ),
    params: nearly(fc.record({ uri, name: hostileText, cursor: hostileText }, { requiredKeys: [] })),
  });
  return fc.oneof(
    { weight: 6, arbitrary: call.map((message) => JSON.stringify(message)) },
    { weight: 3, arbitrary: other.map((message) => JSON.stringify(message)) },
    { weight: 1, arbitrary: nearlyJson(nearly(call)) },
    {
      weight: 1,
      arbitrary: fc.array(fc.oneof(call, other), { maxLength: 4 }).map((all) => JSON.stringify(all)),
    },
  );
}

const statuses = new Set([200, 202, 400, 401, 403, 404, 405, 406, 413, 415, 429]);
const internalErrorCode = -32_603;

function judgeMessage(request: FuzzRequest, { status, body, headers }: FuzzResponse): void {
  const shown = `${status} ${body.slice(0, 600)}`;
  const sent = parseJson(Buffer.from(request.body ?? '', 'base64').toString());
  const { params } = (sent ?? {}) as { params?: { name?: unknown } };
  const route = `/mcp ${typeof params?.name === 'string' ? params.name.slice(0, 40) : ''}`;
  if (!statuses.has(status)) throw new Fault(`status ${status}`, route, shown);
  if (status !== 200) return;
  const messages = /event-stream/.test(headers['content-type'] ?? '') ? listData(body) : [body];
  for (const text of messages) {
    const message = parseJson(text) as
      | { jsonrpc?: string; error?: { code: number; message: string } }
      | undefined;
    if (message === undefined) throw new Fault('no message', route, shown);
    if (message.error?.code === internalErrorCode && !isMalformedMessage(message.error.message))
      throw new Fault('internal error', route, shown);
  }
}

/**
 * Returns `true` for the error text that the protocol's library writes about a malformed message: a list of issues, whose paths
 * begin in the message itself. The library uses the code of an internal error for it. A fault of a tool has other paths or none.
 */
function isMalformedMessage(text: string): boolean {
  const issues = parseJson(text);
  return (
    Array.isArray(issues) &&
    issues.length > 0 &&
    issues.every(({ code, path }) => typeof code === 'string' && ['params', 'method'].includes(path?.[0]))
  );
}
