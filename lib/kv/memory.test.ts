import { expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryKv } from './memory.ts';

test('a window in memory ends after its time, although the clock of the machine is set back', async () => {
  vi.setSystemTime('2026-03-14T12:00:00Z');
  onTestFinished(() => void vi.useRealTimers());
  const kv = createMemoryKv();
  await kv.count('limit:a', 60_000);
  vi.setSystemTime('2026-03-14T11:00:00Z');
  expect((await kv.count('limit:a', 60_000)).endsInMs).toBeLessThanOrEqual(60_000);
});
