import { expect, test } from 'vitest';
import type { CheckpointListener } from '../ledger/ledger.ts';
import type { CheckpointRecord, TransactionRecord } from '../ledger/types.ts';
import { Activity } from './activity.ts';
import { renderActivity } from './live-view.ts';

const transaction = (digest: string, ...types: string[]) =>
  ({
    digest,
    signatures: [new Uint8Array(97)],
    timestampMs: 0,
    events: types.map((type) => ({ type, sender: `0x${'a'.repeat(64)}` })),
  }) as unknown as TransactionRecord;

function setUp() {
  const listeners: CheckpointListener[] = [];
  let nowMs = 0;
  const ledger = {
    highestCheckpoint: 4n,
    onCheckpoint: (given: CheckpointListener) => {
      listeners.push(given);
      return () => listeners.splice(0);
    },
  };
  const activity = new Activity(ledger, () => nowMs);
  let sequence = 4n;
  const checkpoint = (...transactions: TransactionRecord[]) => {
    for (const each of listeners) each({ sequence: ++sequence } as CheckpointRecord, transactions);
  };
  return { activity, checkpoint, wait: (ms: number) => (nowMs += ms) };
}

test("what people did is counted, the clock's own transactions are not", () => {
  const { activity, checkpoint } = setUp();
  const prologue = { ...transaction('p'), signatures: [] };
  checkpoint(prologue, transaction('a'), transaction('b'));
  checkpoint(prologue);
  expect(activity.checkpoint).toBe(6n);
  expect(activity.transactions).toBe(2);
});

test('the rate is of the last ten seconds and falls to nothing when nothing happens', () => {
  const { activity, checkpoint, wait } = setUp();
  wait(20_000);
  checkpoint(...Array.from({ length: 50 }, (_, index) => transaction(String(index))));
  expect(activity.rate).toBe(5);
  wait(10_001);
  expect(activity.rate).toBe(0);
});

test('the newest events are shown by module and name, the older ones make room', () => {
  const { activity, checkpoint } = setUp();
  checkpoint(transaction('old'.padEnd(44, '1'), ...Array.from({ length: 20 }, () => '0x1::m::Old')));
  checkpoint(transaction('new'.padEnd(44, '1'), `0x${'b'.repeat(64)}::registry::Registered<0x2::sui::SUI>`));
  const lines = renderActivity(activity);
  expect(lines.at(-1)).toContain('registry::Registered');
  expect(lines.at(-1)).not.toContain('SUI');
  expect(lines.filter((line) => line.includes('m::Old'))).toHaveLength(7);
});
