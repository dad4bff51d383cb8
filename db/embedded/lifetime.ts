import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Logger } from '../../lib/log/index.ts';

const checkMs = 1_000;

/**
 * Calls `start` whenever the server on this data folder has ended: killed, out of memory, or stopped by a process that
 * disconnected just before this one connected. Await the returned function before you end the server on purpose.
 */
export function keepRunning(data: string, start: () => Promise<unknown>, log?: Logger): () => Promise<void> {
  const stop = new AbortController();
  const check = async () => {
    if (await isAlive(data)) return;
    log?.warn('the database server has ended; starting it again');
    await start().catch((error) =>
      log?.error({ reason: getErrorMessage(error) }, 'the database server did not start'),
    );
  };
  const checking = (async () => {
    const options = { signal: stop.signal, ref: false };
    while (!stop.signal.aborted) await delay(checkMs, undefined, options).then(check, () => undefined);
  })();
  return async () => {
    stop.abort();
    await checking;
  };
}

/** Returns `true` if the server process lives. It reads the pid file itself, as pg_ctl would start a process for each check. */
async function isAlive(data: string): Promise<boolean> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(file, 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process lives and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const script = fileURLToPath(new URL('./after-process.ts', import.meta.url));

/**
 * Starts a helper that ends the server in `dir` soon after this process has ended without `stop`: killed, out of
 * memory, or its terminal closed. The helper waits for the end of a pipe that this process holds open. It has a session of
 * its own, so that signals of the terminal do not reach it.
 * @returns a function that ends the helper
 */
export function endAfterThisProcess(dir: string, port: number): () => void {
  const node = [process.execPath, script, dir, String(port)];
  // A shell waits for the end of the pipe in a hundredth of the memory of node. Then it starts node with an empty input.
  const [command, ...args] =
    process.platform === 'win32' ? node : ['sh', '-c', 'cat >/dev/null; exec "$@" </dev/null', 'sh', ...node];
  const helper = spawn(command!, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  // If the helper does not start, only its effect is missing: the server runs on after this process is killed.
  helper.on('error', () => undefined);
  helper.unref();
  const pipe = helper.stdin;
  pipe?.on('error', () => undefined);
  // The pipe is a socket with `unref`, which its type does not have.
  if (pipe && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return () => {
    if (helper.pid === undefined || helper.exitCode !== null || helper.signalCode !== null) return;
    try {
      process.kill(process.platform === 'win32' ? helper.pid : -helper.pid, 'SIGTERM');
    } catch {
      // It has ended by itself.
    }
  };
}
