import { expect, test } from 'vitest';
import type { CheckpointListener } from '../../ledger/ledger.ts';
import type { CheckpointRecord } from '../../ledger/types.ts';
import { GrpcError, GrpcStatusCode } from '../server/status.ts';
import { CheckpointFeed } from './checkpoint-feed.ts';

/** A feed whose checkpoints the test makes, and a call that the feed can end. */
function setUp() {
  let listener: CheckpointListener | undefined;
  let reset = () => {};
  const feed = new CheckpointFeed({
    onCheckpoint: (given) => {
      listener = given;
      return () => {
        listener = undefined;
      };
    },
    onReset: (given) => {
      reset = given;
      return () => {};
    },
  });
  let sequence = 0n;
  const checkpoint = () => listener?.({ sequence: sequence++ } as CheckpointRecord, []);
  const call = () => {
    const abort = new AbortController();
    const fail = (error: GrpcError) => abort.abort(error);
    return {
      signal: abort.signal,
      metadata: {},
      fail,
      cut: () => undefined,
      refuse: () => undefined,
      connection: undefined,
    };
  };
  return { feed, checkpoint, call, reset: () => reset() };
}

test('a subscription ends when another chain begins, and a new one gets that chain', async () => {
  const { feed, checkpoint, call, reset } = setUp();
  const old = call();
  const updates = feed.subscribe(old);
  checkpoint();
  reset();
  expect(old.signal.reason).toMatchObject({ code: GrpcStatusCode.UNAVAILABLE });
  expect((await updates.next()).done).toBe(true);
  const next = feed.subscribe(call());
  checkpoint();
  expect((await next.next()).value?.checkpoint.sequence).toBe(1n);
});

test('a subscriber gets what is made between subscribing and first reading', async () => {
  const { feed, checkpoint, call } = setUp();
  const updates = feed.subscribe(call());
  checkpoint();
  checkpoint();
  expect((await updates.next()).value?.checkpoint.sequence).toBe(0n);
  expect((await updates.next()).value?.checkpoint.sequence).toBe(1n);
});

test('a subscriber that falls too far behind is dropped, and the others are not', async () => {
  const { feed, checkpoint, call } = setUp();
  const slow = call();
  const fast = call();
  feed.subscribe(slow);
  const updates = feed.subscribe(fast);
  for (let made = 0; made < 300; made++) {
    checkpoint();
    await updates.next();
  }
  expect(slow.signal.reason).toBeInstanceOf(GrpcError);
  expect(slow.signal.reason.code).toBe(GrpcStatusCode.RESOURCE_EXHAUSTED);
  expect(fast.signal.aborted).toBe(false);
});

test('a call that ended makes room for another', () => {
  const { feed, call } = setUp();
  const calls = Array.from({ length: 1024 }, call);
  for (const each of calls) feed.subscribe(each);
  expect(() => feed.subscribe(call())).toThrow(/subscriber limit of 1024 reached/);
  calls[0]!.fail(new GrpcError(GrpcStatusCode.CANCELLED, 'gone'));
  expect(() => feed.subscribe(call())).not.toThrow();
});

test('what many subscribers ask of a checkpoint is made once', async () => {
  const { feed, checkpoint, call } = setUp();
  const subscribers = Array.from({ length: 3 }, () => feed.subscribe(call()));
  checkpoint();
  let made = 0;
  for (const updates of subscribers) {
    const update = (await updates.next()).value!;
    update.once('the same', () => ++made);
    update.once('another', () => undefined);
  }
  expect(made).toBe(1);
});
