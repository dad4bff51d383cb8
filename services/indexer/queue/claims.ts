import type { PoolClient } from 'pg';
import type { Database } from '../../../db/client.ts';

/**
 * Claims on jobs, so that several processes share the work: advisory locks on one connection, which end with the
 * process. If it breaks, other processes may repeat a job; outcomes are recorded so that this is harmless.
 */
export interface Claims {
  /** Resolves to `true` if the caller now has the job, and to `false` if this process or another one has it. */
  take(key: string): Promise<boolean>;
  /** Never rejects. */
  release(key: string): Promise<void>;
  /** Releases all claims. Resolves when others can take them. */
  close(): Promise<void>;
}

export function openClaims({ pool }: Pick<Database, 'pool'>): Claims {
  let opening: Promise<PoolClient> | undefined;
  /** Claims of this process, by connection. Without them, a session would take its own lock a second time. */
  const held = new Map<string, PoolClient | undefined>();

  async function open(): Promise<PoolClient> {
    const client = await pool.connect();
    client.once('error', (error) => {
      opening = undefined;
      client.release(error);
    });
    return client;
  }

  function session(): Promise<PoolClient> {
    opening ??= open().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  let last: Promise<unknown> = Promise.resolve();
  /** Runs one statement after the other: a connection takes one at a time. */
  function statement<Row extends object>(client: PoolClient, name: string, text: string, key: string) {
    const result = last.then(() => client.query<Row>({ name, text, values: [key] }));
    last = result.catch(() => undefined);
    return result;
  }

  return {
    async take(key) {
      if (held.has(key)) return false;
      held.set(key, undefined);
      let locked = false;
      try {
        const client = await session();
        const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked';
        const { rows } = await statement<{ locked: boolean }>(client, 'take-claim', text, key);
        locked = rows[0]?.locked ?? false;
        if (locked) held.set(key, client);
        return locked;
      } finally {
        if (!locked) held.delete(key);
      }
    },
    async release(key) {
      const client = held.get(key);
      held.delete(key);
      // If that connection has ended, so has the lock.
      if (client === undefined || client !== (await opening?.catch(() => undefined))) return;
      const text = 'select pg_advisory_unlock(hashtextextended($1, 0))';
      await statement(client, 'release-claim', text, key).catch(() => undefined);
    },
    async close() {
      held.clear();
      await last;
      const client = await opening?.catch(() => undefined);
      if (!client || opening === undefined) return;
      opening = undefined;
      client.removeAllListeners('error');
      client.on('error', () => undefined);
      // The server ends a closed connection, and its locks, only some time later.
      await client.query('select pg_advisory_unlock_all()').catch(() => undefined);
      client.release(true);
    },
  };
}
