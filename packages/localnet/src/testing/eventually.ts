import { vi } from 'vitest';

/** Repeats `check` until it no longer throws, for as long as the slowest machine needs, and returns its result. */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 240_000, interval: 20 });
