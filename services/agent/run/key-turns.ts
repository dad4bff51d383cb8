import type { Pool } from 'pg';

/** Lets one run at a time, of all processes, use the coins of the managed key on a network. */
export interface KeyTurns {
  /**
   * Runs `work` when its turn comes. Planned callers come before unplanned ones, and else those come first that asked
   * first; of those that wait, every fifth turn is an unplanned one's, so that they are served too.
   */
  take<T>(key: ManagedKey, work: () => Promise<T>): Promise<T>;
}

/** Whose coins pay, and for whom. */
interface ManagedKey {
  network: string;
  agent: string;
  planned: boolean;
}

/** Planned callers that are served in a row while an unplanned one waits. */
const plannedInRow = 4;

/**
 * Turns of this process queue up in it, and only the first of them waits for other processes at the database, so that
 * many waiting runs hold no connections.
 */
export function keyTurns(pool: Pool): KeyTurns {
  const queues = new Map<string, Queue>();
  return {
    async take({ network, agent, planned }, work) {
      const key = `agent key ${network} ${agent}`;
      const queue = queues.get(key) ?? new Queue();
      queues.set(key, queue);
      await queue.enter(planned);
      try {
        return await holding(pool, key, work);
      } finally {
        queue.leave();
      }
    },
  };
}

/** Who waits for one key in this process. */
class Queue {
  readonly #planned: (() => void)[] = [];
  readonly #unplanned: (() => void)[] = [];
  #taken = false;
  /** Planned callers served since an unplanned one was, or began to wait. */
  #inRow = 0;

  async enter(planned: boolean): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    if (!planned && this.#unplanned.length === 0) this.#inRow = 0;
    await new Promise<void>((resolve) => (planned ? this.#planned : this.#unplanned).push(resolve));
  }

  leave(): void {
    const isUnplanned =
      this.#planned.length === 0 || (this.#unplanned.length > 0 && this.#inRow >= plannedInRow);
    const next = (isUnplanned ? this.#unplanned : this.#planned).shift();
    this.#inRow = isUnplanned ? 0 : this.#inRow + 1;
    this.#taken = next !== undefined;
    next?.();
  }
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
