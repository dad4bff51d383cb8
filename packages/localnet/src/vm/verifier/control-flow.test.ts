import type { InstructionJson } from '@adaptor-marketplace/move-bytecode';
import { beforeAll, expect, test } from 'vitest';
import { refused, Subject } from './testing/subject.ts';

let subject: Subject;

beforeAll(async () => {
  subject = await Subject.open();
});

const verdict = (...code: InstructionJson[]) => subject.verdict((e) => e.body('probe', code));
const CONDITION = { CopyLoc: 7 };

test('there is code, and it does not run past its end', () => {
  expect(verdict()).toContain(refused('EMPTY_CODE_UNIT'));
  expect(verdict('Nop')).toContain(refused('INVALID_FALL_THROUGH'));
  expect(verdict('Ret', CONDITION, { BrTrue: 0 })).toContain(refused('INVALID_FALL_THROUGH'));
  expect(verdict({ Branch: 1 }, 'Ret')).toBe('accepted');
});

test('a loop is entered at its head alone', () => {
  // Both 2 and 4 lead to each other, and the beginning to both.
  const code = [CONDITION, { BrTrue: 4 }, CONDITION, { BrFalse: 6 }, CONDITION, { BrTrue: 2 }, 'Ret'];
  expect(verdict(...code)).toContain(refused('INVALID_LOOP_SPLIT'));
  expect(verdict(CONDITION, { BrTrue: 0 }, 'Ret')).toBe('accepted');
  expect(verdict({ Branch: 0 })).toBe('accepted');
});

/** Loops within each other, each of a head and a way back. */
function nested(depth: number): InstructionJson[] {
  const code: InstructionJson[] = Array.from({ length: depth }, () => 'Nop');
  for (let head = depth - 1; head >= 0; head -= 1) code.push(CONDITION, { BrTrue: head });
  return [...code, 'Ret'];
}

test('loops are nested at most five deep', () => {
  expect(verdict(...nested(5))).toBe('accepted');
  expect(verdict(...nested(6))).toContain(refused('LOOP_MAX_DEPTH_REACHED'));
});

test('loops beside each other are not nested', () => {
  const loop = (at: number) => [CONDITION, { BrTrue: at }];
  const code = Array.from({ length: 20 }, (_, i) => loop(i * 2)).flat();
  expect(verdict(...code, 'Ret')).toBe('accepted');
});

test('a function has at most 1,024 blocks', () => {
  const blocks = (count: number) => Array.from({ length: count - 1 }, (_, i) => ({ Branch: i + 1 }));
  expect(verdict(...blocks(1_024), 'Ret')).toBe('accepted');
  expect(verdict(...blocks(1_025), 'Ret')).toContain(refused('TOO_MANY_BASIC_BLOCKS'));
});

test('every jump table is used and has one way for each variant', () => {
  const table = (e: Parameters<Parameters<Subject['verdict']>[0]>[0]) => e.fn('which').code!.jump_tables;
  const spare = subject.verdict((e) => table(e).push(structuredClone(table(e)[0]!)));
  expect(spare).toContain(refused('INVALID_ENUM_SWITCH'));
  const short = subject.verdict((e) => table(e)[0]!.jump_table.Full.pop());
  expect(short).toContain(refused('INVALID_ENUM_SWITCH'));
});
