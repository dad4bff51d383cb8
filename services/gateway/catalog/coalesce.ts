/**
 * Runs `work` at most once at a time. A call during a run is answered by one further run that begins after it,
 * so that every caller sees a state no older than the call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  function start(): Promise<void> {
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
