import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import { address } from '../../../test/support/read-model.ts';
import { publishChain } from './chain.ts';

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

const never = new AbortController().signal;

test('a package is read once for ever, and one of the framework, which is upgraded under its id, each minute', async () => {
  const reads: string[] = [];
  const getPackage = async ({ packageId }: { packageId: string }) => {
    reads.push(packageId);
    return { response: { package: { originalId: packageId, modules: [], typeOrigins: [], linkage: [] } } };
  };
  const client = { movePackageService: { getPackage } } as unknown as ChainClient;
  const chain = publishChain({} as NetworkPackages, client);
  const ids = [address(2), address(0x1_0000)];
  for (const passedMs of [0, 59_000, 2_000]) {
    nowMs += passedMs;
    await vi.advanceTimersByTimeAsync(passedMs);
    for (const id of ids) await chain.introspect(id, never);
  }
  expect(reads).toEqual([...ids, address(2)]);
});
