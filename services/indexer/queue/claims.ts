import DataLoader from 'dataloader';
import type { PoolClient } from 'pg';
import type { Database } from '../../../db/client.ts';

/**
 * Claims on jobs, so that several processes share the work: advisory locks on one connection, which end with the
 * process. If it breaks, other processes may repeat a job; outcomes are recorded so that this is harmless. Calls of the
 * same turn share one statement.
 */
export interface Claims {
  /** Resolves to `true` if the caller now has the job, and to `false` if this process or another one has it. */
  take(key: string): Promise<boolean>;
  /** Never rejects. */
  release(key: string): Promise<void>;
  /** Releases all claims. Resolves when others can take them. */
  close(): Promise<void>;
}

export function openClaims({ sessions }: Pick<Database, 'sessions'>): Claims {
  let opening: Promise<PoolClient> | undefined;
  /** Claims of this process, by connection. Without them, a session would take its own lock a second time. */
  const held = new Map<string, PoolClient | undefined>();

  async function open(): Promise<PoolClient> {
    const client = await sessions.connect();
    client.once('error', (error) => {
      opening = undefined;
      client.release(error);
    });
    return client;
  }

  function getSession(): Promise<PoolClient> {
    opening ??= open().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  let lastStatement: Promise<unknown> = Promise.resolve();
  /** Runs one statement after the other: a connection takes one at a time. */
  function runStatement<Row extends object>(
    client: PoolClient,
    name: string,
    text: string,
    keys: readonly string[],
  ) {
    const result = lastStatement.then(() => client.query<Row>({ name, text, values: [keys] }));
    lastStatement = result.catch(() => undefined);
    return result;
  }

  /** Resolves to the connection that has the lock, or to `undefined` if another process has it. */
  const locks = new DataLoader<string, PoolClient | undefined>(
    async (keys) => {
      const client = await getSession();
      const text = `select pg_try_advisory_lock(hashtextextended(key, 0)) as locked
        from unnest($1::text[]) with ordinality as k (key, nth) order by nth`;
      const { rows } = await runStatement<{ locked: boolean }>(client, 'take-claims', text, keys);
      return rows.map(({ locked }) => (locked ? client : undefined));
    },
    { cache: false },
  );

  const unlocks = new DataLoader<string, true>(
    async (keys) => {
      const client = await opening?.catch(() => undefined);
      const text = 'select pg_advisory_unlock(hashtextextended(key, 0)) from unnest($1::text[]) as k (key)';
      if (client) await runStatement(client, 'release-claims', text, keys).catch(() => undefined);
      return keys.map(() => true as const);
    },
    { cache: false },
  );

  return {
    async take(key) {
      if (held.has(key)) return false;
      held.set(key, undefined);
      let client: PoolClient | undefined;
      try {
        client = await locks.load(key);
        if (client) held.set(key, client);
        return client !== undefined;
      } finally {
        if (!client) held.delete(key);
      }
    },
    async release(key) {
      const client = held.get(key);
      held.delete(key);
      // If that connection has ended, so has the lock.
      if (client !== undefined && client === (await opening?.catch(() => undefined))) await unlocks.load(key);
    },
    async close() {
      held.clear();
      await lastStatement;
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
