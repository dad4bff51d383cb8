/** Runs `work` at most once at a time. A call during a run shares that run. */
export function createSingleFlight<T>(work: () => Promise<T>) {
  let running: Promise<T> | undefined;
  return {
    /** Joins the run in progress, or begins one. */
    run(): Promise<T> {
      running ??= work().finally(() => {
        running = undefined;
      });
      return running;
    },
    /** Resolves when no run is in progress. Never rejects. */
    async idle(): Promise<void> {
      await running?.catch(() => undefined);
    },
  };
}

/**
 * Returns a function that runs `work` at most once at a time. Calls during a run share the one after it, so no caller
 * gets a state from before its call.
 */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let queued: Promise<T> | undefined;
  function start(): Promise<T> {
    queued = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  }
  return () => {
    // A queued run begins a moment after the one before it has ended: a call in between joins it.
    if (queued) return queued;
    if (!running) return start();
    queued = running.then(start, start);
    return queued;
  };
}
