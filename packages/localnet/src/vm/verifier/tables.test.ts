import type { TokenJson } from '@adaptor-marketplace/move-bytecode';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ModuleEditor } from './testing/editor.ts';
import { refused, Subject } from './testing/subject.ts';

let subject: Subject;

beforeAll(async () => {
  subject = await Subject.open();
});

const verdict = (change: (editor: ModuleEditor) => void) => subject.verdict(change);

function vectors(depth: number): TokenJson {
  let token: TokenJson = 'U8';
  for (let i = 0; i < depth; i += 1) token = { Vector: token };
  return token;
}

/** Another function of the module, that does nothing. */
function addFunction(e: ModuleEditor, name: string, typeParameters: number[] = []): number {
  const handle = {
    module: e.json.self_module_handle_idx,
    name: e.identifier(name),
    parameters: e.signature(),
    return_: e.signature(),
    type_parameters: typeParameters,
  };
  const index = e.json.function_handles.push(handle) - 1;
  e.json.function_defs.push({
    function: index,
    visibility: 'Private',
    is_entry: false,
    acquires_global_resources: [],
    code: { locals: e.signature(), code: ['Ret'], jump_tables: [] },
  });
  return index;
}

function addStruct(e: ModuleEditor, name: string, fields: [string, TokenJson][], abilities = 0): void {
  const handle = {
    module: e.json.self_module_handle_idx,
    name: e.identifier(name),
    abilities,
    type_parameters: [],
  };
  e.json.struct_defs.push({
    struct_handle: e.json.datatype_handles.push(handle) - 1,
    field_information: {
      Declared: fields.map(([field, signature]) => ({ name: e.identifier(field), signature })),
    },
  });
}

describe('sizes are bounded', () => {
  test('of signatures', () => {
    expect(verdict((e) => addFunction(e, 'f', new Array(33).fill(0)))).toContain(
      refused('TOO_MANY_TYPE_PARAMETERS'),
    );
    expect(verdict((e) => addFunction(e, 'f', new Array(32).fill(0)))).toBe('accepted');
    const many = verdict((e) => {
      e.json.function_handles[addFunction(e, 'f')]!.parameters = e.signature(...new Array(129).fill('U8'));
    });
    expect(many).toContain(refused('TOO_MANY_PARAMETERS'));
  });

  test('of types', () => {
    const wide = (nodes: number): TokenJson => {
      return nodes === 1 ? 'U8' : { Vector: wide(nodes - 1) };
    };
    expect(verdict((e) => e.signature(wide(100)))).toBe('accepted');
    const heavy = (e: ModuleEditor): TokenJson => {
      const tree = (depth: number): TokenJson =>
        depth === 0
          ? 'U8'
          : { DatatypeInstantiation: [e.handle('Generic'), [tree(depth - 1), tree(depth - 1)]] };
      return tree(7);
    };
    expect(verdict((e) => e.signature(heavy(e)))).toContain(refused('TOO_MANY_TYPE_NODES'));
  });

  test('of the type arguments in one function', () => {
    // 60 nodes, 200 times.
    const code = (e: ModuleEditor) => {
      const signature = e.signature(vectors(59));
      return Array.from({ length: 200 }, () => [{ VecPack: [signature, 0] }, 'Pop']).flat();
    };
    expect(verdict((e) => e.body('probe', [...code(e), 'Ret']))).toContain(refused('TOO_MANY_TYPE_NODES'));
    expect(verdict((e) => e.body('probe', [...code(e).slice(0, 200), 'Ret']))).toBe('accepted');
  });

  test('of names', () => {
    expect(verdict((e) => e.identifier('x'.repeat(129)))).toContain(refused('IDENTIFIER_TOO_LONG'));
    expect(verdict((e) => e.identifier('x'.repeat(128)))).toBe('accepted');
    expect(verdict((e) => e.identifier('<SELF>'))).toContain(refused('INVALID_IDENTIFIER'));
  });

  test('of definitions', () => {
    const fields = (count: number) =>
      Array.from({ length: count }, (_, i): [string, TokenJson] => [`f${i}`, 'U8']);
    expect(verdict((e) => addStruct(e, 'Wide', fields(33)))).toContain(
      refused('MAX_FIELD_DEFINITIONS_REACHED'),
    );
    expect(verdict((e) => addStruct(e, 'Wide', fields(32)))).toBe('accepted');
    const variants = (e: ModuleEditor, count: number) => {
      const { variants: list } = e.json.enum_defs[0]!;
      while (list.length < count) list.push({ variant_name: e.identifier(`V${list.length}`), fields: [] });
      const table = e.fn('which').code!.jump_tables[0]!.jump_table.Full;
      while (table.length < count) table.push(table[0]!);
    };
    expect(verdict((e) => variants(e, 127))).toBe('accepted');
    // The deserializer knows this bound itself.
    const wide = subject.verdict((e) => {
      e.json.enum_defs[0]!.variants[2]!.fields = fields(30).map(([name, signature]) => ({
        name: e.identifier(name),
        signature,
      }));
    });
    expect(wide).toContain(refused('MAX_FIELD_DEFINITIONS_REACHED'));
    expect(
      verdict((e) => {
        for (let i = 0; i < 200; i += 1) addStruct(e, `S${i}`, fields(1));
      }),
    ).toContain(refused('MALFORMED'));
  });
});

describe('nothing is there twice', () => {
  test('in a table', () => {
    const twice = refused('DUPLICATE_ELEMENT');
    expect(verdict((e) => e.json.signatures.push(e.json.signatures[0]!))).toContain(twice);
    expect(verdict((e) => e.json.constant_pool.push(e.json.constant_pool[0]!))).toContain(twice);
    expect(verdict((e) => e.json.module_handles.push(e.json.module_handles[0]!))).toContain(twice);
    expect(verdict((e) => e.json.function_handles.push(e.json.function_handles.at(-1)!))).toContain(twice);
    expect(verdict((e) => e.json.datatype_handles.push(e.json.datatype_handles.at(-1)!))).toContain(twice);
    expect(verdict((e) => e.json.function_instantiations.push(e.json.function_instantiations[0]!))).toContain(
      twice,
    );
    expect(
      verdict((e) => e.json.struct_def_instantiations.push(e.json.struct_def_instantiations[0]!)),
    ).toContain(twice);
    expect(verdict((e) => e.json.field_handles.push(e.json.field_handles[0]!))).toContain(twice);
    expect(verdict((e) => e.json.address_identifiers.push(e.json.address_identifiers[1]!))).toContain(twice);
  });

  test('among definitions', () => {
    const twice = refused('DUPLICATE_ELEMENT');
    expect(verdict((e) => e.json.function_defs.push(e.json.function_defs[0]!))).toContain(twice);
    expect(verdict((e) => e.json.struct_defs.push(e.json.struct_defs[0]!))).toContain(twice);
    expect(
      verdict((e) => {
        e.fields('S')[1]!.name = e.fields('S')[0]!.name;
      }),
    ).toContain(twice);
    expect(
      verdict((e) => {
        const { variants } = e.json.enum_defs[0]!;
        variants[1]!.variant_name = variants[0]!.variant_name;
      }),
    ).toContain(twice);
  });
});

describe('definitions are complete and a module’s own', () => {
  test('a struct has fields, an enum has variants', () => {
    expect(verdict((e) => e.fields('Potato').splice(0))).toContain(refused('ZERO_SIZED_STRUCT'));
  });

  test('what a module names of its own it defines', () => {
    expect(verdict((e) => e.json.function_defs.splice(-1, 1))).toContain(refused('UNIMPLEMENTED_HANDLE'));
    const foreign = verdict((e) => {
      const other = e.json.module_handles.findIndex((_, i) => i !== e.json.self_module_handle_idx);
      e.json.function_handles[e.callee('bounded')]!.module = other;
    });
    expect(foreign).toContain(refused('INVALID_MODULE_HANDLE'));
  });
});

describe('types are well-formed', () => {
  test('a reference stands alone', () => {
    const status = refused('INVALID_SIGNATURE_TOKEN');
    expect(verdict((e) => e.signature({ Vector: { Reference: 'U8' } }))).toContain(status);
    expect(verdict((e) => e.signature({ Reference: { MutableReference: 'U8' } }))).toContain(status);
    expect(
      verdict((e) => {
        e.fields('S')[0]!.signature = { Reference: 'U8' };
      }),
    ).toContain(status);
    const argument = verdict((e) => {
      e.body('probe', [
        { LdU64: 1n },
        { CallGeneric: e.instantiation('again', { Reference: 'U64' }) },
        'Ret',
      ]);
    });
    expect(argument).toContain(status);
  });

  test('type arguments are as many and as able as asked', () => {
    const generic = (e: ModuleEditor, ...args: TokenJson[]): TokenJson => ({
      DatatypeInstantiation: [e.handle('Generic'), args],
    });
    expect(verdict((e) => e.signature(generic(e, 'U8')))).toContain('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH');
    const call = (type: (e: ModuleEditor) => TokenJson[]) =>
      verdict((e) =>
        e.body('eat', [
          { MoveLoc: 0 },
          { CallGeneric: e.instantiation('again', ...type(e)) },
          { LdU64: 0n },
          'Ret',
        ]),
      );
    expect(call((e) => [e.type('Potato')])).toContain(refused('CONSTRAINT_NOT_SATISFIED'));
    expect(call(() => [])).toContain(refused('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH'));
  });

  test('a phantom parameter is used only as a phantom', () => {
    const change = verdict((e) => {
      e.fields('Generic')[0]!.signature = { TypeParameter: 1 };
    });
    expect(change).toContain(refused('INVALID_PHANTOM_TYPE_PARAM_POSITION'));
  });
});

describe('instructions fit what they name', () => {
  test('generic ones what is generic', () => {
    const status = refused('GENERIC_MEMBER_OPCODE_MISMATCH');
    expect(verdict((e) => e.body('bytes', [{ Call: e.callee('again') }, { LdConst: 0 }, 'Ret']))).toContain(
      status,
    );
    expect(
      verdict((e) => e.body('probe', [{ CallGeneric: e.instantiation('bytes') }, 'Pop', 'Ret'])),
    ).toContain(status);
    expect(
      verdict((e) => e.body('probe', [{ LdU64: 1n }, { Pack: e.struct('Generic') }, 'Pop', 'Ret'])),
    ).toContain(status);
  });

  test('none uses global storage', () => {
    const code = (e: ModuleEditor) => [{ MoveToDeprecated: e.struct('Object') }, 'Ret'];
    expect(verdict((e) => e.body('probe', code(e)))).toContain(refused('DEPRECATED_BYTECODE_FORMAT'));
    expect(verdict((e) => e.fn('probe').acquires_global_resources.push(0))).toContain(
      refused('DEPRECATED_BYTECODE_FORMAT'),
    );
  });

  test('no vector is larger than the stack', () => {
    const pack = (count: number) =>
      verdict((e) => e.body('probe', [{ VecPack: [e.signature('U64'), count] }, 'Pop', 'Ret']));
    expect(pack(70_000)).toContain(refused('CONSTRAINT_NOT_SATISFIED'));
    expect(pack(2_000)).toContain(refused('VALUE_STACK_OVERFLOW'));
    expect(pack(1)).toContain(refused('NEGATIVE_STACK_SIZE_WITHIN_BLOCK'));
  });
});

describe('constants', () => {
  test('are plain values', () => {
    expect(
      verdict((e) => {
        e.json.constant_pool[0]!.type_ = e.type('S');
      }),
    ).toContain(refused('INVALID_CONSTANT_TYPE'));
    expect(
      verdict((e) => {
        e.json.constant_pool[0]!.type_ = 'Signer';
      }),
    ).toContain(refused('INVALID_CONSTANT_TYPE'));
  });

  test('are of their types, and nothing more', () => {
    expect(verdict((e) => e.json.constant_pool[0]!.data.push(0))).toContain(
      refused('MALFORMED_CONSTANT_DATA'),
    );
    expect(verdict((e) => e.json.constant_pool[0]!.data.pop())).toContain(refused('MALFORMED_CONSTANT_DATA'));
    const bool = verdict((e) => e.json.constant_pool.push({ type_: 'Bool', data: [2] }));
    expect(bool).toContain(refused('MALFORMED_CONSTANT_DATA'));
    const deep = verdict((e) =>
      e.json.constant_pool.push({ type_: vectors(200), data: [...new Array(199).fill(1), 0] }),
    );
    expect(deep).toContain(refused('MALFORMED_CONSTANT_DATA'));
  });
});

test('friends are other modules of the same package', () => {
  const self = (e: ModuleEditor) => e.json.module_handles[e.json.self_module_handle_idx]!;
  expect(verdict((e) => e.json.friend_decls.push(self(e)))).toContain(
    refused('INVALID_FRIEND_DECL_WITH_SELF'),
  );
  const foreign = verdict((e) => {
    const other = e.json.module_handles.find((handle) => handle.address !== self(e).address)!;
    e.json.friend_decls.push(other);
  });
  expect(foreign).toContain(refused('INVALID_FRIEND_DECL_WITH_MODULES_OUTSIDE_ACCOUNT_ADDRESS'));
});

describe('datatypes', () => {
  test('have no ability that their fields lack', () => {
    const change = verdict((e) => {
      e.json.datatype_handles[e.handle('Potato')]!.abilities = 4;
      e.fields('Potato')[0]!.signature = e.type('SUBJECT');
    });
    expect(change).toContain(refused('FIELD_MISSING_TYPE_ABILITY'));
    const key = verdict((e) => {
      e.fields('Object')[1]!.signature = e.type('Potato');
    });
    expect(key).toContain(refused('FIELD_MISSING_TYPE_ABILITY'));
  });

  test('do not contain themselves, nor each other in a circle', () => {
    const status = refused('RECURSIVE_DATATYPE_DEFINITION');
    expect(
      verdict((e) => {
        e.fields('S')[0]!.signature = { Vector: e.type('S') };
      }),
    ).toContain(status);
    expect(
      verdict((e) => {
        e.fields('S')[0]!.signature = e.type('Pair');
      }),
    ).toContain(status);
    expect(
      verdict((e) => {
        e.json.enum_defs[0]!.variants[1]!.fields[0]!.signature = e.type('E');
      }),
    ).toContain(status);
  });
});

test('no type argument grows with every call of a circle', () => {
  const grown = (e: ModuleEditor, type: TokenJson) =>
    e.body('again', [
      { MoveLoc: 0 },
      { VecPack: [e.signature({ TypeParameter: 0 }), 1] },
      { CallGeneric: e.instantiation('again', type) },
      'Ret',
    ]);
  expect(verdict((e) => grown(e, { Vector: { TypeParameter: 0 } }))).toContain(
    refused('LOOP_IN_INSTANTIATION_GRAPH'),
  );
});

describe('other modules', () => {
  const external = (e: ModuleEditor, name: string) => e.json.function_handles[e.callee(name)]!;

  test('have what is used of them, as it is used', () => {
    const missing = verdict((e) => {
      external(e, 'emit').name = e.identifier('emits');
    });
    expect(missing).toContain(refused('LOOKUP_FAILED'));
    const other = verdict((e) => {
      external(e, 'delete').return_ = e.signature('U64');
    });
    expect(other).toContain(refused('TYPE_MISMATCH'));
    const type = verdict((e) => {
      e.json.datatype_handles[e.handle('UID')]!.abilities = 7;
    });
    expect(type).toContain(refused('TYPE_MISMATCH'));
    const module = verdict((e) => {
      const { module: index } = external(e, 'emit');
      e.json.module_handles[index]!.name = e.identifier('nowhere');
    });
    expect(module).toContain(refused('MISSING_DEPENDENCY'));
  });

  test('are called only where they let themselves be called', () => {
    const hidden = verdict((e) => {
      external(e, 'emit').module = external(e, 'new').module;
      external(e, 'emit').name = e.identifier('record_new_uid');
    });
    expect(hidden).toContain(refused('LOOKUP_FAILED'));
  });

  test('do not depend on each other in circles', () => {
    const named = (name: string, other: string) =>
      subject.bytes((e) => {
        const self = e.json.module_handles[e.json.self_module_handle_idx]!;
        self.name = e.identifier(name);
        e.json.module_handles.push({ address: self.address, name: e.identifier(other) });
      });
    // Of other names, the witness is a plain struct, which init may not take.
    const circle = subject.verdictOf(named('one', 'two'), named('two', 'one'));
    expect(circle).toContain(refused('CYCLIC_MODULE_DEPENDENCY'));
  });

  test('natives are the framework’s alone', () => {
    expect(
      verdict((e) => {
        e.fn('bytes').code = null;
      }),
    ).toContain(refused('MISSING_DEPENDENCY'));
  });
});
