import { deserialize } from '@mysten/move-bytecode-template';

/** A compiled module as the deserializer gives it (the parts that we read); all indices point into its pools. */
export interface ModuleJson {
  version: number;
  self_module_handle_idx: number;
  module_handles: { address: number; name: number }[];
  datatype_handles: {
    module: number;
    name: number;
    abilities: number;
    type_parameters: { constraints: number; is_phantom: boolean }[];
  }[];
  function_handles: {
    module: number;
    name: number;
    parameters: number;
    return_: number;
    type_parameters: number[];
  }[];
  field_handles: { owner: number; field: number }[];
  friend_decls: { address: number; name: number }[];
  struct_def_instantiations: { def: number; type_parameters: number }[];
  function_instantiations: { handle: number; type_parameters: number }[];
  field_instantiations: { handle: number; type_parameters: number }[];
  signatures: TokenJson[][];
  identifiers: string[];
  /** 64 hex digits without `0x`. */
  address_identifiers: string[];
  constant_pool: { type_: TokenJson; data: number[] }[];
  struct_defs: { struct_handle: number; field_information: 'Native' | { Declared: FieldJson[] } }[];
  function_defs: FunctionDefJson[];
  enum_defs: { enum_handle: number; variants: { variant_name: number; fields: FieldJson[] }[] }[];
  enum_def_instantiations: { def: number; type_parameters: number }[];
  variant_handles: { enum_def: number; variant: number }[];
  variant_instantiation_handles: { enum_def: number; variant: number }[];
}

export interface FieldJson {
  name: number;
  signature: TokenJson;
}

export interface FunctionDefJson {
  function: number;
  visibility: 'Public' | 'Private' | 'Friend';
  is_entry: boolean;
  acquires_global_resources: number[];
  /** Absent for natives. */
  code?: CodeJson | null;
}

export interface CodeJson {
  locals: number;
  code: InstructionJson[];
  jump_tables: { head_enum: number; jump_table: { Full: number[] } }[];
}

/** A bare name, or one key with the operand. */
export type InstructionJson = string | Record<string, unknown>;

export type TokenJson =
  | string
  | { Vector: TokenJson }
  | { Datatype: number }
  | { DatatypeInstantiation: [number, TokenJson[]] }
  | { Reference: TokenJson }
  | { MutableReference: TokenJson }
  | { TypeParameter: number };

/** Bytes that are not a Move module. `status` is the Move VM's word for the reason. */
export class BytecodeError extends Error {
  readonly status: string;

  constructor(status: string, message: string) {
    super(message);
    this.name = 'BytecodeError';
    this.status = status;
  }
}

/**
 * Parses bytecode: the binary format and the bounds of every index are checked, nothing else is.
 * @throws BytecodeError
 */
export function parseModule(bytes: Uint8Array): ModuleJson {
  try {
    return deserialize(bytes);
  } catch (cause) {
    // What the deserializer throws is no `Error`; its message names the status.
    const told = typeof cause === 'object' && cause !== null && 'message' in cause;
    const reason = told ? String(cause.message) : String(cause);
    const status = /with status ([A-Z_]+)/.exec(reason)?.[1] ?? 'MALFORMED';
    throw new BytecodeError(status, `the bytes are not a Move module: ${reason}`);
  }
}

/** Splits an instruction into its name and operand. */
export function instructionParts(instruction: InstructionJson): [name: string, operand: unknown] {
  if (typeof instruction === 'string') return [instruction, undefined];
  // Every pass asks: quicker than `Object.entries` by far.
  for (const name in instruction) return [name, instruction[name]];
  throw new BytecodeError('MALFORMED', 'an instruction has no name');
}
