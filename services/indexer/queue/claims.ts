import type { PoolClient } from 'pg';
import type { Database } from '../../../db/client.ts';

/**
 * Claims on jobs, so that several processes share the work: each is an advisory lock on one connection of this
 * process, and ends with the process, whatever ends it. Where the connection breaks the claims are free for others,
 * who may then do once more what this process still does: outcomes are recorded so that this is harmless.
 */
export interface Claims {
  /** Whether the job is the caller's now; false where this process or another has it. */
  take(key: string): Promise<boolean>;
  /** Never rejects. */
  give(key: string): Promise<void>;
  /** Gives back all that is left. */
  close(): Promise<void>;
}

export function openClaims({ pool }: Pick<Database, 'pool'>): Claims {
  let opening: Promise<PoolClient> | undefined;
  /** What this process has, and on which connection: a session would take its own lock twice. */
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
  /** One statement after the other: a connection takes no second one meanwhile. */
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
    async give(key) {
      const client = held.get(key);
      held.delete(key);
      // With the connection that it was on, the lock has gone.
      if (client === undefined || client !== (await opening?.catch(() => undefined))) return;
      const text = 'select pg_advisory_unlock(hashtextextended($1, 0))';
      await statement(client, 'give-claim', text, key).catch(() => undefined);
    },
    async close() {
      held.clear();
      await last;
      const client = await opening?.catch(() => undefined);
      if (!client || opening === undefined) return;
      opening = undefined;
      // Closed, not handed back: the pool would keep its locks.
      client.removeAllListeners('error');
      client.on('error', () => undefined);
      client.release(true);
    },
  };
}
