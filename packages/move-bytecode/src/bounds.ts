import { refuse } from './error.ts';
import {
  type CodeJson,
  type FieldJson,
  instructionParts,
  type ModuleJson,
  type TokenJson,
} from './module.ts';

/** Maximum number of parameters and locals of a function. */
const localsMax = 255;

/**
 * Checks that each index of a module is within its pool, each type parameter within its declaration, and that each
 * datatype has as many type arguments as it declares.
 * @throws BytecodeError
 */
export function checkBounds(module: ModuleJson): void {
  const check = new BoundsCheck(module);
  check.handles();
  check.definitions();
  for (const definition of module.function_defs) check.function(definition);
}

/** Pools of the instructions with an index. */
export const operandPools: Readonly<Record<string, keyof ModuleJson>> = {
  LdConst: 'constant_pool',
  MutBorrowField: 'field_handles',
  ImmBorrowField: 'field_handles',
  MutBorrowFieldGeneric: 'field_instantiations',
  ImmBorrowFieldGeneric: 'field_instantiations',
  Call: 'function_handles',
  CallGeneric: 'function_instantiations',
  Pack: 'struct_defs',
  Unpack: 'struct_defs',
  ExistsDeprecated: 'struct_defs',
  MutBorrowGlobalDeprecated: 'struct_defs',
  ImmBorrowGlobalDeprecated: 'struct_defs',
  MoveFromDeprecated: 'struct_defs',
  MoveToDeprecated: 'struct_defs',
  PackGeneric: 'struct_def_instantiations',
  UnpackGeneric: 'struct_def_instantiations',
  ExistsGenericDeprecated: 'struct_def_instantiations',
  MutBorrowGlobalGenericDeprecated: 'struct_def_instantiations',
  ImmBorrowGlobalGenericDeprecated: 'struct_def_instantiations',
  MoveFromGenericDeprecated: 'struct_def_instantiations',
  MoveToGenericDeprecated: 'struct_def_instantiations',
  VecPack: 'signatures',
  VecLen: 'signatures',
  VecImmBorrow: 'signatures',
  VecMutBorrow: 'signatures',
  VecPushBack: 'signatures',
  VecPopBack: 'signatures',
  VecUnpack: 'signatures',
  VecSwap: 'signatures',
  PackVariant: 'variant_handles',
  UnpackVariant: 'variant_handles',
  UnpackVariantImmRef: 'variant_handles',
  UnpackVariantMutRef: 'variant_handles',
  PackVariantGeneric: 'variant_instantiation_handles',
  UnpackVariantGeneric: 'variant_instantiation_handles',
  UnpackVariantGenericImmRef: 'variant_instantiation_handles',
  UnpackVariantGenericMutRef: 'variant_instantiation_handles',
};

const branches = new Set(['BrTrue', 'BrFalse', 'Branch']);
const localUses = new Set(['CopyLoc', 'MoveLoc', 'StLoc', 'MutBorrowLoc', 'ImmBorrowLoc']);

class BoundsCheck {
  readonly #module: ModuleJson;
  /** Highest type parameter of each signature, -1 if it has none. Many instructions can name one long signature. */
  readonly #highestParameters: readonly number[];

  constructor(module: ModuleJson) {
    this.#module = module;
    this.#highestParameters = module.signatures.map((tokens) => findHighestParameter(tokens));
  }

  handles(): void {
    const module = this.#module;
    if (module.module_handles.length === 0) throw refuse('NO_MODULE_HANDLES', 'the module has no handles');
    for (const token of module.signatures.flat()) this.#token(token);
    for (const { type_ } of module.constant_pool) this.#token(type_);
    for (const { address, name } of [...module.module_handles, ...module.friend_decls]) {
      this.#index('address_identifiers', address);
      this.#index('identifiers', name);
    }
    this.#index('module_handles', module.self_module_handle_idx);
    for (const { module: index, name } of module.datatype_handles) {
      this.#index('module_handles', index);
      this.#index('identifiers', name);
    }
    for (const { module: index, name, parameters, return_, type_parameters } of module.function_handles) {
      this.#index('module_handles', index);
      this.#index('identifiers', name);
      this.#index('signatures', parameters);
      this.#index('signatures', return_);
      this.#parameters(parameters, type_parameters.length);
      this.#parameters(return_, type_parameters.length);
    }
    for (const { owner, field } of module.field_handles) {
      this.#index('struct_defs', owner);
      const { field_information: fields } = module.struct_defs[owner]!;
      requireBelow(fields === 'Native' ? 0 : fields.Declared.length, field, 'fields');
    }
  }

  definitions(): void {
    const module = this.#module;
    for (const { def, type_parameters } of module.struct_def_instantiations) {
      this.#index('struct_defs', def);
      this.#index('signatures', type_parameters);
    }
    for (const { handle, type_parameters } of module.function_instantiations) {
      this.#index('function_handles', handle);
      this.#index('signatures', type_parameters);
    }
    for (const { handle, type_parameters } of module.field_instantiations) {
      this.#index('field_handles', handle);
      this.#index('signatures', type_parameters);
    }
    for (const { struct_handle: handle, field_information: fields } of module.struct_defs) {
      this.#index('datatype_handles', handle);
      if (fields !== 'Native') this.#fields(fields.Declared, handle);
    }
    for (const { enum_handle: handle, variants } of module.enum_defs) {
      this.#index('datatype_handles', handle);
      for (const { variant_name, fields } of variants) {
        this.#index('identifiers', variant_name);
        this.#fields(fields, handle);
      }
    }
    for (const { def, type_parameters } of module.enum_def_instantiations) {
      this.#index('enum_defs', def);
      this.#index('signatures', type_parameters);
    }
    for (const { enum_def, variant } of module.variant_handles) {
      this.#index('enum_defs', enum_def);
      requireBelow(module.enum_defs[enum_def]!.variants.length, variant, 'variants');
    }
    for (const { enum_def, variant } of module.variant_instantiation_handles) {
      this.#index('enum_def_instantiations', enum_def);
      const { def } = module.enum_def_instantiations[enum_def]!;
      requireBelow(module.enum_defs[def]!.variants.length, variant, 'variants');
    }
  }

  function({
    function: index,
    acquires_global_resources: acquired,
    code,
  }: ModuleJson['function_defs'][number]): void {
    this.#index('function_handles', index);
    for (const definition of acquired) this.#index('struct_defs', definition);
    if (!code) return;
    const { parameters, type_parameters } = this.#module.function_handles[index]!;
    this.#index('signatures', code.locals);
    const { signatures } = this.#module;
    const locals = signatures[parameters]!.length + signatures[code.locals]!.length;
    if (locals > localsMax) throw refuse('TOO_MANY_LOCALS', `${locals} parameters and locals`);
    this.#parameters(code.locals, type_parameters.length);
    this.#code(code, locals, type_parameters.length);
  }

  #code({ code, jump_tables: tables }: CodeJson, locals: number, typeParameters: number): void {
    for (const instruction of code) {
      const [name, operand] = instructionParts(instruction);
      if (localUses.has(name)) requireBelow(locals, operand as number, 'locals');
      else if (branches.has(name)) requireBelow(code.length, operand as number, 'instructions');
      else if (name === 'VariantSwitch') requireBelow(tables.length, operand as number, 'jump tables');
      else {
        const pool = operandPools[name];
        if (pool === undefined) continue;
        const index = (Array.isArray(operand) ? operand[0] : operand) as number;
        this.#index(pool, index);
        const types = pool === 'signatures' ? index : this.#typeArguments(pool, index);
        if (types !== undefined) this.#parameters(types, typeParameters);
      }
    }
    for (const { head_enum: head, jump_table: table } of tables) {
      this.#index('enum_defs', head);
      for (const offset of table.Full) requireBelow(code.length, offset, 'instructions');
    }
  }

  /** Signature with the type arguments of a generic instruction. */
  #typeArguments(pool: keyof ModuleJson, index: number): number | undefined {
    const module = this.#module;
    switch (pool) {
      case 'field_instantiations':
      case 'function_instantiations':
      case 'struct_def_instantiations':
        return module[pool][index]!.type_parameters;
      case 'variant_instantiation_handles':
        return module.enum_def_instantiations[module[pool][index]!.enum_def]!.type_parameters;
      default:
        return undefined;
    }
  }

  #fields(fields: readonly FieldJson[], handle: number): void {
    const { length } = this.#module.datatype_handles[handle]!.type_parameters;
    for (const { name, signature } of fields) {
      this.#index('identifiers', name);
      this.#token(signature);
      requireBelow(length, findHighestParameter([signature]), 'type parameters');
    }
  }

  #parameters(signature: number, length: number): void {
    requireBelow(length, this.#highestParameters[signature]!, 'type parameters');
  }

  #token(token: TokenJson): void {
    if (typeof token === 'string' || 'TypeParameter' in token) return;
    const [handle, args] = listTypeArguments(token);
    for (const arg of args) this.#token(arg);
    if (handle === undefined) return;
    this.#index('datatype_handles', handle);
    const { length } = this.#module.datatype_handles[handle]!.type_parameters;
    if (length !== args.length) {
      throw refuse('NUMBER_OF_TYPE_ARGUMENTS_MISMATCH', `${args.length} type arguments, expected ${length}`);
    }
  }

  #index(pool: keyof ModuleJson, index: number): void {
    requireBelow((this.#module[pool] as readonly unknown[]).length, index, pool);
  }
}

function listTypeArguments(
  token: Exclude<TokenJson, string | { TypeParameter: number }>,
): [handle: number | undefined, args: readonly TokenJson[]] {
  if ('Datatype' in token) return [token.Datatype, []];
  if ('DatatypeInstantiation' in token) return token.DatatypeInstantiation;
  if ('Vector' in token) return [undefined, [token.Vector]];
  return [undefined, ['Reference' in token ? token.Reference : token.MutableReference]];
}

/** Returns the highest type parameter of the types, or -1 if they have none. */
function findHighestParameter(tokens: readonly TokenJson[]): number {
  let highest = -1;
  for (const token of tokens) {
    if (typeof token === 'string') continue;
    const own =
      'TypeParameter' in token ? token.TypeParameter : findHighestParameter(listTypeArguments(token)[1]);
    highest = Math.max(highest, own);
  }
  return highest;
}

function requireBelow(length: number, index: number, pool: string): void {
  if (index >= length) throw refuse('INDEX_OUT_OF_BOUNDS', `index ${index} of ${length} ${pool}`);
}
