import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { deserialize, serialize } from '@mysten/move-bytecode-template';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { BytecodeError } from './error.ts';
import type { ModuleJson, TokenJson } from './module.ts';
import { parseModule } from './parse.ts';
import { ByteReader } from './reader.ts';
import { compileDemo } from './testing/demo.ts';
import { readToken } from './tokens.ts';

let modules: Uint8Array[];
let demo: Uint8Array;

beforeAll(async () => {
  demo = await compileDemo();
  const { stdlib, sui, suiSystem } = await compileFramework();
  modules = [demo, ...stdlib.values(), ...sui.values(), ...suiSystem.values()];
});

/** Parses as the compiler's own deserializer does. Undefined if it refuses the bytes or their version. */
function parseWithOracle(bytes: Uint8Array): ModuleJson | undefined {
  try {
    const module: ModuleJson = deserialize(bytes);
    return module.version < 6 ? undefined : module;
  } catch {
    return undefined;
  }
}

function parseOrRefuse(bytes: Uint8Array): ModuleJson | undefined {
  try {
    return parseModule(bytes);
  } catch (error) {
    if (error instanceof BytecodeError) return undefined;
    throw error;
  }
}

test('modules read as by the deserializer of the compiler', () => {
  expect(modules.length).toBeGreaterThan(60);
  for (const bytes of modules) expect(parseModule(bytes)).toEqual(deserialize(bytes));
});

test('changed bytes are refused exactly if that deserializer refuses them, and else read the same', () => {
  // Unbiased: small offsets are in the header, where a change is nearly always refused.
  const change = fc.noBias(fc.record({ at: fc.nat(999_999), byte: fc.nat(255) }));
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.noBias(fc.nat()),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      fc.nat(4),
      (which, changes, part) => {
        const bytes = Uint8Array.from(modules[which % modules.length]!);
        const length = part === 0 ? Math.min(80, bytes.length) : bytes.length;
        for (const { at, byte } of changes) bytes[at % length] = byte;
        const expected = parseWithOracle(bytes);
        if (expected) accepted++;
        expect(parseOrRefuse(bytes)).toEqual(expected);
      },
    ),
    { numRuns: 3_000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test('bytes that end early are refused', () => {
  for (let length = 0; length < demo.length; length++) {
    expect(() => parseModule(demo.subarray(0, length)), `${length} bytes`).toThrow(BytecodeError);
  }
});

test('a long signature is looked at once, however many instructions and functions name it', () => {
  const module: ModuleJson = deserialize(demo);
  const nested = Array.from({ length: 250 }).reduce<TokenJson>((token) => ({ Vector: token }), 'U8');
  const signature = module.signatures.push(Array(250).fill(nested)) - 1;
  const [handle] = module.function_handles;
  module.function_handles.push(
    ...Array(5_000).fill({ ...handle!, parameters: signature, return_: signature }),
  );
  const instance = module.function_instantiations.push({ handle: 0, type_parameters: signature }) - 1;
  const { code } = module.function_defs.find((definition) => definition.code)!;
  code!.code.push(...Array(60_000).fill({ CallGeneric: instance }));
  const bytes = serialize(module);
  expect(bytes.length).toBeLessThan(300_000);
  expect(parseModule(bytes).function_handles).toHaveLength(module.function_handles.length);
});

describe('a refusal has the status of the Move VM', () => {
  const refusal = (bytes: Uint8Array) => {
    try {
      parseModule(bytes);
    } catch (error) {
      return error instanceof BytecodeError ? error.status : error;
    }
    return 'accepted';
  };
  const withByte = (at: number, value: number) => Uint8Array.from(demo).fill(value, at, at + 1);
  const changed = (change: (module: ModuleJson) => void) => {
    const module: ModuleJson = deserialize(demo);
    change(module);
    return serialize(module);
  };

  test('in its header', () => {
    expect(refusal(new Uint8Array())).toBe('BAD_MAGIC');
    expect(refusal(withByte(0, 1))).toBe('BAD_MAGIC');
    for (const version of [0, 5, 8]) expect(refusal(withByte(4, version))).toBe('UNKNOWN_VERSION');
    // The flavor of another chain.
    expect(refusal(withByte(7, 6))).toBe('UNKNOWN_VERSION');
    expect(refusal(withByte(9, 99))).toBe('UNKNOWN_TABLE_TYPE');
    // Kind of the second table.
    expect(refusal(withByte(12, 1))).toBe('DUPLICATE_TABLE');
    expect(refusal(withByte(10, 1))).toBe('BAD_HEADER_TABLE');
  });

  test('for an index beyond its pool', () => {
    const cases: ((module: ModuleJson) => void)[] = [
      (module) => (module.self_module_handle_idx = 99),
      (module) => (module.module_handles[0]!.address = 99),
      (module) => (module.datatype_handles[0]!.name = 999),
      (module) => (module.function_handles[0]!.parameters = 999),
      (module) => (module.function_instantiations[0] = { handle: 999, type_parameters: 0 }),
      (module) => (module.struct_defs[0]!.struct_handle = 99),
      (module) => (module.enum_defs[0]!.variants[1]!.fields[0]!.signature = { TypeParameter: 0 }),
      (module) => (module.function_defs[0]!.code!.locals = 999),
      (module) => (module.function_defs[0]!.code!.code[0] = { Branch: 999 }),
      (module) => (module.function_defs[0]!.code!.code[0] = { CopyLoc: 99 }),
      (module) => (module.function_defs[0]!.code!.code[0] = { LdConst: 99 }),
      (module) => (module.function_defs[0]!.code!.jump_tables[0]!.jump_table.Full[0] = 999),
      (module) => (module.variant_handles[0] = { enum_def: 0, variant: 9 }),
    ];
    for (const change of cases) expect(refusal(changed(change)), String(change)).toBe('INDEX_OUT_OF_BOUNDS');
  });

  test('for a datatype with too few or too many type arguments', () => {
    const bytes = changed((module) =>
      module.signatures.push([{ DatatypeInstantiation: [0, ['U8', 'U8', 'U8']] }]),
    );
    expect(refusal(bytes)).toBe('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH');
  });

  test('for a type that is nested too deeply', () => {
    const nested = (depth: number) => new ByteReader(Uint8Array.from([...Array(depth - 1).fill(10), 2]));
    expect(readToken(nested(256))).toMatchObject({ Vector: { Vector: expect.anything() } });
    expect(() => readToken(nested(257))).toThrow('nested too deeply');
    expect(() => readToken(nested(100_000))).toThrow('nested too deeply');
  });
});
