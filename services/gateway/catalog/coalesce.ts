/**
 * Runs `work` at most once at a time. A call during a run is answered by one further run that begins after it,
 * so that every caller sees a state no older than the call.
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
    if (!running) return start();
    queued ??= running.then(start, start);
    return queued;
  };
}
