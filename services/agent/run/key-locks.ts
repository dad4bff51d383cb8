import type { Pool } from 'pg';
import { withAdvisoryLock } from '../../../db/queries/agent/locks.ts';

/** Locks the coins of the managed key on a network, so that one run of all processes uses them at a time. */
export interface KeyLocks {
  /**
   * Runs `work` while it holds the lock. Planned callers come before unplanned ones, otherwise in the order of their
   * calls. While both wait, every fifth lock goes to an unplanned caller.
   */
  hold<T>(key: ManagedKey, work: () => Promise<T>): Promise<T>;
}

/** The managed key on a network, and the kind of the caller. */
interface ManagedKey {
  network: string;
  agent: string;
  planned: boolean;
}

/** Planned callers that get the lock in a row while an unplanned one waits. */
const plannedInRow = 4;

/**
 * Callers of this process wait in a queue in memory, and only the first of them waits for other processes at the
 * database. So waiting runs occupy no connections.
 */
export function keyLocks(db: Pool): KeyLocks {
  const queues = new Map<string, Queue>();
  return {
    async hold({ network, agent, planned }, work) {
      const key = `agent key ${network} ${agent}`;
      const queue = queues.get(key) ?? new Queue();
      queues.set(key, queue);
      await queue.enter(planned);
      try {
        return await withAdvisoryLock(db, key, work);
      } finally {
        queue.leave();
      }
    },
  };
}

/** The callers of this process that wait for one key. */
class Queue {
  readonly #planned: (() => void)[] = [];
  readonly #unplanned: (() => void)[] = [];
  #taken = false;
  /** Planned callers that got the lock since an unplanned one got it, or began to wait. */
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
