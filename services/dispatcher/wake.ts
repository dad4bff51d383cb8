export interface Wake {
  /** Ends the present wait, or the next one if nobody waits. */
  now(): void;
  /** Resolves when woken, after so long, or when the signal aborts. */
  next(afterMs: number): Promise<void>;
}

/** A bell that is never missed: rung while nobody waits, it ends the next wait at once. */
export function createWake(stop: AbortSignal): Wake {
  let rung = false;
  let waiting: (() => void) | undefined;
  const now = () => {
    rung = true;
    waiting?.();
  };
  stop.addEventListener('abort', now, { once: true });
  return {
    now,
    async next(afterMs) {
      if (!rung && !stop.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, afterMs);
          waiting = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      waiting = undefined;
      rung = false;
    },
  };
}
