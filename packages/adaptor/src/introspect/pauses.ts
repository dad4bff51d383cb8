import { setImmediate } from 'node:timers/promises';

/** Other work of the process gets its turn after so many milliseconds. */
const sliceMs = 8;

/** Gives other work its turn every few milliseconds, and ends when the signal aborts. */
export function pauses(signal: AbortSignal | undefined): () => Promise<void> {
  let sliceEnds = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < sliceEnds) return;
    await setImmediate();
    signal?.throwIfAborted();
    sliceEnds = performance.now() + sliceMs;
  };
}
