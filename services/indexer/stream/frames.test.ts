import { expect, test } from 'vitest';
import { type Frame, FrameQueue, QueueOverflowError } from './frames.ts';

const withTransaction = (checkpoint: bigint): Frame => ({
  transaction: { checkpoint, signatures: [], balanceChanges: [] },
});

test('a subscription that outruns the database ends instead of filling the memory', async () => {
  const queue = new FrameQueue(2, 2);
  for (const checkpoint of [1n, 2n, 3n, 4n]) queue.push(withTransaction(checkpoint));
  await expect(queue.take()).rejects.toThrow(QueueOverflowError);
});

test('a quiet filter never fills the queue: of mere progress only the latest is kept', async () => {
  const queue = new FrameQueue(2, 2);
  for (let covered = 0; covered < 1_000; covered++) queue.push({ covered });
  expect(await queue.take()).toEqual([{ covered: 999 }]);
});

test('what came before a failure is still handed out, and then the failure', async () => {
  const queue = new FrameQueue(2, 10);
  queue.push(withTransaction(1n));
  queue.end(new Error('aborted'));
  queue.push(withTransaction(2n));
  expect(await queue.take()).toEqual([withTransaction(1n)]);
  await expect(queue.take()).rejects.toThrow('aborted');
});

test('a reader of history waits while frames wait, and goes on once they are taken', async () => {
  const queue = new FrameQueue(1, 10);
  for (const checkpoint of [1n, 2n]) queue.push(withTransaction(checkpoint));
  let ready = false;
  const waiting = queue.ready().then(() => {
    ready = true;
  });
  await Promise.resolve();
  expect(ready).toBe(false);
  await queue.take();
  await waiting;
  queue.end();
  expect(await queue.take()).toBeUndefined();
});

test('merged progress has the last cursor and the last covered checkpoint', async () => {
  const queue = new FrameQueue(2, 2);
  const cursor = Uint8Array.of(1);
  queue.push({ cursor, covered: 4 });
  queue.push({ covered: 9 });
  expect(await queue.take()).toEqual([{ cursor, covered: 9 }]);
});
