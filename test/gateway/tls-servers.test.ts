import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminSecret, issueTestKey } from '../support/keys.ts';
import { certificate } from '../support/tls-proxy.ts';
import { startCaddy, startNginx } from '../support/tls-servers.ts';

const root = join(import.meta.dirname, '../..');

let gateway: TestGateway;
let key: string;
let document: string;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 1_000, trustProxy: 1 };
  gateway = await startTestGateway((seed) => seed.source(), { access });
  ({ key } = await issueTestKey(gateway.url));
  document = await readFile(join(root, 'docs/operations.md'), 'utf8');
});
afterAll(() => gateway?.close());

/** Returns the configuration that follows the name of its program in the document. */
function readConfiguration(name: string): string {
  const [, block] =
    new RegExp(`^\\*\\*${name}\\*\\*.*?^\`\`\`\\w*\\n(.*?)^\`\`\``, 'ms').exec(document) ?? [];
  expect(block).toBeDefined();
  return block!;
}

async function send(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const method = body === undefined ? 'GET' : 'POST';
  requestTls({ host: '127.0.0.1', port, path, method, headers, ca: certificate, agent: false }, resolve)
    .on('error', reject)
    .end(body);
  return await promise;
}

describe.each([
  ['nginx', startNginx],
  ['Caddy', startCaddy],
])('behind %s with the configuration of the documents', (name, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start(readConfiguration(name), new URL(gateway.url).host);
  });
  afterAll(() => server?.close());

  test('a stream arrives while it is open', async () => {
    const stream = await send(server.port, '/api/adaptors/events/stream', { 'accept-encoding': 'gzip' });
    for await (const chunk of stream.setEncoding('utf8')) {
      expect(chunk).toMatch(/^retry: /);
      break;
    }
    stream.destroy();
  });

  test('limits count the address of the caller, whatever the caller writes', async () => {
    const readRemaining = async (forwarded: string) => {
      const answer = await send(server.port, '/api/adaptors', { 'x-forwarded-for': forwarded });
      answer.resume();
      return Number(answer.headers['x-ratelimit-remaining']);
    };
    const first = await readRemaining('192.0.2.1');
    expect(await readRemaining('192.0.2.2')).toBe(first - 1);
  });

  test('a page signs in', async () => {
    const headers = {
      origin: `https://127.0.0.1:${server.port}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'x-api-key': key,
    };
    const answer = await send(server.port, '/api/portal/session', headers, '{}');
    answer.resume();
    expect([answer.statusCode, String(answer.headers['set-cookie'])]).toEqual([
      200,
      expect.stringContaining('__Host-portal='),
    ]);
  });
});
