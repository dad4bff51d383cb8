import { expect, test } from 'vitest';
import { createGroupLimit, FairPicker, type QueueCandidate, Slots } from './slots.ts';

interface Job extends QueueCandidate {
  name: string;
}

const job = (name: string, groups: string[], precedence = 0): Job => ({ name, groups, precedence });
const any = () => true;

function order(turns: FairPicker, waiting: Job[]): string[] {
  const taken: string[] = [];
  for (let next = turns.take(waiting, any); next; next = turns.take(waiting, any)) taken.push(next.name);
  return taken;
}

test('however many jobs one publisher or one host brings, they delay another by one', () => {
  const turns = new FairPicker();
  const flood = Array.from({ length: 100 }, (_, n) => job(`flood ${n}`, ['p', `host ${n}`]));
  const names = Array.from({ length: 100 }, (_, n) => job(`name ${n}`, [`publisher ${n}`, 'h']));
  turns.take([...flood], any);
  turns.take([...names], any);
  expect(order(turns, [...flood, ...names, job('honest', ['q', 'i'])])[0]).toBe('honest');
});

test('what has precedence goes first, though its group had the last turn', () => {
  const turns = new FairPicker();
  const waiting = [job('junk', ['p'], 1), job('one', ['q']), job('two', ['q'])];
  expect(order(turns, waiting)).toEqual(['one', 'two', 'junk']);
});

test('what does not fit is left, and waits for its turn', () => {
  const turns = new FairPicker();
  const waiting = [job('one', ['p']), job('two', ['q'])];
  expect(turns.take(waiting, ({ name }) => name !== 'one')?.name).toBe('two');
  expect(waiting.map(({ name }) => name)).toEqual(['one']);
  expect(turns.take(waiting, () => false)).toBeUndefined();
});

test('a group has no more slots than its bound, counted over all slots that share it', () => {
  const hosts = createGroupLimit(2);
  const [fast, slow] = [
    new Slots(4, [createGroupLimit(3), hosts]),
    new Slots(1, [createGroupLimit(3), hosts]),
  ];
  const free = () => undefined;
  const first = fast.take(['p', 'h'], free);
  expect(first.moveTo(slow)).toBe(true);
  const second = fast.take(['p', 'h'], free);
  expect([fast.fits(['q', 'h']), slow.isFull, second.moveTo(slow)]).toEqual([false, true, false]);
  expect(fast.fits(['q', 'i'])).toBe(true);
  first.free();
  first.free();
  expect([fast.fits(['q', 'h']), second.moveTo(slow)]).toEqual([true, true]);
  second.free();
  expect([hosts.inUse.size, slow.isFull]).toEqual([0, false]);
});

test('a slot that moves or ends is reported, so that others begin', () => {
  let freed = 0;
  const [fast, slow] = [new Slots(1), new Slots(1)];
  const slot = fast.take([], () => freed++);
  slot.moveTo(slow);
  expect([freed, fast.isFull]).toEqual([1, false]);
  slot.free();
  expect([freed, slow.isFull]).toEqual([2, false]);
});

test('a job knows whether others wait for its slots, also once it has moved or ended', () => {
  const [fast, slow] = [new Slots(1), new Slots(1)];
  const slot = fast.take([], () => undefined);
  fast.isContended = true;
  expect(slot.isContended).toBe(true);
  slot.moveTo(slow);
  expect(slot.isContended).toBe(false);
  slow.isContended = true;
  slot.free();
  expect(slot.isContended).toBe(true);
});
