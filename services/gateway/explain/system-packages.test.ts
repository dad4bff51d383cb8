import type { PackageSource } from '@adaptor-marketplace/adaptor/introspect';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cacheSystemPackages } from './system-packages.ts';

type Package = Awaited<ReturnType<PackageSource['read']>>;

let nowMs: number;
beforeEach(() => {
  nowMs = 1;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function advance(ms: number): Promise<void> {
  nowMs += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

const framework = `0x${'2'.padStart(64, '0')}`;
const stranger = `0x${'9'.repeat(64)}`;

test('a package of the framework is read again after a minute, however often it is used meanwhile', async () => {
  const read = vi.fn(async () => ({}) as Package);
  const packages = cacheSystemPackages({ read });
  await packages.read(framework);
  for (let n = 0; n < 5; n++) {
    await advance(10_000);
    await packages.read(framework);
  }
  expect(read).toHaveBeenCalledTimes(1);
  await advance(11_000);
  await packages.read(framework);
  expect(read).toHaveBeenCalledTimes(2);
});

test('a failure is not cached, and another package is never', async () => {
  const read = vi.fn(async () => ({}) as Package);
  const packages = cacheSystemPackages({ read });
  read.mockRejectedValueOnce(new Error('The node is away.'));
  await expect(packages.read(framework)).rejects.toThrow('away');
  await packages.read(framework);
  await packages.read(stranger);
  await packages.read(stranger);
  expect(read).toHaveBeenCalledTimes(4);
});
