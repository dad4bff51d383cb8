import type { DelayScheduler } from '../../lib/kv/watch-outage.ts';

/** Time limits that expire when the test says so. */
export function manualTimeLimit() {
  const waiting = new Set<() => void>();
  let up = false;
  const limit: DelayScheduler = (_ms, run) => {
    if (up) setImmediate(run);
    else waiting.add(run);
    return () => void waiting.delete(run);
  };
  /** Expires all current and future time limits, or with `false` stops expiring new ones. */
  function isUp(now: boolean): void {
    up = now;
    if (!now) return;
    for (const run of waiting) run();
    waiting.clear();
  }
  return { limit, isUp };
}
