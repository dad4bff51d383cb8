import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { parse } from 'graphql';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { createCheckpointWaits } from '../live/watch.ts';
import { useBounds } from './bounds.ts';
import type { GraphShare } from './share.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a query that waits for checkpoints until its time is up ends with a timeout', async () => {
  let indexed = 1;
  const bounds = { waitingMax: { all: 100, caller: 20 }, waitMsMax: 10_000 };
  const waits = createCheckpointWaits({ ...bounds, reached: () => indexed });
  const slots = createSemaphore(1);
  const execute = vi.fn(() => ({ data: {} }));
  const share = {
    live: {},
    run: (query: (db: unknown) => Promise<unknown>, signal: AbortSignal) =>
      slots.run(() => query({}), signal),
  } as unknown as GraphShare;
  const plugin = useBounds({
    share,
    watch: { waitFor: waits.wait },
    identifyCaller: () => undefined,
    createContext: () => ({ choose: () => 'testnet', requireSource: () => undefined }) as never,
  });
  let run: ((args: ExecutionArgs) => Promise<ExecutionResult>) | undefined;
  const setExecuteFn = (bounded: typeof run) => {
    run = bounded;
  };
  void plugin.onExecute!({ executeFn: execute, setExecuteFn } as never);

  const document = parse(
    '{ first: _meta(atLeastCheckpoint: 2) { chain } second: _meta(atLeastCheckpoint: 3) { chain } }',
  );
  const res = { once: () => undefined, off: () => undefined };
  const ended = run!({ document, contextValue: { exchange: { res } } } as never).catch((error) => error);
  await vi.advanceTimersByTimeAsync(9_000);
  indexed = 2;
  waits.check();
  await vi.advanceTimersByTimeAsync(9_000);
  expect((await ended).originalError).toMatchObject({ code: 'timeout', status: 504 });
  expect(execute).not.toHaveBeenCalled();
});
