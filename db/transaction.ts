import type { ClientBase, Pool } from 'pg';
import { abortReads } from './cancel.ts';

/** Runs `work` in a transaction of its own. */
export function inTransaction<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  return withClient(pool, (client) => transact(client, () => work(client)));
}

/**
 * Runs reads that all see the same state of the database. When the signal aborts, the running statement is cancelled,
 * and no further statement begins. Reads that still wait for a connection release it as soon as they get it.
 * @throws the signal's reason
 */
export function inSnapshot<T>(
  pool: Pool,
  read: (client: Pick<ClientBase, 'query'>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return withClient(
    pool,
    (client, reads) => transact(client, () => read(reads), 'begin isolation level repeatable read read only'),
    signal,
  );
}

async function withClient<T>(
  pool: Pool,
  work: (client: ClientBase, reads: Pick<ClientBase, 'query'>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const client = await pool.connect();
  const reads = abortReads(client, signal);
  let failure: Error | undefined;
  try {
    signal?.throwIfAborted();
    return await work(client, reads);
  } catch (error) {
    // Reads that were aborted between two statements leave the connection as it was.
    if (!signal?.aborted) failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // After a failure the state of the connection is unknown, so it is closed.
    reads.release(failure);
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
