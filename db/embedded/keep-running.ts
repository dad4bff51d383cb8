import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Logger } from '../../lib/log/index.ts';

const lookEveryMs = 1_000;

/**
 * Calls `start` whenever the server on this data folder has ended: killed, out of memory, or stopped by a
 * process that left just as this one came. Resolve the returned function before ending the server on purpose.
 */
export function keepRunning(data: string, start: () => Promise<unknown>, log?: Logger): () => Promise<void> {
  const stop = new AbortController();
  const look = async () => {
    if (await isAlive(data)) return;
    log?.warn('the database server has ended; starting it again');
    await start().catch((error) =>
      log?.error({ reason: messageOf(error) }, 'the database server did not start'),
    );
  };
  const looking = (async () => {
    const options = { signal: stop.signal, ref: false };
    while (!stop.signal.aborted) await delay(lookEveryMs, undefined, options).then(look, () => undefined);
  })();
  return async () => {
    stop.abort();
    await looking;
  };
}

/** By the process id that the server leaves in its folder; pg_ctl would cost a process per look. */
async function isAlive(data: string): Promise<boolean> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(file, 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
