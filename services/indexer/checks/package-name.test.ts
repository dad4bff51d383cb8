import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOutbound, type Outbound } from '../../../lib/outbound/index.ts';
import { address } from '../../../test/support/read-model.ts';
import { readPackageName } from './package-name.ts';

const packageId = address(0xcafe);
const noName = { name: null, error: null };

/** Answers of the server, by path. */
let answers: Record<string, unknown>;
let paths: string[];
let respond: (response: ServerResponse, body: string) => void;
let outbound: Outbound;
let url: string;
const server = createServer(({ url: path = '' }, response) => {
  paths.push(path);
  const answer = answers[path] ?? {};
  respond(response, typeof answer === 'string' ? answer : JSON.stringify(answer));
});

beforeAll(async () => {
  outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  paths = [];
  respond = (response, body) => response.end(body);
  nameIt('@reef/vault');
});

const reversePath = `/v1/reverse-resolution/${packageId}`;
const forwardPath = (name: string) => `/v1/resolution/${name}`;

/** Lets the server name the package, and resolve the name to an id. */
function nameIt(name: unknown, resolved: unknown = packageId): void {
  answers = { [reversePath]: { name }, [forwardPath(String(name))]: { package_id: resolved } };
}

const read = (timeoutMs = 5_000) =>
  readPackageName(outbound, url, packageId, { timeoutMs, signal: new AbortController().signal });

test('a package has the name that it is registered with and that resolves to it', async () => {
  for (const name of ['@reef/vault', 'labs@reef/vault-2', 'a.b@reef/v']) {
    nameIt(name, '0xCAFE');
    expect(await read()).toEqual({ name, error: null });
  }
  expect(paths.slice(0, 2)).toEqual([reversePath, forwardPath('@reef/vault')]);
});

test('a name that resolves to another version, to another package or to none is not shown', async () => {
  for (const resolved of [address(0xbeef), null]) {
    nameIt('@reef/vault', resolved);
    expect(await read()).toEqual(noName);
  }
});

test('a package without a name has none, and no name is resolved for it', async () => {
  nameIt(null);
  expect(await read()).toEqual(noName);
  expect(paths).toEqual([reversePath]);
});

test.each([
  '@reef/vault/1',
  '@reef/../../health',
  '@reef/vault?x',
  '@Reef/vault',
  '@rеef/vault',
  '<b>@reef/vault',
  '@reef',
  'reef.sui/vault',
  `@reef/${'v'.repeat(64)}`,
  `${'a.'.repeat(200)}a@reef/vault`,
  7,
  ['@reef/vault'],
])('what is not a name, such as %j, is neither shown nor requested', async (name) => {
  nameIt(name);
  expect(await read()).toEqual({ name: null, error: 'The server returned an invalid response.' });
  expect(paths).toEqual([reversePath]);
});

test.each([
  ['not JSON', '<html>'],
  ['null', 'null'],
  ['no package', '{}'],
  ['not an id', { package_id: '0x' }],
])('a second answer that is %s proves nothing', async (_, answer) => {
  answers[forwardPath('@reef/vault')] = answer;
  expect(await read()).toEqual({ name: null, error: 'The server returned an invalid response.' });
});

test('a large answer is not read to its end, and proves nothing', async () => {
  respond = (response) => {
    const padding = 'a'.repeat(64 * 1024);
    const write = () => {
      while (!response.destroyed && response.write(padding));
    };
    response.on('drain', write);
    write();
  };
  expect(await read()).toEqual({ name: null, error: 'The body is larger than 4096 bytes.' });
});

test('a redirect is not followed, and proves nothing', async () => {
  respond = (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  expect(await read()).toMatchObject({ name: null, error: expect.stringContaining('redirect') });
  expect(paths).toHaveLength(1);
});

test('a server that stalls, fails or is away has said nothing about the name', async () => {
  respond = (response) => response.write('{');
  expect(await read(50)).toEqual({ name: undefined, error: 'The host took longer than 50 ms.' });
  respond = (response) => response.writeHead(503).end();
  expect(await read()).toEqual({ name: undefined, error: 'The host answered 503.' });
  url = 'http://127.0.0.1:1';
  expect(await read()).toMatchObject({
    name: undefined,
    error: expect.stringContaining('could not be reached'),
  });
});
