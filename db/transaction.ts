import type { ClientBase, Pool } from 'pg';

/** Runs `work` in a transaction of its own. */
export function inTransaction<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  return onClient(pool, (client) => transact(client, () => work(client)));
}

/**
 * Runs reads that all see the same state of the database. No statement of them begins after the signal aborted, so reads
 * that waited for a connection give it back at once.
 * @throws the signal's reason
 */
export function inSnapshot<T>(
  pool: Pool,
  read: (client: Pick<ClientBase, 'query'>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return onClient(
    pool,
    (client) => {
      const query = (...statement: Parameters<ClientBase['query']>) => {
        signal?.throwIfAborted();
        return client.query(...statement);
      };
      const reads = { query: query as ClientBase['query'] };
      return transact(client, () => read(reads), 'begin isolation level repeatable read read only');
    },
    signal,
  );
}

async function onClient<T>(
  pool: Pool,
  work: (client: ClientBase) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    signal?.throwIfAborted();
    return await work(client);
  } catch (error) {
    // Reads that were aborted leave the connection as it was.
    if (!signal?.aborted) failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // After a failure the connection's state is unknown, so it is closed.
    client.release(failure);
  }
}

/** Runs `work` between begin and commit on a connection. */
export async function transact<T>(client: ClientBase, work: () => Promise<T>, begin = 'begin'): Promise<T> {
  await client.query(begin);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
