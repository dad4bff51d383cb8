import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { deserialize, serialize } from '@mysten/move-bytecode-template';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { operandPools } from '../bounds.ts';
import { BytecodeError } from '../error.ts';
import { type InstructionJson, instructionParts, type ModuleJson } from '../module.ts';
import { compileDemo, demoSource } from '../testing/demo.ts';
import { compareModules } from './module.ts';
import { padCode, type Random, renameLocals, shufflePools } from './testing/rearrange.ts';

let demo: Uint8Array;
let modules: Uint8Array[];

beforeAll(async () => {
  demo = await compileDemo();
  const { stdlib, sui } = await compileFramework();
  modules = [demo, ...stdlib.values(), ...sui.values()];
});

const seeded = (seed: number): Random => {
  let state = seed | 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
const judge = (onChain: Uint8Array, built: Uint8Array) => compareModules(onChain, built).verdict;
/** The module as the chain publishes it: with the package's id in place of zero as its own address. */
const publish = (bytes: Uint8Array, id: string) =>
  change(bytes, (module) => {
    module.address_identifiers[module.module_handles[module.self_module_handle_idx]!.address] = id;
  });
const change = (bytes: Uint8Array, edit: (module: ModuleJson) => void): Uint8Array => {
  const module: ModuleJson = deserialize(bytes);
  edit(module);
  return serialize(module);
};

describe('equal code is found equal', () => {
  test('byte by byte, at the address that the chain gave it', () => {
    const onChain = publish(demo, 'ab'.repeat(32));
    expect(compareModules(onChain, demo)).toEqual({
      module: 'demo',
      verdict: 'exact',
      differences: [],
      differenceCount: 0,
    });
    expect(judge(onChain, publish(demo, '07'.repeat(32)))).toBe('exact');
  });

  test('in other pools, with other locals, jumps and forms of numbers', () => {
    const arrangements = [shufflePools, renameLocals, padCode];
    fc.assert(
      fc.property(
        fc.noBias(fc.nat()),
        fc.nat(),
        fc.subarray(arrangements, { minLength: 1 }),
        (which, seed, steps) => {
          const bytes = modules[which % modules.length]!;
          const random = seeded(seed);
          const arranged = steps.reduce(
            (module, step) => step(module, random),
            deserialize(bytes) as ModuleJson,
          );
          const { verdict, differences } = compareModules(bytes, serialize(arranged));
          expect(differences).toEqual([]);
          expect(verdict).not.toBe('differs');
        },
      ),
      { numRuns: 400 },
    );
  });

  test('but for places of constants in abort codes, which are other numbers', async () => {
    const first = await compileDemo(`module demo::demo;
public fun f() { abort 0x8000000100010000 }
public fun one(): vector<u8> { b"one" }
public fun two(): vector<u8> { b"two" }
`);
    const moved = change(first, (module) => {
      module.constant_pool.reverse();
      for (const { code } of module.function_defs) {
        code!.code = code!.code.map((instruction) => {
          const [name, operand] = instructionParts(instruction);
          if (name === 'LdU64') return { LdU64: 0x8000000100000001n };
          return name === 'LdConst' ? { LdConst: 1 - (operand as number) } : instruction;
        });
      }
    });
    expect(judge(first, moved)).toBe('same_but_error_lines');
  });

  test('but for lines of the source in abort codes, which have a verdict of their own', async () => {
    const lower = await compileDemo(demoSource.replace('\nconst ELimit', '\n// A comment.\n\nconst ELimit'));
    expect(judge(demo, lower)).toBe('same_but_error_lines');
    const renamed = await compileDemo(demoSource.replaceAll('EEmpty', 'ENone'));
    expect(compareModules(demo, renamed)).toMatchObject({
      verdict: 'differs',
      differences: [{ declaration: 'function total' }],
    });
  });
});

describe('each single change is found', () => {
  test('in the operand of an instruction', () => {
    let changed = 0;
    for (const bytes of modules) {
      const module: ModuleJson = deserialize(bytes);
      for (const [at, { code }] of module.function_defs.entries()) {
        for (const offset of (code?.code ?? []).keys()) {
          // Each module has thousands of instructions; one in 29 is enough of the framework.
          if (bytes !== demo && (at + offset) % 29 !== 0) continue;
          const edited = changeOperand(module, at, offset);
          if (!edited) continue;
          changed++;
          expect(isFound(bytes, edited), `${at} ${offset}`).toBe(true);
        }
      }
    }
    expect(changed).toBeGreaterThan(200);
  });

  test('in the order of two instructions', () => {
    const { function_defs: functions }: ModuleJson = deserialize(demo);
    for (const [at, { code }] of functions.entries()) {
      for (let offset = 1; offset < (code?.code.length ?? 0); offset++) {
        const [one, other] = [code!.code[offset - 1]!, code!.code[offset]!];
        if (isJump(one) || isJump(other) || describeStep(one) === describeStep(other)) continue;
        const swapped = change(demo, (module) => {
          const list = module.function_defs[at]!.code!.code;
          [list[offset - 1], list[offset]] = [other, one];
        });
        expect(judge(demo, swapped), `${at} ${offset}`).toBe('differs');
      }
    }
  });

  const changes: Record<string, (module: ModuleJson) => void> = {
    'struct Receipt': (module) => void struct(module, 'Receipt').fields.pop(),
    'struct Receipt ': (module) => void struct(module, 'Receipt').fields.reverse(),
    'struct Pair': (module) => (struct(module, 'Pair').handle.abilities = 0),
    'struct Pair ': (module) => (struct(module, 'Pair').handle.type_parameters[0]!.constraints = 0),
    'struct Pair  ': (module) => (struct(module, 'Pair').handle.type_parameters[1]!.is_phantom = false),
    'enum Shape': (module) => void module.enum_defs[0]!.variants[1]!.fields.reverse(),
    'enum Shape ': (module) => void module.enum_defs[0]!.variants[2]!.fields.pop(),
    'function pair': (module) => (definition(module, 'pair').is_entry = false),
    'function pair ': (module) => (definition(module, 'pair').visibility = 'Public'),
    'function pair  ': (module) => (handle(module, 'pair').type_parameters = [0]),
    'function words': (module) => (handle(module, 'words').return_ = handle(module, 'measure').return_),
    'function forever': (module) =>
      (handle(module, 'forever').parameters = handle(module, 'measure').parameters),
    'function all': (module) => {
      module.function_defs = module.function_defs.filter((one) => one !== definition(module, 'all'));
    },
    module: (module) => void module.friend_decls.push({ address: 0, name: 0 }),
    'module ': (module) => void module.metadata.push({ key: [1], value: [2] }),
  };
  test.each(Object.entries(changes))('in a declaration: %s, %s', (name, edit) => {
    const { verdict, differences } = compareModules(demo, change(demo, edit));
    expect(verdict).toBe('differs');
    expect(differences.map(({ declaration }) => declaration)).toContain(name.trim());
  });

  test('in one number of the source, and the report names its function and both instructions', async () => {
    const other = await compileDemo(demoSource.replace('at = at + 1', 'at = at + 2'));
    expect(compareModules(demo, other).differences).toEqual([
      {
        declaration: 'function total',
        onChain: expect.stringMatching(/^instruction \d+, LdU64 1$/),
        built: expect.stringMatching(/^instruction \d+, LdU64 2$/),
      },
    ]);
  });
});

test('an address in a constant is compared by value: it is not the own address', async () => {
  const own = 'cd'.repeat(32);
  const text = (address: string) => `module demo::demo;\npublic fun owner(): address { ${address} }\n`;
  const onChain = publish(await compileDemo(text(`@0x${own}`)), own);
  expect(judge(onChain, await compileDemo(text('@demo')))).toBe('differs');
  expect(judge(onChain, await compileDemo(text(`@0x${own}`)))).toBe('exact');
});

describe('hostile bytecode', () => {
  test('over the limits of the chain is refused', () => {
    const long = change(demo, (module) => void module.identifiers.push('a'.repeat(129)));
    expect(() => compareModules(demo, long)).toThrow(BytecodeError);
    expect(() => compareModules(demo, new Uint8Array(128 * 1024 + 1))).toThrow('at most 131072');
    const twice = change(demo, (module) => void module.function_defs.push(module.function_defs[0]!));
    expect(() => compareModules(demo, twice)).toThrow('declared twice');
    const foreign = change(demo, (module) => {
      handle(module, 'words').module =
        module.module_handles.push({ address: 0, name: module.identifiers.push('other') - 1 }) - 1;
    });
    expect(() => compareModules(demo, foreign)).toThrow('words is declared in another module');
  });

  test('with circles of jumps, code without an end, and large types is compared', () => {
    const withCode = (name: string, code: InstructionJson[]) =>
      change(demo, (module) => {
        definition(module, name).code!.code = code;
      });
    const circle = withCode('forever', [{ Branch: 2 }, 'Nop', { Branch: 1 }]);
    expect(judge(demo, circle)).toBe('same_code');
    expect(judge(circle, withCode('forever', ['Ret']))).toBe('differs');
    expect(judge(circle, withCode('forever', ['Nop']))).toBe('differs');
    const jumps = Array.from({ length: 20_000 }, (_, at) => ({ BrTrue: (at * 7_919) % 20_000 }));
    expect(judge(withCode('forever', jumps), withCode('forever', [...jumps.slice(1), 'Ret']))).toBe(
      'differs',
    );
    const large = change(demo, (module) => {
      const name = module.identifiers.push('a'.repeat(128)) - 1;
      module.datatype_handles.push({ module: 0, name, abilities: 0, type_parameters: [] });
      const type = { Datatype: module.datatype_handles.length - 1 };
      // An instance of 255 types of 200 characters for each of 6,000 calls.
      const types = module.signatures.push(Array(255).fill(type)) - 1;
      const call = (handle: number) =>
        module.function_instantiations.push({ handle, type_parameters: types }) - 1;
      definition(module, 'forever').code!.code = Array.from({ length: 6_000 }, () => ({
        CallGeneric: call(0),
      }));
    });
    expect(
      judge(
        large,
        change(large, (module) => void module.address_identifiers.push('1'.repeat(64))),
      ),
    ).toBe('same_code');
  });

  test('with changed bytes is compared or refused, and only equal code is found equal', () => {
    const edit = fc.noBias(fc.record({ at: fc.nat(999_999), byte: fc.nat(255) }));
    fc.assert(
      fc.property(fc.noBias(fc.nat()), fc.array(edit, { minLength: 1, maxLength: 3 }), (which, edits) => {
        const bytes = modules[which % modules.length]!;
        const edited = Uint8Array.from(bytes);
        for (const { at, byte } of edits) edited[at % edited.length] = byte;
        try {
          compareModules(bytes, edited);
        } catch (error) {
          if (!(error instanceof BytecodeError)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function definition(module: ModuleJson, name: string) {
  return module.function_defs.find((one) => module.function_handles[one.function] === handle(module, name))!;
}

function handle(module: ModuleJson, name: string) {
  return module.function_handles.find(
    (one) => one.module === module.self_module_handle_idx && module.identifiers[one.name] === name,
  )!;
}

function struct(module: ModuleJson, name: string) {
  const found = module.struct_defs.find(
    (one) => module.identifiers[module.datatype_handles[one.struct_handle]!.name] === name,
  )!;
  const { field_information: fields, struct_handle } = found;
  if (fields === 'Native') throw new Error(`${name} is native.`);
  return { fields: fields.Declared, handle: module.datatype_handles[struct_handle]! };
}

const isJump = (instruction: InstructionJson) =>
  /^(Br|Nop|VariantSwitch)/.test(instructionParts(instruction)[0]);
const describeStep = (instruction: InstructionJson) =>
  JSON.stringify(instruction, (_, value) => (typeof value === 'bigint' ? String(value) : value));

/** Returns true if a change has a verdict of its own, or makes bytes that are not a module. */
function isFound(bytes: Uint8Array, edited: Uint8Array): boolean {
  try {
    return !/^(exact|same_code)$/.test(judge(bytes, edited));
  } catch (error) {
    if (error instanceof BytecodeError) return true;
    throw error;
  }
}

/** The module with another operand in one instruction. Undefined if the instruction has none, or it has the same meaning. */
function changeOperand(module: ModuleJson, at: number, offset: number): Uint8Array | undefined {
  const edited = structuredClone(module);
  const { code } = edited.function_defs[at]!.code!;
  const [name, operand] = instructionParts(code[offset]!);
  const replace = (value: unknown) => {
    code[offset] = { [name]: value };
    return serialize(edited);
  };
  if (typeof operand === 'bigint') return replace(operand ^ 1n);
  if (/^Ld(U8|U16|U32)$/.test(name)) return replace((operand as number) ^ 1);
  if (/^Br/.test(name)) {
    const target = ((operand as number) + 1) % code.length;
    return follow(code, target) === follow(code, operand as number) || isUnreached(code, offset)
      ? undefined
      : replace(target);
  }
  if (/Loc$/.test(name)) {
    const { parameters } = edited.function_handles[edited.function_defs[at]!.function]!;
    const locals =
      edited.signatures[parameters]!.length +
      edited.signatures[edited.function_defs[at]!.code!.locals]!.length;
    const other = ((operand as number) + 1) % locals;
    const uses = code.filter(
      (one) => /Loc$/.test(instructionParts(one)[0]) && instructionParts(one)[1] === operand,
    );
    // A local that is used once has no name that matters.
    return other === operand || uses.length < 2 ? undefined : replace(other);
  }
  const pool = operandPools[name];
  if (pool === undefined) return undefined;
  const [index, count] = Array.isArray(operand) ? operand : [operand as number];
  const other = (index + 1) % (edited[pool] as unknown[]).length;
  if (other === index) return undefined;
  return replace(count === undefined ? other : [other, count]);
}

function follow(code: readonly InstructionJson[], start: number): number {
  let at = start;
  for (let steps = 0; steps < code.length; steps++) {
    const [name, operand] = instructionParts(code[at] ?? 'Ret');
    if (name === 'Nop') at++;
    else if (name === 'Branch') at = operand as number;
    else return at;
  }
  return -1;
}

/** True for a jump that stands behind another one and that no jump leads to. */
function isUnreached(code: readonly InstructionJson[], offset: number): boolean {
  return offset > 0 && /^(Branch|Ret|Abort)$/.test(instructionParts(code[offset - 1]!)[0]);
}
