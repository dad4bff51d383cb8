import type { Later } from '../../lib/kv/watch-outage.ts';

/** Time limits that are reached when the test says so. */
export function manualTimeLimit() {
  const waiting = new Set<() => void>();
  let up = false;
  const limit: Later = (_ms, run) => {
    if (up) setImmediate(run);
    else waiting.add(run);
    return () => void waiting.delete(run);
  };
  /** Whether the time is up, for whatever waits and will wait. */
  function isUp(now: boolean): void {
    up = now;
    if (!now) return;
    for (const run of waiting) run();
    waiting.clear();
  }
  return { limit, isUp };
}
