import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { exchange, forkSilently } from './bounded.ts';

const bounded = JSON.stringify(new URL('./bounded.ts', import.meta.url).href);

/** Starts a process that runs `work` and is then busy, kills the process that started it, and waits until it has ended. */
async function killParent(work: string): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'bounded-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const busy = pathToFileURL(join(dir, 'busy.mjs'));
  // Its connection lasts as long as it does. Without an end it runs for its whole processor time.
  await writeFile(
    busy,
    `import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { boundProcess } from ${bounded};
const parent = process.ppid;
const open = () => once(connect(${port}, '127.0.0.1'), 'connect');
${work}
for (;;);`,
  );
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { forkSilently } from ${bounded}; forkSilently(new URL(${JSON.stringify(busy.href)}), []);`,
    ],
    { stdio: 'ignore' },
  );
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('error', () => undefined).resume();
  const closed = once(socket, 'close');
  parent.kill('SIGKILL');
  await closed;
  expect(parent.killed).toBe(true);
}

test('a busy process ends with the process that started it, even if that was killed', async () => {
  await killParent('await boundProcess({ processorMs: 60_000 }); await open();');
}, 20_000);

test('a busy process ends if the process that started it was killed before it was bounded', async () => {
  await killParent(`await open();
while (process.ppid === parent) await delay(5);
await boundProcess({ processorMs: 60_000 });`);
}, 20_000);

const run = promisify(execFile);

test('a process that cannot start gives no result, and its parent goes on', async () => {
  const script = `import { openSync } from 'node:fs';
import { exchange, forkSilently } from ${bounded};
try { for (;;) openSync('/dev/null'); } catch (error) { console.log(error.code); }
const child = forkSilently(new URL('file:///'), []);
console.log(await exchange(child, {}, (message) => message));
console.log(child.kill('SIGKILL'));
setTimeout(() => console.log('goes on'), 100);`;
  // The shell bounds the files that Node opens: with none left, it cannot make the pipes of a process.
  const { stdout } = await run('sh', [
    '-c',
    'ulimit -n 128 && exec "$0" --input-type=module --eval "$1"',
    process.execPath,
    script,
  ]);
  expect(stdout.trim().split('\n')).toEqual(['EMFILE', 'undefined', 'false', 'goes on']);
}, 20_000);

test('a process that has ended gives no result', async () => {
  const child = forkSilently(new URL('file:///'), []);
  await once(child, 'exit');
  expect(await exchange(child, {}, (message) => message)).toBeUndefined();
}, 20_000);
