import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, Pool, PoolClient } from 'pg';

/** Interval, in milliseconds, at which a waiting process tries to take the lock. */
const tryEveryMs = 250;

/**
 * Waits for the lock `key`, and runs `work` while this process holds it. The lock ends with the connection that `work`
 * gets and writes through, so a process that loses the lock cannot commit.
 */
export async function withLock<T>(
  pool: Pool,
  key: string,
  signal: AbortSignal,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    // Polls instead of waiting in the statement, which would hold back vacuum.
    while (!(await tryLock(client, key))) await delay(tryEveryMs, undefined, { signal });
    const result = await work(client);
    // A failed unlock does not change the result: the connection is closed, which releases the lock too.
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]).catch(onError);
    return result;
  } catch (error) {
    // A connection in an unknown state is closed, which also releases the lock.
    broken ??= error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Takes the lock `key` until the end of the transaction, and waits for it. */
export async function lockUntilCommit(client: ClientBase, key: string): Promise<void> {
  await client.query({
    name: 'lock-until-commit',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [key],
  });
}

async function tryLock(client: PoolClient, key: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
    [key],
  );
  return rows[0]?.locked ?? false;
}
