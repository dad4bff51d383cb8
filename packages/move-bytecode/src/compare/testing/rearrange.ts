import { isDeepStrictEqual } from 'node:util';
import { operandPools } from '../../bounds.ts';
import {
  type CodeJson,
  type FieldJson,
  type InstructionJson,
  instructionParts,
  type ModuleJson,
  type TokenJson,
} from '../../module.ts';

/** A number from 0 to `below`, exclusively. */
export type Random = (below: number) => number;

const pools = [
  ...(['module_handles', 'datatype_handles', 'function_handles', 'field_handles', 'signatures'] as const),
  ...(['identifiers', 'address_identifiers', 'constant_pool', 'struct_defs', 'enum_defs'] as const),
  ...(['struct_def_instantiations', 'function_instantiations', 'field_instantiations'] as const),
  ...(['enum_def_instantiations', 'variant_handles', 'variant_instantiation_handles'] as const),
];
type Pool = (typeof pools)[number];

/** The same module with all pools, functions and friends in another order. */
export function shufflePools(module: ModuleJson, random: Random): ModuleJson {
  const orders = new Map(pools.map((pool) => [pool, permute(module[pool].length, random)]));
  const move = (pool: Pool, index: number) => orders.get(pool)![index]!;
  const moveToken = (token: TokenJson): TokenJson => {
    if (typeof token === 'string' || 'TypeParameter' in token) return token;
    if ('Datatype' in token) return { Datatype: move('datatype_handles', token.Datatype) };
    if ('Vector' in token) return { Vector: moveToken(token.Vector) };
    if ('Reference' in token) return { Reference: moveToken(token.Reference) };
    if ('MutableReference' in token) return { MutableReference: moveToken(token.MutableReference) };
    const [handle, args] = token.DatatypeInstantiation;
    return { DatatypeInstantiation: [move('datatype_handles', handle), args.map(moveToken)] };
  };
  const moveFields = (fields: readonly FieldJson[]) =>
    fields.map(({ name, signature }) => ({
      name: move('identifiers', name),
      signature: moveToken(signature),
    }));
  const reorder = <Entry>(
    pool: Pool,
    entries: readonly Entry[],
    change: (entry: Entry) => Entry,
  ): Entry[] => {
    const moved: Entry[] = [];
    for (const [at, entry] of entries.entries()) moved[move(pool, at)] = change(entry);
    return moved;
  };
  const moveName = <Entry extends { address: number; name: number }>(entry: Entry): Entry => ({
    ...entry,
    address: move('address_identifiers', entry.address),
    name: move('identifiers', entry.name),
  });
  const inModule = <Entry extends { module: number; name: number }>(entry: Entry): Entry => ({
    ...entry,
    module: move('module_handles', entry.module),
    name: move('identifiers', entry.name),
  });
  const types = <Entry extends { type_parameters: number }>(entry: Entry): Entry => ({
    ...entry,
    type_parameters: move('signatures', entry.type_parameters),
  });
  const moveConstant = (index: number) =>
    index < module.constant_pool.length ? move('constant_pool', index) : index;
  const moveInstruction = (instruction: InstructionJson, at: number, code: readonly InstructionJson[]) => {
    const [name, operand] = instructionParts(instruction);
    if (name === 'LdU64' && isAborting(code, at + 1))
      return { LdU64: moveAbortCode(operand as bigint, moveConstant) };
    const pool = operandPools[name] as Pool | undefined;
    if (pool === undefined) return instruction;
    if (Array.isArray(operand)) return { [name]: [move(pool, operand[0]), operand[1]] };
    return { [name]: move(pool, operand as number) };
  };
  const moveCode = ({ locals, code, jump_tables: tables }: CodeJson): CodeJson => ({
    locals: move('signatures', locals),
    code: code.map(moveInstruction),
    jump_tables: tables.map((table) => ({ ...table, head_enum: move('enum_defs', table.head_enum) })),
  });
  return {
    ...module,
    self_module_handle_idx: move('module_handles', module.self_module_handle_idx),
    module_handles: reorder('module_handles', module.module_handles, moveName),
    friend_decls: shuffle(module.friend_decls.map(moveName), random),
    datatype_handles: reorder('datatype_handles', module.datatype_handles, inModule),
    function_handles: reorder('function_handles', module.function_handles, (entry) => ({
      ...inModule(entry),
      parameters: move('signatures', entry.parameters),
      return_: move('signatures', entry.return_),
    })),
    field_handles: reorder('field_handles', module.field_handles, (entry) => ({
      ...entry,
      owner: move('struct_defs', entry.owner),
    })),
    struct_def_instantiations: reorder(
      'struct_def_instantiations',
      module.struct_def_instantiations,
      (entry) => ({
        ...types(entry),
        def: move('struct_defs', entry.def),
      }),
    ),
    function_instantiations: reorder('function_instantiations', module.function_instantiations, (entry) => ({
      ...types(entry),
      handle: move('function_handles', entry.handle),
    })),
    field_instantiations: reorder('field_instantiations', module.field_instantiations, (entry) => ({
      ...types(entry),
      handle: move('field_handles', entry.handle),
    })),
    enum_def_instantiations: reorder('enum_def_instantiations', module.enum_def_instantiations, (entry) => ({
      ...types(entry),
      def: move('enum_defs', entry.def),
    })),
    variant_handles: reorder('variant_handles', module.variant_handles, (entry) => ({
      ...entry,
      enum_def: move('enum_defs', entry.enum_def),
    })),
    variant_instantiation_handles: reorder(
      'variant_instantiation_handles',
      module.variant_instantiation_handles,
      (entry) => ({ ...entry, enum_def: move('enum_def_instantiations', entry.enum_def) }),
    ),
    signatures: reorder('signatures', module.signatures, (tokens) => tokens.map(moveToken)),
    identifiers: reorder('identifiers', module.identifiers, (text) => text),
    address_identifiers: reorder('address_identifiers', module.address_identifiers, (text) => text),
    constant_pool: reorder('constant_pool', module.constant_pool, (entry) => ({
      ...entry,
      type_: moveToken(entry.type_),
    })),
    struct_defs: reorder(
      'struct_defs',
      module.struct_defs,
      ({ struct_handle, field_information: fields }) => ({
        struct_handle: move('datatype_handles', struct_handle),
        field_information: fields === 'Native' ? fields : { Declared: moveFields(fields.Declared) },
      }),
    ),
    enum_defs: reorder('enum_defs', module.enum_defs, ({ enum_handle, variants }) => ({
      enum_handle: move('datatype_handles', enum_handle),
      variants: variants.map(({ variant_name, fields }) => ({
        variant_name: move('identifiers', variant_name),
        fields: moveFields(fields),
      })),
    })),
    function_defs: shuffle(
      module.function_defs.map(({ code, ...definition }) => ({
        ...definition,
        function: move('function_handles', definition.function),
        acquires_global_resources: definition.acquires_global_resources.map((index) =>
          move('struct_defs', index),
        ),
        code: code && moveCode(code),
      })),
      random,
    ),
  };
}

/** Returns `true` if the next instruction that does something, from an offset on, is `Abort`. */
function isAborting(code: readonly InstructionJson[], from: number): boolean {
  for (let [at, left] = [from, code.length]; left > 0; left--) {
    const [name, operand] = instructionParts(code[at]!);
    if (name !== 'Nop' && name !== 'Branch') return name === 'Abort';
    at = name === 'Nop' ? at + 1 : (operand as number);
  }
  return false;
}

/** Moves the indices of constants in an abort code of the compiler. A code without a line of the source is another number. */
function moveAbortCode(code: bigint, move: (index: number) => number): bigint {
  if (code >> 63n === 0n || ((code >> 32n) & 0xffffn) === 0xffffn) return code;
  const part = (at: bigint) => BigInt(move(Number((code >> at) & 0xffffn))) << at;
  return ((code >> 32n) << 32n) | part(16n) | part(0n);
}

/** The same module with the locals of each function in another order. */
export function renameLocals(module: ModuleJson, random: Random): ModuleJson {
  const renamed = structuredClone(module);
  for (const { function: handle, code } of renamed.function_defs) {
    if (!code) continue;
    const parameters = renamed.signatures[renamed.function_handles[handle]!.parameters]!.length;
    const types = renamed.signatures[code.locals]!;
    const order = permute(types.length, random);
    const moved: TokenJson[] = [];
    for (const [at, type] of types.entries()) moved[order[at]!] = type;
    code.locals = indexOrAdd(renamed.signatures, moved);
    code.code = code.code.map((instruction) => {
      const [name, operand] = instructionParts(instruction);
      const isLocal = /Loc$/.test(name) && (operand as number) >= parameters;
      return isLocal ? { [name]: parameters + order[(operand as number) - parameters]! } : instruction;
    });
  }
  return renamed;
}

/** The same module with `Nop` and jumps to the next instruction between the others, and small numbers as constants. */
export function padCode(module: ModuleJson, random: Random): ModuleJson {
  const padded = structuredClone(module);
  for (const { code } of padded.function_defs) {
    if (!code) continue;
    const places: number[] = [];
    const longer: InstructionJson[] = [];
    const starts = findBlockStarts(code);
    for (const [from, instruction] of code.code.entries()) {
      places.push(longer.length);
      const kind = random(4);
      if (kind === 0) longer.push('Nop');
      // Elsewhere values can be on the stack, which no block may end with.
      if (kind === 1 && starts.has(from)) longer.push({ Branch: longer.length + 1 });
      const [name, operand] = instructionParts(instruction);
      if (name === 'LdU64' && random(2) === 0 && (operand as bigint) >> 63n === 0n) {
        const data = Array.from({ length: 8 }, (_, at) =>
          Number(((operand as bigint) >> BigInt(8 * at)) & 0xffn),
        );
        longer.push({ LdConst: indexOrAdd(padded.constant_pool, { type_: 'U64', data }) });
      } else longer.push(instruction);
    }
    // The padding is marked by its target, which is behind itself.
    const original = new Set(places.map((_, at) => (places[at + 1] ?? longer.length) - 1));
    code.code = longer.map((instruction, at) => {
      const [name, operand] = instructionParts(instruction);
      const jumps = /^Br/.test(name) && original.has(at);
      return jumps ? { [name]: places[operand as number]! } : instruction;
    });
    for (const { jump_table: table } of code.jump_tables) table.Full = table.Full.map((at) => places[at]!);
  }
  return padded;
}

/** Offsets to which the code jumps, and those behind jumps. */
function findBlockStarts({ code, jump_tables: tables }: CodeJson): Set<number> {
  const starts = new Set([0, ...tables.flatMap(({ jump_table: table }) => table.Full)]);
  for (const [at, instruction] of code.entries()) {
    const [name, operand] = instructionParts(instruction);
    if (/^Br/.test(name)) starts.add(operand as number).add(at + 1);
  }
  return starts;
}

/** Returns the index of an entry. The chain refuses a module that has one twice. */
function indexOrAdd<Entry>(pool: Entry[], entry: Entry): number {
  const known = pool.findIndex((one) => isDeepStrictEqual(one, entry));
  return known < 0 ? pool.push(entry) - 1 : known;
}

function permute(length: number, random: Random): number[] {
  return shuffle(
    Array.from({ length }, (_, at) => at),
    random,
  );
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
  }
  return shuffled;
}
