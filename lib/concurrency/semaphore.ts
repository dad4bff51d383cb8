/** Bounds how much work runs at once. Other work waits in the order in which it came. */
interface Semaphore {
  /** Runs the work when a slot is free. @throws the signal's reason if it aborts before that */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  load(): { running: number; waiting: number };
}

export function createSemaphore(max: number): Semaphore {
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

  /** Passes the slot to the first waiting work. */
  function release(): void {
    const [next] = waiting;
    if (!next) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async run(work, signal) {
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
