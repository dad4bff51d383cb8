import type { Pool } from 'pg';

/** Lets one run at a time, of all processes, use the coins of the managed key on a network. */
export interface KeyTurns {
  /** Runs `work` when its turn comes, in the order of asking. */
  take<T>(network: string, agent: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Turns of this process queue up in it, and only the first of them waits for other processes at the database, so that
 * many waiting runs hold no connections.
 */
export function keyTurns(pool: Pool): KeyTurns {
  const lasts = new Map<string, Promise<unknown>>();
  return {
    async take(network, agent, work) {
      const key = `agent key ${network} ${agent}`;
      const turn = (lasts.get(key) ?? Promise.resolve()).then(() => holding(pool, key, work));
      // Whoever comes next waits for the end, however it ends.
      lasts.set(
        key,
        turn.catch(() => undefined),
      );
      return await turn;
    },
  };
}

async function holding<T>(pool: Pool, key: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key]);
  } catch (error) {
    client.release(true);
    throw error;
  }
  try {
    return await work();
  } finally {
    // Whether the lock can still be given back says nothing of the work. Closed, a connection gives it back too.
    const unlocked = await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]).then(
      () => true,
      () => false,
    );
    client.release(!unlocked);
  }
}
