// `p-queue` does not fit: work that need not wait costs several times as much with it, and most work need not wait.

/** Runs at most `max` pieces of work at once. The others wait in order. */
export function createSemaphore(max: number) {
  const waiting = new Set<() => void>();
  let running = 0;

  async function waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      waiting.delete(resolve);
      reject(signal?.reason);
    };
    waiting.add(resolve);
    signal?.addEventListener('abort', abort);
    await promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Passes the slot to the work that has waited longest. */
  function release(): void {
    const [next] = waiting;
    if (!next) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    /** Runs the work when a slot is free. @throws the signal's reason if it aborts before that */
    async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      if (running < max) running += 1;
      else await waitForSlot(signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
    load: () => ({ running, waiting: waiting.size }),
  };
}
