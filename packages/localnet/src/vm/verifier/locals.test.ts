import type { InstructionJson } from '@adaptor-marketplace/move-bytecode';
import { beforeAll, expect, test } from 'vitest';
import { refused, Subject } from './testing/subject.ts';

let subject: Subject;

beforeAll(async () => {
  subject = await Subject.open();
});

const U64 = { LdU64: 7n };

test('a local without a value is neither moved, copied nor borrowed', () => {
  const verdict = (instruction: InstructionJson) =>
    subject.verdict((e) => e.body('probe', [instruction, 'Pop', 'Ret'], 'U64'));
  expect(verdict({ MoveLoc: 9 })).toContain(refused('MOVELOC_UNAVAILABLE_ERROR'));
  expect(verdict({ CopyLoc: 9 })).toContain(refused('COPYLOC_UNAVAILABLE_ERROR'));
  expect(verdict({ ImmBorrowLoc: 9 })).toContain(refused('BORROWLOC_UNAVAILABLE_ERROR'));
  expect(verdict({ MutBorrowLoc: 9 })).toContain(refused('BORROWLOC_UNAVAILABLE_ERROR'));
  expect(verdict({ MoveLoc: 6 })).toBe('accepted');
});

test('nor one that has a value on some ways only', () => {
  const code = [{ CopyLoc: 7 }, { BrFalse: 4 }, U64, { StLoc: 9 }, { CopyLoc: 9 }, 'Pop', 'Ret'];
  expect(subject.verdict((e) => e.body('probe', code, 'U64'))).toContain(
    refused('COPYLOC_UNAVAILABLE_ERROR'),
  );
  const both = [
    { CopyLoc: 7 },
    { BrFalse: 5 },
    U64,
    { StLoc: 9 },
    { Branch: 7 },
    U64,
    { StLoc: 9 },
    { CopyLoc: 9 },
    'Pop',
    'Ret',
  ];
  expect(subject.verdict((e) => e.body('probe', both, 'U64'))).toBe('accepted');
});

test('nor one that a loop has moved', () => {
  const code = [{ CopyLoc: 7 }, { BrFalse: 5 }, { MoveLoc: 6 }, 'Pop', { Branch: 0 }, 'Ret'];
  expect(subject.verdict((e) => e.body('probe', code))).toContain(refused('MOVELOC_UNAVAILABLE_ERROR'));
});

test('a value without drop is not overwritten', () => {
  const verdict = (...before: InstructionJson[]) =>
    subject.verdict((e) => {
      const code = [...before, U64, { Pack: e.struct('Potato') }, { StLoc: 0 }, { MoveLoc: 0 }, 'Ret'];
      e.body('keep', code, e.type('Potato'));
    });
  expect(verdict()).toContain(refused('STLOC_UNSAFE_TO_DESTROY_ERROR'));
  expect(verdict({ MoveLoc: 0 }, { StLoc: 2 })).toContain(refused('UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP'));
  const eaten = subject.verdict((e) => {
    const code = [
      { MoveLoc: 0 },
      { Call: e.callee('eat') },
      'Pop',
      U64,
      { Pack: e.struct('Potato') },
      { StLoc: 0 },
      { MoveLoc: 0 },
      'Ret',
    ];
    e.body('keep', code);
  });
  expect(eaten).toBe('accepted');
});

test('a value without drop is not left behind, on no way out', () => {
  const verdict = subject.verdict((e) => {
    const code = [
      { CopyLoc: 1 },
      { BrFalse: 4 },
      { MoveLoc: 0 },
      'Ret',
      U64,
      { Pack: e.struct('Potato') },
      'Ret',
    ];
    e.body('keep', code);
  });
  expect(verdict).toContain(refused('UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP'));
  expect(verdict).toContain('subject::keep at 6');
});

test('what an abort leaves behind is nobody’s', () => {
  expect(subject.verdict((e) => e.body('keep', [U64, 'Abort']))).toBe('accepted');
});
