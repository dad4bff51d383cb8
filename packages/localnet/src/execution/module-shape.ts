import type {
  CodeJson,
  FieldJson,
  FunctionDefJson,
  ModuleJson,
  TokenJson,
} from '@adaptor-marketplace/move-bytecode';

/**
 * What a module says, free of how its compiler laid out its tables: two modules say the same when their shapes are
 * equal. Texts are equal exactly where the chain's normalized forms are (`move_binary_format::normalized`).
 */
export interface ModuleShape {
  version: number;
  /** By name: abilities, type parameters, fields or variants. */
  datatypes: Map<string, string>;
  /** By name: signature, visibility and code. */
  functions: Map<string, string>;
  friends: Set<string>;
}

/** The module must have passed verification: nothing is checked here. */
export function moduleShape(json: ModuleJson): ModuleShape {
  const names = new Names(json);
  return {
    version: json.version,
    datatypes: new Map([
      ...json.struct_defs.map(({ struct_handle, field_information: fields }) => {
        const body = fields === 'Native' ? fields : names.fields(fields.Declared);
        return [
          names.datatypeName(struct_handle),
          text(['struct', names.head(struct_handle), body]),
        ] as const;
      }),
      ...json.enum_defs.map(({ enum_handle, variants }) => {
        const body = variants.map(({ variant_name, fields }) => [
          json.identifiers[variant_name],
          names.fields(fields),
        ]);
        return [names.datatypeName(enum_handle), text(['enum', names.head(enum_handle), body])] as const;
      }),
    ]),
    functions: new Map(
      json.function_defs.map((definition) => {
        const handle = json.function_handles[definition.function]!;
        return [json.identifiers[handle.name]!, text(functionShape(names, definition))] as const;
      }),
    ),
    friends: new Set(
      json.friend_decls.map(({ address, name }) =>
        text([json.address_identifiers[address], json.identifiers[name]]),
      ),
    ),
  };
}

function functionShape(names: Names, { function: handle, visibility, is_entry, code }: FunctionDefJson) {
  const { type_parameters, parameters, return_ } = names.json.function_handles[handle]!;
  return [
    visibility,
    is_entry,
    type_parameters,
    names.signature(parameters),
    names.signature(return_),
    code ? codeShape(names, code) : 'native',
  ];
}

function codeShape(names: Names, { locals, code, jump_tables }: CodeJson) {
  return [
    names.signature(locals),
    code.map((instruction) => {
      if (typeof instruction === 'string') return instruction;
      const [[name, operand] = ['', undefined]] = Object.entries(instruction);
      return [name, operandShape(names, name, operand)];
    }),
    jump_tables.map(({ head_enum, jump_table }) => [
      names.datatypeName(names.json.enum_defs[head_enum]!.enum_handle),
      jump_table,
    ]),
  ];
}

/** What an operand stands for; numbers, locals, places in the code and jump tables stand for themselves. */
function operandShape(names: Names, name: string, operand: unknown): unknown {
  const { json } = names;
  const index = Number(Array.isArray(operand) ? operand[0] : operand);
  switch (name) {
    case 'LdConst': {
      const { type_, data } = json.constant_pool[index]!;
      return [names.token(type_), data];
    }
    case 'Call':
      return names.callee(index);
    case 'CallGeneric': {
      const { handle, type_parameters } = json.function_instantiations[index]!;
      return [names.callee(handle), names.signature(type_parameters)];
    }
    case 'Pack':
    case 'Unpack':
      return names.struct(index);
    case 'PackGeneric':
    case 'UnpackGeneric': {
      const { def, type_parameters } = json.struct_def_instantiations[index]!;
      return [names.struct(def), names.signature(type_parameters)];
    }
    case 'MutBorrowField':
    case 'ImmBorrowField':
      return names.field(index);
    case 'MutBorrowFieldGeneric':
    case 'ImmBorrowFieldGeneric': {
      const { handle, type_parameters } = json.field_instantiations[index]!;
      return [names.field(handle), names.signature(type_parameters)];
    }
    default:
      if (name.includes('Variant') && name !== 'VariantSwitch') return variantShape(names, name, index);
      if (!name.startsWith('Vec')) return operand;
      return Array.isArray(operand) ? [names.signature(index), operand[1]] : names.signature(index);
  }
}

function variantShape(names: Names, name: string, index: number): unknown {
  const { json } = names;
  if (!name.includes('Generic')) {
    const { enum_def, variant } = json.variant_handles[index]!;
    return [names.enum(enum_def), variant];
  }
  const handle = json.variant_instantiation_handles[index]!;
  const { def, type_parameters } = json.enum_def_instantiations[handle.enum_def]!;
  return [names.enum(def), handle.variant, names.signature(type_parameters)];
}

/** Names instead of indices. */
class Names {
  readonly json: ModuleJson;

  constructor(json: ModuleJson) {
    this.json = json;
  }

  datatypeName(handle: number): string {
    return this.json.identifiers[this.json.datatype_handles[handle]!.name]!;
  }

  /** Abilities and type parameters of a datatype. */
  head(handle: number): unknown {
    const { abilities, type_parameters } = this.json.datatype_handles[handle]!;
    return [abilities, type_parameters.map(({ constraints, is_phantom }) => [constraints, is_phantom])];
  }

  fields(fields: FieldJson[]): unknown {
    return fields.map(({ name, signature }) => [this.json.identifiers[name], this.token(signature)]);
  }

  struct(definition: number): string {
    return this.datatypeName(this.json.struct_defs[definition]!.struct_handle);
  }

  enum(definition: number): string {
    return this.datatypeName(this.json.enum_defs[definition]!.enum_handle);
  }

  field(handle: number): unknown {
    const { owner, field } = this.json.field_handles[handle]!;
    return [this.struct(owner), field];
  }

  callee(handle: number): unknown {
    const { module, name } = this.json.function_handles[handle]!;
    return [this.#module(module), this.json.identifiers[name]];
  }

  signature(index: number): unknown {
    return this.json.signatures[index]!.map((token) => this.token(token));
  }

  token(token: TokenJson): unknown {
    if (typeof token === 'string') return token;
    if ('Vector' in token) return ['vector', this.token(token.Vector)];
    if ('Reference' in token) return ['&', this.token(token.Reference)];
    if ('MutableReference' in token) return ['&mut', this.token(token.MutableReference)];
    if ('TypeParameter' in token) return token.TypeParameter;
    if ('Datatype' in token) return this.#datatype(token.Datatype);
    const [handle, args] = token.DatatypeInstantiation;
    return [this.#datatype(handle), args.map((arg) => this.token(arg))];
  }

  #datatype(handle: number): unknown {
    return [this.#module(this.json.datatype_handles[handle]!.module), this.datatypeName(handle)];
  }

  #module(handle: number): unknown {
    const { address, name } = this.json.module_handles[handle]!;
    return [this.json.address_identifiers[address], this.json.identifiers[name]];
  }
}

function text(shape: unknown): string {
  return JSON.stringify(shape, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
