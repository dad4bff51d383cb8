import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { promisify } from 'node:util';
import { listenOn } from '@adaptor-marketplace/process';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, expect, onTestFailed, onTestFinished, test } from 'vitest';
import type { PortChoice } from '../../lib/ports/open-port.ts';
import { endChild } from '../../test/support/end-child.ts';
import { eventually } from '../../test/support/eventually.ts';
import { openCluster } from './cluster.ts';
import { startEmbeddedServer } from './server.ts';

const run = promisify(execFile);
const newFolder = () => mkdtemp(join(tmpdir(), 'embedded-postgres-'));
const remove = (folder: string) => rm(folder, { recursive: true, force: true });

/** Folder with a cluster that no test uses. Copying it takes a fraction of the time of making one. */
let made: string;
beforeAll(async () => {
  made = await newFolder();
  await openCluster(made);
  return () => remove(made);
});

let dir: string;
beforeEach(async () => {
  dir = await newFolder();
  // `-a` preserves the owner of the files. If the tests run as root, that is another user.
  await run('cp', ['-a', `${made}/.`, dir]);
});
afterEach(() => remove(dir));

async function query(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('what was stored is there after a stop and a start', async () => {
  const first = await startEmbeddedServer({ dir, volatile: true });
  await query(first.url, 'create table kept as select 7 as n');
  await first.stop();

  const second = await startEmbeddedServer({ dir, volatile: true });
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
  await second.stop();
});

test('the port stays over restarts, and one that is taken meanwhile is replaced for good', async () => {
  const notices: string[] = [];
  const restart = async (port?: PortChoice) => {
    const server = await startEmbeddedServer({
      dir,
      volatile: true,
      notify: (notice: string) => void notices.push(notice),
      ...(port && { port }),
    });
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    await server.stop();
    return server.url;
  };
  const url = await restart();
  expect(await restart()).toBe(url);
  expect(notices).toEqual([]);

  const other = await holdPort(Number(new URL(url).port));
  const replaced = await restart();
  expect(replaced).not.toBe(url);
  expect(notices).toEqual([
    expect.stringMatching(/^Port \d+ is in use: the embedded PostgreSQL uses \d+ instead\. Set EMBEDDED_/),
  ]);
  const required = { setting: 'EMBEDDED_POSTGRES_PORT', port: other.port, required: true } as const;
  await expect(restart(required)).rejects.toMatchObject({ code: 'EADDRINUSE', port: other.port });
  await other.release();
  expect(await restart()).toBe(replaced);
  expect(await restart(required)).toBe(url);
});

test('a required port is refused while others use the server on another one', async () => {
  const first = await startEmbeddedServer({ dir, volatile: true });
  const running = Number(new URL(first.url).port);
  const port = {
    setting: 'EMBEDDED_POSTGRES_PORT',
    port: running === 1024 ? 1025 : 1024,
    required: true,
  } as const;
  await expect(startEmbeddedServer({ dir, volatile: true, port })).rejects.toMatchObject({
    code: 'bad_settings',
    message: expect.stringContaining(`EMBEDDED_POSTGRES_PORT: the server runs on port ${running} already`),
  });
  expect(await query(first.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  await first.stop();
});

/** Another program's server on a port. */
async function holdPort(port: number) {
  const server = createServer();
  await listenOn(server, port, '127.0.0.1');
  onTestFinished(() => void server.close());
  return { port, release: () => new Promise((released) => server.close(released)) };
}

test('processes that start at the same moment in an empty folder share one server', async () => {
  await rm(dir, { recursive: true });
  const servers = await Promise.all([1, 2, 3].map(() => startEmbeddedServer({ dir, volatile: true })));
  expect(new Set(servers.map((server) => server.url)).size).toBe(1);
  await Promise.all(servers.map((server) => server.stop()));
  await expect(query(servers[0]!.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
});

test('a process that leaves does not take the server from one that still works', async () => {
  const server = await startEmbeddedServer({ dir, volatile: true });
  const working = new pg.Client({ connectionString: server.url });
  await working.connect();
  await server.stop();
  expect((await working.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  await working.end();
  await server.stop();
  await expect(query(server.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
});

test('a connection that closes just as its process leaves does not keep the server running', async () => {
  const server = await startEmbeddedServer({ dir, volatile: true });
  const closing = new pg.Client({ connectionString: server.url });
  await closing.connect();
  // This process leaves while another checks for users of the server: they were seen once already.
  const stopped = server.stop();
  const looking = async () => {
    const looks = 'select from pg_stat_activity where application_name like $1';
    return (await closing.query(looks, ['% stop'])).rowCount;
  };
  for (const count of [1, 0]) {
    await eventually(async () => expect(await looking()).toBe(count), { intervalMs: 1 });
  }
  await closing.end();
  await stopped;
  await expect(query(server.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
});

test('a file left by a crash, whose process id is another process now, keeps no server from starting', async () => {
  const first = await startEmbeddedServer({ dir, volatile: true });
  const pidFile = join(dir, 'data', 'postmaster.pid');
  const lines = (await readFile(pidFile, 'utf8')).split('\n');
  await first.stop();
  // This process plays the one that has the id now.
  await writeFile(pidFile, [String(process.pid), ...lines.slice(1)].join('\n'));
  const second = await startEmbeddedServer({ dir, volatile: true });
  expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  await second.stop();
});

test('strangers on the machine cannot connect without the password', async () => {
  const server = await startEmbeddedServer({ dir, volatile: true });
  const url = new URL(server.url);
  url.password = 'wrong';
  await expect(query(url.href, 'select 1')).rejects.toThrow(/password authentication failed/);
  await server.stop();
});

test('a server that was killed is started again where it was, with what it had', async () => {
  const server = await startEmbeddedServer({ dir });
  onTestFailed(() => server.stop());
  await query(server.url, 'create table kept as select 7 as n');
  const file = await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8');
  process.kill(Number.parseInt(file, 10), 'SIGKILL');
  const read = () => query(server.url, 'select n from kept');
  await eventually(async () => expect(await read()).toEqual([{ n: 7 }]));
  await server.stop();
  await expect(read()).rejects.toThrow(/ECONNREFUSED/);
});

const script = join(import.meta.dirname, '../../test/support/embedded-process.ts');

/** A process that uses the server of `dir`, and the server's url. */
async function startUser(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [script, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = await once(createInterface(child.stdout!), 'line');
  return { child, url };
}

const serverPid = async () =>
  Number.parseInt(await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8').catch(() => ''), 10);

/** Processes that wait for the end of those that use the server. */
async function helpers(): Promise<number> {
  const { stdout } = await run('ps', ['-eo', 'args']);
  return stdout.split('\n').filter((line) => line.includes('after-process.ts') && line.includes(dir)).length;
}

async function ended(pid: number): Promise<void> {
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/));
}

test('the server ends by itself after the last process that used it was killed', async () => {
  const [one, other] = [await startUser(), await startUser()];
  const pid = await serverPid();
  await endChild(one.child, 'SIGKILL');
  await eventually(async () => expect(await helpers()).toBe(1));
  expect(await query(other.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  await endChild(other.child, 'SIGKILL');
  await ended(pid);
});

test('a program that is connected when the last process is killed keeps the server until it leaves', async () => {
  const { child, url } = await startUser();
  const pid = await serverPid();
  const analyst = new pg.Client({ connectionString: url });
  await analyst.connect();
  await endChild(child, 'SIGKILL');
  // The helper polls.
  const looks = 'select from pg_stat_activity where application_name like $1';
  for (const seen of [1, 0, 1]) {
    await eventually(async () => expect((await analyst.query(looks, ['% stop'])).rowCount).toBe(seen), {
      intervalMs: 1,
    });
  }
  await analyst.end();
  await ended(pid);
});

test('a process that starts just after the last one was killed has a server', async () => {
  const first = await startUser();
  await endChild(first.child, 'SIGKILL');
  const second = await startUser();
  expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  await eventually(async () => expect(await helpers()).toBe(1));
  expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }]);
});
