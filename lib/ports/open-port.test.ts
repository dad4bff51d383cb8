import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenOn } from '@adaptor-marketplace/process';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { bindPort, type OpenPortOptions, type PortChoice } from './open-port.ts';

let folder: string;
let file: string;
let notices: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ports-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  file = join(folder, 'ports', String(Math.random()));
  notices = [];
});

/** A server that listens until it is closed. */
async function listenAt(port: Parameters<typeof listenOn>[1]) {
  const server = createServer();
  const address = await listenOn(server, port, '127.0.0.1');
  onTestFinished(() => void server.close());
  return { port: address.port, close: () => new Promise((closed) => server.close(closed)) };
}

const choice = (port: number, required = false): PortChoice => ({ setting: 'LOCALNET_PORT', port, required });

function start(chosen: PortChoice, first: OpenPortOptions['first'] = 'remembered') {
  return listenAt(bindPort({ choice: chosen, file, first, notify: (notice) => notices.push(notice) }));
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const { port, close } = await listenAt(0);
  await close();
  return port;
}

test('the default port is used where it is free, without a word', async () => {
  const port = await freePort();
  expect((await start(choice(port))).port).toBe(port);
  expect(notices).toEqual([]);
});

test('a default port that is in use is replaced by a free one, which stays also when the default is free again', async () => {
  const other = await listenAt(0);
  const first = await start(choice(other.port));
  expect(first.port).not.toBe(other.port);
  expect(notices.splice(0)).toEqual([
    `Port ${other.port} is in use: the local network uses ${first.port} instead. Set LOCALNET_PORT to choose one.`,
  ]);
  await Promise.all([first.close(), other.close()]);
  expect((await start(choice(other.port))).port).toBe(first.port);
  expect(notices).toEqual([
    `Port ${first.port}, as at earlier starts, instead of ${other.port}: the local network. Set LOCALNET_PORT to choose one.`,
  ]);
});

test('where the default comes first, it is used again as soon as it is free, and its replacement is the same', async () => {
  const other = await listenAt(0);
  const first = await start(choice(other.port), 'default');
  await first.close();
  const second = await start(choice(other.port), 'default');
  expect(second.port).toBe(first.port);
  await Promise.all([second.close(), other.close()]);
  expect((await start(choice(other.port), 'default')).port).toBe(other.port);
  expect(notices).toHaveLength(2);
});

test('a free choice is the same at each start, and another one while it is in use', async () => {
  const first = await start(choice(0));
  const second = await start(choice(0));
  expect(second.port).not.toBe(first.port);
  expect(notices).toEqual([
    `Port ${first.port} is in use: the local network uses ${second.port} instead. Set LOCALNET_PORT to choose one.`,
  ]);
  await Promise.all([first.close(), second.close()]);
  // The port that was opened last is remembered.
  expect((await start(choice(0))).port).toBe(second.port);
});

test('a required port is used or refused, whatever was used before', async () => {
  const free = await start(choice(0));
  await free.close();
  const other = await listenAt(0);
  await expect(start(choice(other.port, true))).rejects.toMatchObject({
    code: 'EADDRINUSE',
    port: other.port,
  });
  await other.close();
  expect((await start(choice(other.port, true))).port).toBe(other.port);
  expect(await readFile(file, 'utf8')).toBe(`${free.port}\n`);
  expect(notices).toEqual([]);
});

test('an address that is not of this machine is refused at once, not port by port', async () => {
  const tried: number[] = [];
  const bind = bindPort({ choice: choice(9000), file, first: 'remembered' });
  const listen = async (port: number) => {
    tried.push(port);
    await listenOn(createServer(), port, '192.0.2.1');
  };
  await expect(bind(listen)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  expect(tried).toEqual([9000]);
});

test('a folder that takes no files keeps no server from starting', async () => {
  file = '/proc/takes/none';
  expect((await start(choice(0))).port).toBeGreaterThan(0);
});
