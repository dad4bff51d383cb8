import { setTimeout as wait } from 'node:timers/promises';

/** Less than the time limit of a test, so that the test fails with the condition that it waited for. */
const patienceMs = 240_000;

/** Growth of the time between two checks: what has taken long takes a little longer, and checks cost what they wait for. */
const growth = 1.25;
const intervalMsMax = 250;

/**
 * Repeats `check` until it no longer throws, and returns its result. It waits as long as the slowest machine needs. If
 * the condition never holds, the test fails with the last error of `check`.
 * @param intervalMs time between the first two checks. It grows.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { intervalMs = 20 } = {},
): Promise<Result> {
  const startedMs = performance.now();
  for (
    let pauseMs = intervalMs;
    ;
    pauseMs = Math.min(pauseMs * growth, Math.max(intervalMs, intervalMsMax))
  ) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() - startedMs > patienceMs) throw error;
    }
    await wait(pauseMs);
  }
}
