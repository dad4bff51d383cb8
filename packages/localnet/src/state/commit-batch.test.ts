import { afterEach, beforeEach, expect, test } from 'vitest';
import { Store } from './store.ts';

let store: Store;

beforeEach(() => {
  store = new Store(':memory:');
});

afterEach(() => store.close());

test('what is written in one turn is committed together, and no one is informed before', async () => {
  const told: string[] = [];
  const write = async (name: string) => {
    const kept = store.batch.join();
    store.setMetadata(name, name);
    await kept;
    told.push(name);
  };
  const writes = [write('a'), write('b')];
  expect(store.batch.join()).toBe(store.batch.kept);
  await Promise.resolve();
  expect(told).toEqual([]);
  await Promise.all(writes);
  expect(told).toEqual(['a', 'b']);
  expect(store.batch.kept).toBeUndefined();
});

test('when one write of a batch fails, all of it is lost and everyone hears so', async () => {
  let lost = 0;
  store.batch.onLost = () => {
    lost += 1;
  };
  const first = store.batch.join();
  store.atomically(() => store.setMetadata('first', 'value'));
  const second = store.batch.join();
  const failing = () =>
    store.atomically(() => {
      store.setMetadata('second', 'value');
      throw new Error('no room');
    });
  expect(failing).toThrow('no room');
  await expect(first).rejects.toThrow('no room');
  await expect(second).rejects.toThrow('no room');
  expect(lost).toBe(1);
  expect([store.metadata('first'), store.metadata('second')]).toEqual([undefined, undefined]);
  const next = store.batch.join();
  store.setMetadata('third', 'value');
  await next;
  expect(store.metadata('third')).toBe('value');
});

test('a batch can be kept at once, by who must know that it is', async () => {
  const kept = store.batch.join();
  store.setMetadata('name', 'value');
  store.batch.flush();
  expect(store.batch.kept).toBeUndefined();
  await kept;
  expect(store.metadata('name')).toBe('value');
});
