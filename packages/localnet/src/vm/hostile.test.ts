import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { deserialize, serialize } from '@mysten/move-bytecode-template';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { BOX, BoxChain, inputs } from '../execution/testing/box.ts';
import {
  ALICE,
  call,
  input,
  nested,
  publishCommand,
  result,
  transfer,
} from '../execution/testing/commands.ts';
import type { Command } from '../execution/types.ts';

type PublishCommand = Extract<Command, { $kind: 'Publish' }>;

let boxes: BoxChain;
let honest: PublishCommand;

beforeAll(async () => {
  boxes = await BoxChain.open();
  const command = await publishCommand({ box: BOX });
  if (command.$kind !== 'Publish') throw new Error('not a publish command');
  honest = command;
});

/** The package with one module changed; undefined when the change cannot be written as bytecode. */
function changed(change: (module: ModuleJson) => void): PublishCommand | undefined {
  const module: ModuleJson = deserialize(fromBase64(honest.Publish.modules[0]!));
  change(module);
  try {
    const modules = [toBase64(serialize(module))];
    return { $kind: 'Publish', Publish: { ...honest.Publish, modules } };
  } catch {
    return undefined;
  }
}

function reasonOf(change: (module: ModuleJson) => void) {
  const reason = boxes.failureOf([changed(change)!])?.reason;
  return reason !== undefined && 'message' in reason ? `${reason.kind}: ${reason.message}` : reason?.kind;
}

function functionNamed(module: ModuleJson, name: string) {
  return module.function_defs.find(
    (definition) => module.identifiers[module.function_handles[definition.function]!.name] === name,
  )!;
}

function structNamed(module: ModuleJson, name: string) {
  return module.datatype_handles.find((handle) => module.identifiers[handle.name] === name)!;
}

function code(module: ModuleJson, name: string) {
  return functionNamed(module, name).code!.code;
}

describe('bytecode that lies is refused when it is published', () => {
  test('about the operand stack and the end of the code', () => {
    expect(reasonOf((module) => code(module, 'open').splice(-1, 1, 'Pop', 'Ret'))).toContain('Verification');
    expect(reasonOf((module) => code(module, 'hidden').unshift('Pop'))).toContain('not there');
    expect(reasonOf((module) => code(module, 'hidden').unshift('LdTrue'))).toContain('values on the stack');
    expect(reasonOf((module) => code(module, 'hidden').splice(0, 1, 'Nop'))).toContain('past its end');
  });

  test('about types: a number is not an object, a reference of one type none of another', () => {
    expect(reasonOf((module) => code(module, 'value').splice(0, 1, { LdU64: 5n }))).toContain('Verification');
    expect(reasonOf((module) => code(module, 'overflow').splice(1, 1, { LdU16: 1 }))).toContain(
      'box::overflow at 2',
    );
    expect(
      reasonOf((module) => {
        const { parameters } = module.function_handles[functionNamed(module, 'count').function]!;
        module.signatures[parameters] = ['U64'];
      }),
    ).toContain('Verification');
  });

  test('about abilities: an object is neither copied nor dropped', () => {
    expect(reasonOf((module) => code(module, 'eat').splice(0, 1, { CopyLoc: 0 }))).toContain('ability');
    expect(
      reasonOf((module) => code(module, 'eat').splice(0, 2, { MoveLoc: 0 }, 'Pop', { LdU64: 1n })),
    ).toContain('ability');
    expect(
      reasonOf((module) => {
        structNamed(module, 'Potato').abilities = 1;
        structNamed(module, 'Wrapper').abilities |= 1;
      }),
    ).toContain('lacks an ability');
  });

  test('about what it calls: signatures, visibility and functions that do not exist', () => {
    const handleOf = (module: ModuleJson, name: string) =>
      module.function_handles.find((handle) => module.identifiers[handle.name] === name)!;
    expect(
      reasonOf((module) => {
        handleOf(module, 'delete').return_ = handleOf(module, 'sender').return_;
      }),
    ).toContain('signature');
    expect(
      reasonOf((module) => {
        module.identifiers[handleOf(module, 'sender').name] = 'sendes';
      }),
    ).toContain('does not exist');
  });

  test('about objects, init and witnesses', () => {
    expect(
      reasonOf((module) => {
        structNamed(module, 'Potato').abilities = 8;
      }),
    ).toContain('first field');
    expect(
      reasonOf((module) => {
        functionNamed(module, 'init').visibility = 'Public';
      }),
    ).toContain('init must be');
    expect(
      reasonOf((module) => {
        functionNamed(module, 'hidden').code = null;
      }),
    ).toContain('native');
    expect(
      reasonOf((module) => {
        const witness = module.struct_defs.findIndex(
          (definition) =>
            module.identifiers[module.datatype_handles[definition.struct_handle]!.name] === 'BOX',
        );
        code(module, 'hidden').unshift('LdTrue', { Pack: witness }, 'Pop');
      }),
    ).toContain('one-time witness');
  });

  test('about datatypes that hold themselves, or nothing', () => {
    const fieldsOf = (module: ModuleJson, name: string) => {
      const { field_information } = module.struct_defs.find(
        ({ struct_handle }) => module.identifiers[module.datatype_handles[struct_handle]!.name] === name,
      )!;
      if (field_information === 'Native') throw new Error('native struct');
      return field_information.Declared;
    };
    expect(
      reasonOf((module) => {
        const opened = module.datatype_handles.indexOf(structNamed(module, 'Opened'));
        fieldsOf(module, 'Opened')[0]!.signature = { Vector: { Datatype: opened } };
      }),
    ).toContain('contains itself');
    expect(reasonOf((module) => fieldsOf(module, 'Potato').splice(0))).toContain('ZERO_SIZED_STRUCT');
  });

  test('about its address', () => {
    expect(
      reasonOf((module) => {
        const self = module.module_handles[module.self_module_handle_idx]!;
        module.address_identifiers[self.address] = 'f'.repeat(64);
      }),
    ).toBe('PublishErrorNonZeroAddress');
  });
});

/** Publishes the changed package; answers what its functions are called by. */
function publishChanged(change: (module: ModuleJson) => void): ((name: string) => string) | undefined {
  const command = changed(change);
  if (command === undefined) return undefined;
  const outcome = boxes.run([command, transfer([result(0)], input(0))], inputs(ALICE));
  expect(outcome.failure?.reason.kind).not.toBe('VMInvariantViolation');
  const [published] = outcome.packages;
  return published && ((name) => `${published.id}::box::${name}`);
}

describe('what would only show while code runs is refused before', () => {
  test('a value without drop may not be left behind in a local', () => {
    const reason = reasonOf((module) => code(module, 'eat').splice(0, 99, { LdU64: 1n }, 'Ret'));
    expect(reason).toContain('UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP: box::eat at 1');
  });

  test('an object is not made again with the id of another', () => {
    const reason = reasonOf((module) => {
      const box = module.struct_defs.findIndex(
        (definition) => module.identifiers[module.datatype_handles[definition.struct_handle]!.name] === 'Box',
      );
      code(module, 'freeze_box').splice(1, 0, { Unpack: box }, { Pack: box });
    });
    expect(reason).toBe(
      'SuiMoveVerificationError: box::freeze_box at 2: an object is made with an id that is not new',
    );
  });

  test('a local that was moved has no value to move or borrow', () => {
    const twice = (module: ModuleJson) =>
      code(module, 'sum').splice(0, 99, { MoveLoc: 0 }, 'Pop', { MoveLoc: 0 }, 'Pop', { LdU64: 1n }, 'Ret');
    expect(reasonOf(twice)).toContain('MOVELOC_UNAVAILABLE_ERROR: box::sum at 2');
  });
});

type Mutation = [fn: number, at: number, from: number, operand: number];

/** Puts an instruction of the module in another place, or gives one another operand where it stands. */
function mutated(mutations: Mutation[]) {
  return (module: ModuleJson) => {
    const bodies = module.function_defs.flatMap((definition) =>
      definition.code ? [definition.code.code] : [],
    );
    const all = bodies.flat();
    for (const [fn, at, from, operand] of mutations) {
      const body = bodies[fn % bodies.length]!;
      const place = at % body.length;
      const instruction = structuredClone(operand % 3 === 0 ? all[from % all.length]! : body[place]!);
      if (typeof instruction === 'object') {
        const [name] = Object.keys(instruction);
        if (typeof instruction[name!] === 'number') instruction[name!] = operand % 8;
        if (typeof instruction[name!] === 'bigint') instruction[name!] = BigInt(from) << 50n;
      }
      body[place] = instruction;
    }
  };
}

test('no change of instructions harms the process: every transaction ends with an outcome', () => {
  const pick = fc.nat({ max: 10_000 });
  const mutations = fc.array(fc.tuple(pick, pick, pick, pick), { minLength: 1, maxLength: 2 });
  let ran = 0;
  fc.assert(
    fc.property(mutations, (list) => {
      const fn = publishChanged(mutated(list));
      if (fn === undefined) return;
      ran += 1;
      const limits = { ...inputs(1n, ALICE), maxComputationUnits: 100_000n };
      const vector: Command = { $kind: 'MakeMoveVec', MakeMoveVec: { type: 'u64', elements: [input(0)] } };
      const programs: Command[][] = [
        [call(fn('new'), [input(0)]), call(fn('set'), [result(0), input(0)]), call(fn('wrap'), [result(0)])],
        [
          call(fn('new'), [input(0)]),
          call(fn('put'), [result(0), input(0), input(0)]),
          call(fn('open'), [result(0)]),
        ],
        [call(fn('potato'), [input(0)]), call(fn('eat'), [nested(0, 0)])],
        [vector, call(fn('sum'), [result(0)])],
        [call(fn('recurse'), [input(0)])],
      ];
      for (const commands of programs) {
        const { failure } = boxes.run(commands, limits);
        expect(failure?.reason.kind).not.toBe('VMInvariantViolation');
      }
    }),
    { numRuns: 300 },
  );
  expect(ran).toBeGreaterThan(30);
});

test('no change of bytes harms the process, and honest packages are still published after it', () => {
  const bytes = fromBase64(honest.Publish.modules[0]!);
  const changes = fc.array(fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 255 })), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(changes, fc.nat({ max: 3 }), (list, cut) => {
      const lying = bytes.slice(0, cut === 0 ? list[0]![0] : undefined);
      for (const [at, byte] of list) if (at < lying.length) lying[at] = byte;
      const command: Command = {
        $kind: 'Publish',
        Publish: { ...honest.Publish, modules: [toBase64(lying)] },
      };
      const { failure } = boxes.run([command], { maxComputationUnits: 200_000n });
      expect(failure?.reason.kind).not.toBe('VMInvariantViolation');
    }),
    { numRuns: 300 },
  );
  expect(boxes.run([honest, transfer([result(0)], input(0))], inputs(ALICE)).failure).toBeUndefined();
});
