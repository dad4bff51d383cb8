import { vi } from 'vitest';

/** Longest that a condition is waited for: less than a test's own time, so that what was waited for is told. */
const patienceMs = 240_000;
const { waitFor } = vi;

/**
 * Stands for `vi.waitFor` and waits as long as the slowest machine needs, whatever the call says: a condition that
 * comes is met when it comes, and one that never does fails its test all the same.
 */
const waitPatiently: typeof waitFor = (check, options) => {
  const { interval = 20 } = typeof options === 'object' ? options : {};
  return waitFor(check, { interval, timeout: patienceMs });
};

// Once for each worker, which may run many files.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
