/** Milliseconds of work before other work of the process may run. */
const sliceMs = 8;

/**
 * Returns a function that lets other work of the process run every few milliseconds.
 * @throws the returned function throws the signal's reason
 */
export function createPause(signal: AbortSignal | undefined): () => Promise<void> {
  let sliceEnds = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < sliceEnds) return;
    // Browsers have no `setImmediate`.
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    sliceEnds = performance.now() + sliceMs;
  };
}
