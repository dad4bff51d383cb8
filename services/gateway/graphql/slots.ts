/** So many pieces of work at once; the others wait in the order in which they came. */
interface Slots {
  /**
   * Runs the work when a slot is free.
   * @throws the signal's reason where it aborts before that
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** How many run and how many wait. */
  load(): { running: number; waiting: number };
}

export function slots(count: number): Slots {
  const waiting = new Set<() => void>();
  let running = 0;

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < count) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      waiting.delete(resolve);
      reject(signal.reason);
    };
    waiting.add(resolve);
    signal.addEventListener('abort', abort);
    await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Hands the slot to the first that waits. */
  function leave(): void {
    const [next] = waiting;
    if (!next) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    load: () => ({ running, waiting: waiting.size }),
  };
}
