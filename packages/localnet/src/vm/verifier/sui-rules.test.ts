import type { InstructionJson } from '@adaptor-marketplace/move-bytecode';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ModuleEditor } from './testing/editor.ts';
import { refusedBySui, Subject } from './testing/subject.ts';

let subject: Subject;

beforeAll(async () => {
  subject = await Subject.open();
});

const verdict = (change: (editor: ModuleEditor) => void) => subject.verdict(change);

test('an object is a struct that begins with its id', () => {
  const named = verdict((e) => {
    e.fields('Object')[0]!.name = e.identifier('uid');
  });
  expect(named).toBe(`${refusedBySui}subject::Object has key, but its first field is not "id: UID"`);
  expect(
    verdict((e) => {
      e.json.datatype_handles[e.handle('Potato')]!.abilities = 8;
    }),
  ).toContain(refusedBySui);
  expect(
    verdict((e) => {
      e.json.datatype_handles[e.handle('E')]!.abilities = 15;
    }),
  ).toContain(refusedBySui);
});

describe('an object is made with a new id', () => {
  const status = 'an object is made with an id that is not new';
  const swap = (code: (object: number, e: ModuleEditor) => InstructionJson[]) =>
    verdict((e) => e.body('swap', code(e.struct('Object'), e), e.type('UID')));

  test('not that of another one, whatever way it goes', () => {
    expect(swap((object) => [{ MoveLoc: 0 }, { Unpack: object }, { Pack: object }, 'Ret'])).toBe(
      `${refusedBySui}subject::swap at 2: ${status}`,
    );
    const local = swap((object) => [
      { MoveLoc: 0 },
      { Unpack: object },
      'Pop',
      { StLoc: 1 },
      { MoveLoc: 1 },
      { LdU64: 1n },
      { Pack: object },
      'Ret',
    ]);
    expect(local).toContain(status);
  });

  test('straight from where it was made', () => {
    const make = (code: (object: number, e: ModuleEditor) => InstructionJson[]) =>
      verdict((e) => e.body('make', code(e.struct('Object'), e), e.type('UID')));
    const local = make((object, e) => [
      { MoveLoc: 0 },
      { Call: e.callee('new') },
      { StLoc: 1 },
      { MoveLoc: 1 },
      { LdU64: 1n },
      { Pack: object },
      'Ret',
    ]);
    expect(local).toBe('accepted');
    // One of two ways makes it with an old id, so the place where they meet cannot tell.
    const either = verdict((e) => {
      const object = e.struct('Object');
      e.json.function_handles[e.callee('swap')]!.parameters = e.signature(
        e.type('Object'),
        { MutableReference: e.type('TxContext') },
        'Bool',
      );
      e.body(
        'swap',
        [
          { MoveLoc: 0 },
          { Unpack: object },
          'Pop',
          { StLoc: 3 },
          { CopyLoc: 2 },
          { BrFalse: 11 },
          { MoveLoc: 3 },
          { Call: e.callee('delete') },
          { MoveLoc: 1 },
          { Call: e.callee('new') },
          { StLoc: 3 },
          { MoveLoc: 3 },
          { LdU64: 1n },
          { Pack: object },
          'Ret',
        ],
        e.type('UID'),
      );
    });
    expect(either).toContain(status);
  });
});

describe('private generics', () => {
  test('an event is emitted where its type is defined', () => {
    const change = verdict((e) =>
      e.body('tell', [{ MoveLoc: 0 }, { CallGeneric: e.instantiation('emit', 'U64') }, 'Ret']),
    );
    expect(change).toContain(
      `${refusedBySui}subject::tell at 1: event::emit needs a type that subject defines`,
    );
    const parameter = verdict((e) => {
      e.body('again', [
        { MoveLoc: 0 },
        { CallGeneric: e.instantiation('emit', { TypeParameter: 0 }) },
        'Ret',
      ]);
    });
    expect(parameter).toContain(refusedBySui);
  });
});

describe('init', () => {
  test('is private, takes the witness and the context, and returns nothing', () => {
    const status = `${refusedBySui}subject::init must be`;
    expect(
      verdict((e) => {
        e.fn('init').visibility = 'Public';
      }),
    ).toContain(status);
    expect(
      verdict((e) => {
        e.fn('init').is_entry = true;
      }),
    ).toContain(status);
    expect(
      verdict((e) => {
        e.json.function_handles[e.callee('init')]!.parameters = e.signature({
          MutableReference: e.type('TxContext'),
        });
      }),
    ).toContain(status);
    expect(
      verdict((e) => {
        e.json.function_handles[e.callee('init')]!.parameters = e.signature(e.type('SUBJECT'), 'U64');
      }),
    ).toContain(status);
  });

  test('is called by nobody', () => {
    const change = verdict((e) => {
      e.body('probe', ['LdTrue', { Pack: e.struct('SUBJECT') }, 'Pop', 'Ret']);
    });
    expect(change).toContain('the one-time witness SUBJECT is made');
    const called = verdict((e) => {
      e.json.function_handles[e.callee('init')]!.parameters = e.signature(e.type('SUBJECT'), {
        MutableReference: e.type('TxContext'),
      });
      e.json.function_handles[e.callee('end')]!.parameters =
        e.json.function_handles[e.callee('init')]!.parameters;
      e.body('end', [{ MoveLoc: 0 }, { MoveLoc: 1 }, { Call: e.callee('init') }, 'Ret']);
    });
    expect(called).toContain(`${refusedBySui}subject::end at 2: subject::init is called`);
  });
});

test('a one-time witness has drop and nothing else', () => {
  const able = verdict((e) => {
    e.json.datatype_handles[e.handle('SUBJECT')]!.abilities = 3;
  });
  expect(able).toContain(refusedBySui);
});
