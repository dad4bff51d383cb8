import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitUntilListed } from './wait-listed.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const shown = { status: 'SHOWN', reason: null, version: 2, manifestHash: 'b' };

test('a read that fails after the signature does not hide that the adaptor is listed', async () => {
  let reads = 0;
  const state = waitUntilListed(async () => {
    reads += 1;
    if (reads === 1) throw new Error('The limit is 30 requests a minute.');
    return reads === 2 ? { ...shown, version: 1, manifestHash: 'a' } : shown;
  }, 'b');
  await vi.runAllTimersAsync();
  expect(await state).toEqual({ status: 'SHOWN', reason: null, version: 2 });
});

test('waiting takes less than the requests of a minute, and ends with the last state', async () => {
  let reads = 0;
  const state = waitUntilListed(async () => {
    reads += 1;
    return { ...shown, status: 'PUBLISHER_PENDING', reason: 'It is checked.' };
  }, 'b');
  await vi.runAllTimersAsync();
  expect(await state).toMatchObject({ status: 'PUBLISHER_PENDING', reason: 'It is checked.' });
  expect(reads).toBeGreaterThan(10);
  expect(reads).toBeLessThan(20);
});
