import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../db/client.ts';
import { requireKnownMigrations } from '../../db/migrate.ts';
import { isDatabaseAway } from '../../lib/errors/index.ts';
import type { Process, WaitingRoom } from './process.ts';

const retryMs = 1_000;

/**
 * Returns a function that reads from the database at the start, and reads again for as long as the database is away. The
 * waiting room stands in for the gateway meanwhile. A newer version may have migrated a database that was away: the
 * function then throws `database_newer`.
 */
export function openDatabaseWait(
  room: WaitingRoom,
  { pool }: Pick<Database, 'pool'>,
  { log, stop }: Pick<Process, 'log' | 'stop'>,
): <T>(read: () => Promise<T>) => Promise<T> {
  return async (read) => {
    let logged: string | undefined;
    for (;;) {
      try {
        if (logged !== undefined) await requireKnownMigrations(pool);
        const result = await read();
        if (logged !== undefined) log.info('reached the database');
        return result;
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        const url = await room.open();
        const reason = getErrorMessage(error);
        // Only when the reason changes: an outage would repeat it every second.
        if (reason !== logged) log.warn({ reason, url }, 'waiting for the database');
        logged = reason;
      }
      await delay(retryMs, undefined, { signal: stop });
    }
  };
}
