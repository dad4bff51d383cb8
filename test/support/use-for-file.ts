import { beforeAll } from 'vitest';

/**
 * Opens something before the tests of the file, or of the suite, and closes it after them. The returned object has its
 * properties once hooks and tests run.
 */
export function useForFile<T extends { close(): unknown }>(open: () => Promise<T>): T {
  const shared = {} as T;
  beforeAll(async () => {
    Object.assign(shared, await open());
    return async () => void (await shared.close());
  });
  return shared;
}
