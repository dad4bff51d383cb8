import { expect, test } from 'vitest';
import { createCheckpointWaits } from './watch.ts';

const never = new AbortController().signal;

function createWaits(waitingMax: { all: number; caller: number }, waitMsMax: number) {
  let at: number | undefined;
  const waits = createCheckpointWaits({ reached: () => at, waitingMax, waitMsMax });
  return {
    wait: (checkpoint: number, signal: AbortSignal, caller = 'a caller') =>
      waits.wait({ network: 'testnet', checkpoint }, caller, signal),
    count: waits.count,
    index(checkpoint: number): void {
      at = checkpoint;
      waits.check();
    },
  };
}

test('a request goes on when its checkpoint is indexed, and not before', async () => {
  const { wait, index, count } = createWaits({ all: 10, caller: 10 }, 60_000);
  const done: number[] = [];
  const all = [3, 5].map(async (checkpoint) => {
    await wait(checkpoint, never);
    done.push(checkpoint);
  });
  index(2);
  expect([done, count()]).toEqual([[], 2]);
  index(4);
  await all[0];
  expect([done, count()]).toEqual([[3], 1]);
  index(5);
  await all[1];
  expect(count()).toBe(0);
  await wait(5, never);
});

test('nobody waits longer than the bound', async () => {
  const { wait, count } = createWaits({ all: 10, caller: 10 }, 1);
  await expect(wait(1, never)).rejects.toMatchObject({ code: 'checkpoint_not_reached' });
  expect(count()).toBe(0);
});

test('a caller whose share waits is refused, and leaves the rest to others', async () => {
  const { wait, index } = createWaits({ all: 3, caller: 2 }, 60_000);
  const all = [wait(1, never), wait(1, never)];
  const ofCaller = { status: 429, code: 'too_many_waiting', headers: { 'retry-after': '2' } };
  await expect(wait(1, never)).rejects.toMatchObject(ofCaller);
  all.push(wait(1, never, 'another caller'));
  await expect(wait(1, never, 'a third caller')).rejects.toMatchObject({ ...ofCaller, status: 503 });
  index(1);
  await Promise.all(all);
  await wait(1, never);
});

test('one more than may wait is refused, until one has left', async () => {
  const { wait, index } = createWaits({ all: 2, caller: 2 }, 60_000);
  const leaving = new AbortController();
  const all = [wait(1, never), wait(1, leaving.signal)];
  await expect(wait(1, never)).rejects.toMatchObject({ code: 'too_many_waiting' });
  leaving.abort();
  await all[1];
  const third = wait(1, never);
  index(1);
  await Promise.all([all[0], third]);
});
