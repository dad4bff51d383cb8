import { vi } from 'vitest';

/** Longest that a condition is waited for: less than a test's own time, so that what was waited for is told. */
const patienceMs = 240_000;
const { waitFor } = vi;

/**
 * Lets every `vi.waitFor` wait as long as the slowest machine needs, whatever the call says: a condition that comes
 * is met when it comes, and one that never does fails its test all the same.
 */
vi.waitFor = (check, options) => {
  const { interval = 20 } = typeof options === 'object' ? options : {};
  return waitFor(check, { interval, timeout: patienceMs });
};
