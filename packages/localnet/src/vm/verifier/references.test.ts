import type { InstructionJson, TokenJson } from '@adaptor-marketplace/move-bytecode';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ModuleEditor } from './testing/editor.ts';
import { refused, Subject } from './testing/subject.ts';

let subject: Subject;

beforeAll(async () => {
  subject = await Subject.open();
});

/** Parameters of `probe` by name, and locals behind them. */
const L = {
  s: 0,
  r: 1,
  v: 2,
  i: 3,
  e: 4,
  w: 5,
  n: 6,
  b: 7,
  p: 8,
  m: 9,
  f: 10,
  rr: 11,
  s2: 12,
  em: 13,
  fs: 14,
};

function locals(editor: ModuleEditor): TokenJson[] {
  const s = editor.type('S');
  return [
    { MutableReference: 'U64' },
    { Reference: 'U64' },
    { MutableReference: s },
    s,
    { MutableReference: editor.type('E') },
    { Reference: s },
  ];
}

type Code = (editor: ModuleEditor) => InstructionJson[];

/** The verdict on `probe` with another body. */
function probe(code: Code): string {
  return subject.verdict((editor) => editor.body('probe', [...code(editor), 'Ret'], ...locals(editor)));
}

const move = (local: number) => ({ MoveLoc: local });
const copy = (local: number) => ({ CopyLoc: local });
const store = (local: number) => ({ StLoc: local });
const mut = (local: number) => ({ MutBorrowLoc: local });
const imm = (local: number) => ({ ImmBorrowLoc: local });
const number = { LdU64: 7n };

/** A mutable reference to field `field` of the struct behind the reference on the stack. */
const a = (editor: ModuleEditor) => ({ MutBorrowField: editor.field('S', 0) });
const b = (editor: ModuleEditor) => ({ MutBorrowField: editor.field('S', 1) });
const immA = (editor: ModuleEditor) => ({ ImmBorrowField: editor.field('S', 0) });
const s = (editor: ModuleEditor) => [editor.struct('S')] as const;

describe('a local that is borrowed', () => {
  test('is not moved', () => {
    const status = refused('MOVELOC_EXISTS_BORROW_ERROR');
    expect(probe(() => [imm(L.s), store(L.fs), move(L.s), 'Pop'])).toContain(status);
    expect(probe((e) => [mut(L.s), a(e), store(L.m), move(L.s), 'Pop'])).toContain(status);
    expect(probe(() => [imm(L.s), store(L.fs), move(L.fs), 'Pop', move(L.s), 'Pop'])).toBe('accepted');
  });

  test('is not overwritten', () => {
    const code: Code = (e) => [imm(L.s), store(L.fs), number, number, { Pack: s(e)[0] }, store(L.s)];
    expect(probe(code)).toContain(refused('STLOC_UNSAFE_TO_DESTROY_ERROR'));
    expect(probe((e) => [number, number, { Pack: s(e)[0] }, store(L.s)])).toBe('accepted');
  });

  test('is not copied while it can be changed through a reference', () => {
    expect(probe((e) => [mut(L.s), a(e), store(L.m), copy(L.s), 'Pop'])).toContain(
      refused('COPYLOC_EXISTS_BORROW_ERROR'),
    );
    expect(probe(() => [imm(L.s), store(L.fs), copy(L.s), 'Pop'])).toBe('accepted');
  });

  test('is not borrowed to read while it can be changed', () => {
    expect(probe((e) => [mut(L.s), a(e), store(L.m), imm(L.s), 'Pop'])).toContain(
      refused('BORROWLOC_EXISTS_BORROW_ERROR'),
    );
    expect(probe(() => [imm(L.s), imm(L.s), 'Pop', 'Pop'])).toBe('accepted');
  });
});

describe('fields', () => {
  test('are borrowed apart from each other', () => {
    expect(probe((e) => [copy(L.r), a(e), move(L.r), b(e), { Call: e.callee('both') }])).toBe('accepted');
    const twice: Code = (e) => [copy(L.r), a(e), store(L.m), copy(L.r), a(e)];
    expect(probe((e) => [...twice(e), 'Pop'])).toBe('accepted');
    expect(probe((e) => [...twice(e), 'ReadRef', 'Pop'])).toContain(
      refused('READREF_EXISTS_MUTABLE_BORROW_ERROR'),
    );
  });

  test('are not read while they can be changed', () => {
    const code: Code = (e) => [copy(L.r), a(e), store(L.m), copy(L.r), 'FreezeRef', immA(e), 'Pop'];
    expect(probe(code)).toContain(refused('FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR'));
    const field: Code = (e) => [copy(L.r), a(e), store(L.m), copy(L.r), immA(e), 'Pop'];
    expect(probe(field)).toContain(refused('FIELD_EXISTS_MUTABLE_BORROW_ERROR'));
    const other: Code = (e) => [copy(L.r), b(e), store(L.m), copy(L.r), immA(e), 'Pop'];
    expect(probe(other)).toBe('accepted');
  });

  test('are not borrowed for change while all of the struct may be borrowed', () => {
    // What `pick` returns may be any part of what it was given.
    const code: Code = (e) => [
      copy(L.r),
      mut(L.s),
      { Call: e.callee('pick') },
      store(L.m),
      copy(L.r),
      a(e),
      'Pop',
    ];
    expect(probe(code)).toContain(refused('FIELD_EXISTS_MUTABLE_BORROW_ERROR'));
  });
});

describe('reading and writing through a reference', () => {
  test('waits until nobody can change what is read', () => {
    const code: Code = (e) => [copy(L.r), a(e), store(L.m), copy(L.r), 'ReadRef', 'Pop'];
    expect(probe(code)).toContain(refused('READREF_EXISTS_MUTABLE_BORROW_ERROR'));
    const compared: Code = (e) => [copy(L.r), a(e), store(L.m), copy(L.r), mut(L.s), 'Eq', 'Pop'];
    expect(probe(compared)).toContain(refused('READREF_EXISTS_MUTABLE_BORROW_ERROR'));
    expect(probe((e) => [copy(L.r), a(e), 'ReadRef', 'Pop', copy(L.r), 'ReadRef', 'Pop'])).toBe('accepted');
  });

  test('waits until nobody looks at what is written', () => {
    const code: Code = (e) => [
      copy(L.r),
      a(e),
      store(L.m),
      number,
      number,
      { Pack: s(e)[0] },
      copy(L.r),
      'WriteRef',
    ];
    expect(probe(code)).toContain(refused('WRITEREF_EXISTS_BORROW_ERROR'));
    const done: Code = (e) => [
      copy(L.r),
      a(e),
      store(L.m),
      number,
      move(L.m),
      'WriteRef',
      number,
      number,
      { Pack: s(e)[0] },
      copy(L.r),
      'WriteRef',
    ];
    expect(probe(done)).toBe('accepted');
  });

  test('keeps frozen what was frozen', () => {
    const code: Code = (e) => [
      copy(L.r),
      'FreezeRef',
      store(L.fs),
      number,
      number,
      { Pack: s(e)[0] },
      copy(L.r),
      'WriteRef',
    ];
    expect(probe(code)).toContain(refused('WRITEREF_EXISTS_BORROW_ERROR'));
  });
});

describe('vectors', () => {
  const elements = (e: ModuleEditor) => e.signature('U64');

  test('are not changed while an element is borrowed', () => {
    const push: Code = (e) => [
      copy(L.w),
      { LdU64: 0n },
      { VecMutBorrow: elements(e) },
      store(L.m),
      copy(L.w),
      number,
      { VecPushBack: elements(e) },
    ];
    expect(probe(push)).toContain(refused('VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR'));
    const pop: Code = (e) => [
      copy(L.w),
      'FreezeRef',
      { LdU64: 0n },
      { VecImmBorrow: elements(e) },
      store(L.f),
      copy(L.w),
      { VecPopBack: elements(e) },
      'Pop',
    ];
    expect(probe(pop)).toContain(refused('VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR'));
    const swap: Code = (e) => [
      copy(L.w),
      { LdU64: 0n },
      { VecMutBorrow: elements(e) },
      store(L.m),
      copy(L.w),
      { LdU64: 0n },
      { LdU64: 1n },
      { VecSwap: elements(e) },
    ];
    expect(probe(swap)).toContain(refused('VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR'));
    const free: Code = (e) => [
      copy(L.w),
      { LdU64: 0n },
      { VecMutBorrow: elements(e) },
      'ReadRef',
      'Pop',
      copy(L.w),
      number,
      { VecPushBack: elements(e) },
    ];
    expect(probe(free)).toBe('accepted');
  });

  test('give out one mutable reference at a time', () => {
    const code: Code = (e) => [
      copy(L.w),
      { LdU64: 0n },
      { VecMutBorrow: elements(e) },
      copy(L.w),
      { LdU64: 1n },
      { VecMutBorrow: elements(e) },
      { Call: e.callee('both') },
    ];
    expect(probe(code)).toContain(refused('VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR'));
  });

  test('report their length to anyone who has a reference', () => {
    expect(probe((e) => [imm(L.v), { VecLen: elements(e) }, 'Pop'])).toBe('accepted');
  });
});

describe('variants', () => {
  test('give out all their fields at once, and nothing beside them', () => {
    const fields: Code = (e) => [
      mut(L.e),
      { UnpackVariantMutRef: e.variant('E', 0) },
      { Call: e.callee('both') },
    ];
    expect(probe(fields)).toBe('accepted');
    const twice: Code = (e) => [
      mut(L.e),
      store(L.em),
      copy(L.em),
      { UnpackVariantMutRef: e.variant('E', 1) },
      store(L.m),
      copy(L.em),
      { UnpackVariantMutRef: e.variant('E', 1) },
      move(L.m),
      { Call: e.callee('both') },
    ];
    expect(probe(twice)).toContain(refused('CALL_BORROWED_MUTABLE_REFERENCE_ERROR'));
    const read: Code = (e) => [
      mut(L.e),
      store(L.em),
      copy(L.em),
      { UnpackVariantMutRef: e.variant('E', 1) },
      store(L.m),
      copy(L.em),
      'FreezeRef',
      { UnpackVariantImmRef: e.variant('E', 1) },
      'Pop',
    ];
    expect(probe(read)).toContain(refused('FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR'));
  });
});

describe('calls', () => {
  test('take mutable references that are the only ones', () => {
    const alias: Code = (e) => [copy(L.r), copy(L.r), { Call: e.callee('pick') }, 'Pop'];
    expect(probe(alias)).toContain(refused('CALL_BORROWED_MUTABLE_REFERENCE_ERROR'));
    const field: Code = (e) => [
      copy(L.r),
      a(e),
      store(L.m),
      copy(L.r),
      mut(L.s),
      { Call: e.callee('pick') },
      'Pop',
    ];
    expect(probe(field)).toContain(refused('CALL_BORROWED_MUTABLE_REFERENCE_ERROR'));
    expect(probe((e) => [copy(L.r), mut(L.s), { Call: e.callee('pick') }, 'Pop'])).toBe('accepted');
  });

  test('may give back any part of their arguments', () => {
    const written: Code = (e) => [
      copy(L.r),
      'FreezeRef',
      { Call: e.callee('peek') },
      store(L.f),
      number,
      copy(L.r),
      a(e),
      'WriteRef',
    ];
    expect(probe(written)).toContain(refused('FIELD_EXISTS_MUTABLE_BORROW_ERROR'));
    const moved: Code = (e) => [imm(L.s), { Call: e.callee('peek') }, store(L.f), move(L.s), 'Pop'];
    expect(probe(moved)).toContain(refused('MOVELOC_EXISTS_BORROW_ERROR'));
  });
});

describe('what is returned', () => {
  const returns = (name: string, code: Code) => subject.verdict((e) => e.body(name, code(e)));

  test('is not a reference to a local', () => {
    const status = refused('UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED');
    expect(returns('give_mut', (e) => [mut(0), a(e), 'Ret'])).toContain(status);
    expect(returns('give_imm', (e) => [imm(0), { Call: e.callee('peek') }, 'Ret'])).toContain(status);
    expect(returns('give_imm', (e) => [move(1), { Call: e.callee('peek') }, 'Ret'])).toBe('accepted');
  });

  test('is not a mutable reference beside another one', () => {
    const twice: Code = (e) => [copy(1), a(e), store(2), copy(2), move(2), 'Ret'];
    const verdict = subject.verdict((e) => e.body('give_two', twice(e), { MutableReference: 'U64' }));
    expect(verdict).toContain(refused('RET_BORROWED_MUTABLE_REFERENCE_ERROR'));
    expect(returns('give_two', (e) => [copy(1), a(e), move(1), b(e), 'Ret'])).toBe('accepted');
  });
});

describe('where ways meet', () => {
  test('a local is borrowed if it is on one of them', () => {
    const code: Code = () => [
      mut(L.s2),
      store(L.rr),
      copy(L.b),
      { BrFalse: 6 },
      mut(L.s),
      store(L.rr),
      move(L.s),
      'Pop',
      move(L.rr),
      'Pop',
    ];
    const filled: Code = (e) => [number, number, { Pack: s(e)[0] }, store(L.s2), ...shifted(code(e), 4)];
    expect(probe(filled)).toContain(refused('MOVELOC_EXISTS_BORROW_ERROR'));
  });

  test('a loop is judged by what it leaves behind', () => {
    const elements = (e: ModuleEditor) => e.signature('U64');
    const loop = (before: Code, inside: Code): Code => {
      return (e) => {
        const [head, body] = [before(e), inside(e)];
        const end = head.length + body.length + 3;
        return [...head, copy(L.b), { BrFalse: end }, ...body, { Branch: head.length }];
      };
    };
    const element: Code = (e) => [copy(L.w), { LdU64: 0n }, { VecMutBorrow: elements(e) }, store(L.m)];
    const grow: Code = (e) => [copy(L.w), number, { VecPushBack: elements(e) }];
    // The second time around, an element is still borrowed if it was before the first time.
    expect(probe(loop(element, (e) => [...grow(e), ...element(e)]))).toContain(
      refused('VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR'),
    );
    // If not, no code can use the reference that the local may hold, and it does not count.
    expect(
      probe(
        loop(
          () => [],
          (e) => [...grow(e), ...element(e)],
        ),
      ),
    ).toBe('accepted');
    const read: Code = (e) => [
      ...loop(element, (each) => [copy(L.r), b(each), store(L.m)])(e),
      copy(L.r),
      'ReadRef',
      'Pop',
    ];
    expect(probe(read)).toContain(refused('READREF_EXISTS_MUTABLE_BORROW_ERROR'));
  });
});

function shifted(code: InstructionJson[], by: number): InstructionJson[] {
  return code.map((each) =>
    typeof each === 'object' && 'BrFalse' in each ? { BrFalse: Number(each.BrFalse) + by } : each,
  );
}
