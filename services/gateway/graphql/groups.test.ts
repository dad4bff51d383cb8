import { setImmediate } from 'node:timers/promises';
import { parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { isBefore } from '../../../db/queries/registry-events.ts';
import { findOperation } from '../../../graphql/operations.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Feed, LogItem, Reader } from '../live/feed.ts';
import { type Logged, openGroups } from './groups.ts';

test('the error of a group ends the streams of all its members, and is logged once', async () => {
  let reader: Reader<LogItem> | undefined;
  const feed = {
    tail: async () => [0, 0, 0],
    join: (_log: unknown, _network: unknown, _position: unknown, joined: Reader<LogItem>) => {
      reader = joined;
      return true;
    },
    leave: () => undefined,
  } as unknown as Feed;
  const error = vi.fn();
  const log = { ...silentLogger, error } as unknown as typeof silentLogger;
  const groups = openGroups({
    feed,
    db: {} as never,
    createContext: () => ({}) as never,
    write: String,
    log,
  });
  const failure = new Error('broken');
  const logged = {
    log: { name: 'registry' },
    network: 'testnet',
    matches: () => {
      throw failure;
    },
  } as unknown as Logged;
  const operation = findOperation(parse('subscription { eventAdded { cursor } }'));
  const { signal } = new AbortController();
  const reading = [0, 1].map(() =>
    groups
      .read(operation, {}, logged, [0, 0, 0], signal)
      .next()
      .catch((reason: unknown) => reason),
  );
  await eventually(() => expect(reader).toBeDefined());
  reader!.receive([{ position: [1, 0, 0] }]);
  for (const ended of await Promise.all(reading)) expect(ended).toBeInstanceOf(Error);
  expect(error.mock.calls).toEqual([[{ err: failure }, expect.any(String)]]);
});

test('a member that ends late does not split the members that came since', async () => {
  const readers = new Set<Reader<LogItem>>();
  const feed = {
    tail: async () => [0, 0, 0],
    join: (_log: unknown, _network: unknown, _position: unknown, reader: Reader<LogItem>) =>
      Boolean(readers.add(reader)),
    leave: (_log: unknown, _network: unknown, reader: Reader<LogItem>) => readers.delete(reader),
  } as unknown as Feed;
  const write = vi.fn(() => '{}');
  const groups = openGroups({
    feed,
    db: {} as never,
    createContext: () => ({}) as never,
    write,
    log: silentLogger,
  });
  const logged = {
    log: { name: 'registry', format: String },
    network: 'testnet',
    matches: () => true,
    toValue: (event: LogItem) => ({ event }),
  } as unknown as Logged;
  const operation = findOperation(parse('subscription { eventAdded { cursor } }'));
  const open = (stop = new AbortController()) => ({
    values: groups.read(operation, {}, logged, [0, 0, 0], stop.signal),
    stop,
  });
  const add = async (checkpoint: number) => {
    await setImmediate();
    for (const reader of readers) reader.receive([{ position: [checkpoint, 0, 0] }]);
  };

  const late = open();
  const first = late.values.next();
  await add(1);
  await first;
  late.stop.abort();
  const second = open().values.next();
  await setImmediate();
  await late.values.return(undefined);
  const third = open().values.next();
  write.mockClear();
  await add(2);
  await Promise.all([second, third]);
  expect(write).toHaveBeenCalledTimes(1);
});

test('a reader behind events that the database lost waits for them, and gets each once when they are read again', async () => {
  const position = (checkpoint: number): LogItem['position'] => [checkpoint, 0, 0];
  let stored: LogItem[] = [];
  let reads = 0;
  const feed = {
    tail: async () => position(7),
    join: (_log: unknown, _network: unknown, at: LogItem['position']) => at[0] === 7,
    leave: () => undefined,
  } as unknown as Feed;
  const groups = openGroups({
    feed,
    db: {} as never,
    createContext: () => ({}) as never,
    write: () => '{}',
    log: silentLogger,
  });
  const logged = {
    log: {
      name: 'registry',
      endsWithItem: true,
      format: String,
      read: async (_db: unknown, _network: unknown, after: LogItem['position']) => {
        // The first two reads come before the indexer has read the chain again.
        reads += 1;
        if (reads === 3) stored = [5, 6, 7].map((one) => ({ position: position(one) }));
        return stored.filter((one) => isBefore(after, one.position));
      },
    },
    network: 'testnet',
    matches: () => true,
    toValue: (event: LogItem) => ({ event }),
  } as unknown as Logged;
  const operation = findOperation(parse('subscription { eventAdded { cursor } }'));
  const stop = new AbortController();
  const frames: string[] = [];
  for await (const { frame } of groups.read(operation, {}, logged, position(4), stop.signal)) {
    frames.push(String(frame));
    if (frames.length === 3) stop.abort();
  }
  expect(frames.map((frame) => /^id: (.*)$/m.exec(frame)?.[1])).toEqual(['5,0,0', '6,0,0', '7,0,0']);
  expect(reads).toBeGreaterThanOrEqual(3);
});
