import { setImmediate } from 'node:timers/promises';
import { parse } from 'graphql';
import { expect, test, vi } from 'vitest';
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
