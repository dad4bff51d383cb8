import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

const never = new AbortController().signal;

test('so many run at once, and the others in the order in which they came', async () => {
  const { run, load } = createSemaphore(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const all = gates.map((gate, n) =>
    run(() => {
      begun.push(n);
      return gate.promise;
    }, never),
  );
  await Promise.resolve();
  expect([begun, load()]).toEqual([[0, 1], { running: 2, waiting: 3 }]);
  gates[1]!.resolve(1);
  expect(await all[1]).toBe(1);
  gates[0]!.reject(new Error('failed'));
  await expect(all[0]).rejects.toThrow('failed');
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  for (const [n, gate] of gates.entries()) gate.resolve(n);
  expect(await Promise.all(all.slice(1))).toEqual([1, 2, 3, 4]);
  expect(load()).toEqual({ running: 0, waiting: 0 });
});

test('who gives up waiting leaves the line, and never runs', async () => {
  const { run, load } = createSemaphore(1);
  const gate = Promise.withResolvers<void>();
  const first = run(() => gate.promise, never);
  const leaving = new AbortController();
  let ran = false;
  const second = run(async () => {
    ran = true;
  }, leaving.signal);
  await Promise.resolve();
  leaving.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  expect(load()).toEqual({ running: 1, waiting: 0 });
  gate.resolve();
  await first;
  expect([ran, load()]).toEqual([false, { running: 0, waiting: 0 }]);
  await expect(run(async () => undefined, leaving.signal)).rejects.toThrow('gone');
});
