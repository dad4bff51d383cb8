import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Database } from './client.ts';

/** How often a standby looks whether its turn has come. */
const standbyMs = 250;

/**
 * Runs `work` while this process alone holds `key`, waiting for its turn first. The lock lives and dies with
 * the connection that `work` gets and writes through: who loses the lock can no longer commit.
 */
export async function withSourceLock<T>(
  db: Database,
  key: string,
  signal: AbortSignal,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await db.pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    // Asked for again and again instead of waited for: a waiting statement would hold back vacuum.
    while (!(await tryLock(client, key))) await delay(standbyMs, undefined, { signal });
    try {
      return await work(client);
    } finally {
      if (!broken) await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]);
    }
  } catch (error) {
    // A connection of unknown state is closed, which also gives back the lock.
    broken ??= error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

async function tryLock(client: PoolClient, key: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
    [key],
  );
  return rows[0]?.locked ?? false;
}
