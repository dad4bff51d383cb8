import type { InstructionJson, TokenJson } from '@adaptor-marketplace/move-bytecode';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ModuleEditor } from './verifier/testing/editor.ts';
import { refused, Subject } from './verifier/testing/subject.ts';

let subject: Subject;
let numbers: Subject;

beforeAll(async () => {
  subject = await Subject.open();
  numbers = await Subject.open('module demo::subject; public fun add(a: u64, b: u64): u64 { a + b }');
});

/** The verdict on the bytes of the module with some of them changed. */
function verdictOn(change: (bytes: Uint8Array) => Uint8Array): string {
  return subject.verdictOf(change(subject.bytes(() => {})));
}

function withByte(at: number, value: number): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => {
    const changed = Uint8Array.from(bytes);
    changed[at] = value;
    return changed;
  };
}

describe('bytes that are not a module of a version in use', () => {
  test('are refused by what is wrong with them', () => {
    expect(verdictOn(() => new Uint8Array())).toContain(refused('BAD_MAGIC'));
    expect(verdictOn(withByte(0, 1))).toContain(refused('BAD_MAGIC'));
    expect(verdictOn((bytes) => bytes.slice(0, 200))).toContain(refused('BAD_HEADER_TABLE'));
    expect(verdictOn((bytes) => Buffer.concat([bytes, Buffer.of(0)]))).toContain(refused('TRAILING_BYTES'));
  });

  test('are of format 6 or 7', () => {
    for (const version of [0, 8, 9, 255]) {
      expect(verdictOn(withByte(4, version))).toContain(refused('UNKNOWN_VERSION'));
    }
    const written = (version: number) =>
      numbers.verdict((e) => {
        e.json.version = version;
      });
    expect(written(5)).toContain(refused('UNKNOWN_VERSION'));
    // Format 6 has no enums, and this module none.
    expect(written(6)).toBe('accepted');
  });

  test('have tables that lie within them and do not overlap', () => {
    // The third byte of each entry of the directory is where its table begins.
    expect(verdictOn(withByte(10, 255))).toContain('VMVerificationOrDeserializationError');
    expect(verdictOn(withByte(11, 127))).toContain('VMVerificationOrDeserializationError');
    expect(verdictOn(withByte(8, 40))).toContain('VMVerificationOrDeserializationError');
    expect(verdictOn(withByte(9, 99))).toContain('VMVerificationOrDeserializationError');
  });

  test('have tables no longer than the chain’s', () => {
    const long = subject.verdict((e) => {
      for (let i = 0; i < 1_000; i += 1)
        e.json.signatures.push([{ Vector: 'U8' }, ...new Array<TokenJson>(i % 50).fill('U8')]);
    });
    expect(long).toContain(refused('MALFORMED'));
    const far = subject.verdict((e) => {
      e.code('bytes')[0] = { LdConst: 9_999 };
    });
    expect(far).toContain(refused('INDEX_OUT_OF_BOUNDS'));
  });
});

describe('bytecode that is dear to verify is refused when it has cost enough', () => {
  /** Another function, whose body only the verifier will ever see. */
  function addFunction(
    e: ModuleEditor,
    parameters: TokenJson[],
    returns: TokenJson[],
    code: InstructionJson[],
    locals: TokenJson[] = [],
  ) {
    const handle = {
      module: e.json.self_module_handle_idx,
      name: e.identifier(`dear${e.json.function_defs.length}`),
      parameters: e.signature(...parameters),
      return_: e.signature(...returns),
      type_parameters: [],
    };
    const index = e.json.function_handles.push(handle) - 1;
    e.json.function_defs.push({
      function: index,
      visibility: 'Private',
      is_entry: false,
      acquires_global_resources: [],
      code: { code, locals: e.signature(...locals), jump_tables: [] },
    });
    return index;
  }

  const reference: TokenJson = { Reference: 'U64' };

  test('references that may each be made from many others, through a thousand blocks', () => {
    const verdict = subject.verdict((e) => {
      const many = new Array<TokenJson>(60).fill(reference);
      const any = addFunction(e, many, [reference], [{ CopyLoc: 0 }, 'Ret']);
      const code: InstructionJson[] = [];
      for (let local = 0; local < 120; local += 1) {
        for (let from = 0; from < 60; from += 1) code.push({ CopyLoc: from });
        code.push({ Call: any }, { StLoc: 60 + local });
      }
      const blocks = Array.from({ length: 1_000 }, (_, i) => ({ Branch: code.length + i + 1 }));
      addFunction(e, many, [], [...code, ...blocks, 'Ret'], new Array<TokenJson>(120).fill(reference));
    });
    expect(verdict).toContain(refused('PROGRAM_TOO_COMPLEX'));
  });

  test('large types, again and again, and much in one block', () => {
    let type: TokenJson = 'U8';
    for (let i = 0; i < 200; i += 1) type = { Vector: type };
    const pushes = subject.verdict((e) => {
      const code = Array.from({ length: 10_001 }, () => ['LdTrue', 'Pop']).flat();
      addFunction(e, [], [], [...code, 'Ret']);
    });
    expect(pushes).toContain(refused('VALUE_STACK_PUSH_OVERFLOW'));
    const often = subject.verdict((e) => {
      const code = Array.from({ length: 9_000 }, () => [{ CopyLoc: 0 }, 'Pop']).flat();
      for (let i = 0; i < 2; i += 1) addFunction(e, [type], [], [...code, 'Ret']);
    });
    expect(often).toContain(refused('PROGRAM_TOO_COMPLEX'));
  });
});
