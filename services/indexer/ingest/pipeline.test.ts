import { expect, test } from 'vitest';
import type { ChainEvent, EventData } from '../sources/source.ts';
import { Batcher } from './pipeline.ts';

const event = (checkpoint: number) => ({ checkpoint, data: null }) as ChainEvent<EventData>;
const progress = (covered: number) => ({ covered, cursor: undefined, provider: 'node', live: false });

test('events go to the writer at once, all that have come while it was busy', async () => {
  const batcher = new Batcher(10, 60_000);
  const first = batcher.take();
  batcher.add([event(1)], progress(0));
  expect((await first)?.events).toHaveLength(1);
  batcher.add([event(2)], progress(1));
  batcher.add([event(3)], progress(2));
  expect(await batcher.take()).toMatchObject({ events: [event(2), event(3)], covered: 2 });
});

test('mere progress waits for its time, and then moves the cursor', async () => {
  const batcher = new Batcher(10, 5);
  batcher.add([], progress(7));
  expect(await batcher.take()).toMatchObject({ events: [], covered: 7 });
});

test('progress that completes the checkpoint of an event goes to the writer at once', async () => {
  const batcher = new Batcher(10, 60_000);
  batcher.add([event(5)], progress(4));
  await batcher.take();
  batcher.add([], progress(5));
  expect(await batcher.take()).toMatchObject({ events: [], covered: 5 });
});

test('the decoder stops at a full batch until the writer takes it', async () => {
  const batcher = new Batcher(2, 60_000);
  batcher.add([event(1), event(2)], progress(0));
  let room = false;
  const waiting = batcher.waitForRoom().then(() => {
    room = true;
  });
  await Promise.resolve();
  expect(room).toBe(false);
  await batcher.take();
  await waiting;
});

test('the end of history is reported once, and no later frame takes it back', async () => {
  const batcher = new Batcher(10, 5);
  batcher.add([], { ...progress(1), live: true });
  batcher.add([event(2)], progress(1));
  expect(await batcher.take()).toMatchObject({ live: true });
  batcher.add([], { ...progress(2), live: true });
  expect(await batcher.take()).toMatchObject({ live: false });
});

test('what was decoded before a failure is stored, and then the failure ends the writer', async () => {
  const batcher = new Batcher(10, 60_000);
  batcher.add([event(1)], progress(0));
  batcher.end(new Error('aborted'));
  expect((await batcher.take())?.events).toHaveLength(1);
  await expect(batcher.take()).rejects.toThrow('aborted');
});
