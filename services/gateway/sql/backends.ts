import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import pg from 'pg';
import type { Logger } from '../../../lib/log/index.ts';

const pauseMs = { first: 20, most: 1_000 };

/**
 * Watches server processes of PostgreSQL that have a cancel request. The role sees its own processes in `pg_stat_activity`.
 * Nothing ends a process sooner: it handles a cancel request, a closed connection and `pg_terminate_backend` at the same
 * points, and there are none within the expressions of a row.
 */
export function watchBackends({ url, log }: { url: string; log: Logger }) {
  const closing = new AbortController();
  const { signal } = closing;
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    application_name: 'sql-backends',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 1_000,
  });
  pool.on('error', () => undefined);

  async function isRunning(processId: number): Promise<boolean> {
    const text = 'select from pg_stat_activity where pid = $1 and usename = current_user';
    try {
      return (await pool.query(text, [processId])).rowCount !== 0;
    } catch (error) {
      log.debug({ reason: getErrorMessage(error), processId }, 'a server process could not be looked up');
      return true;
    }
  }

  return {
    /** Resolves when the process has ended, or when the watch closes. It waits while PostgreSQL cannot be asked. */
    async whenEnded(processId: number): Promise<void> {
      for (let pause = pauseMs.first; !signal.aborted; pause = Math.min(2 * pause, pauseMs.most)) {
        if (!(await isRunning(processId))) return;
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    },
    close(): Promise<void> {
      closing.abort();
      return pool.end();
    },
  };
}
