import { BytecodeError } from './error.ts';

/** A compiled module. All indices point into its pools. */
export interface ModuleJson {
  /** Version of the format, without the chain's flavor. */
  version: number;
  self_module_handle_idx: number;
  module_handles: { address: number; name: number }[];
  datatype_handles: {
    module: number;
    name: number;
    /** Bits: 1 copy, 2 drop, 4 store, 8 key. */
    abilities: number;
    type_parameters: { constraints: number; is_phantom: boolean }[];
  }[];
  function_handles: {
    module: number;
    name: number;
    parameters: number;
    return_: number;
    /** Abilities that each type argument must have. */
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
  metadata: { key: number[]; value: number[] }[];
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
  /** Undefined for natives. */
  code?: CodeJson | null | undefined;
}

export interface CodeJson {
  locals: number;
  code: InstructionJson[];
  jump_tables: { head_enum: number; jump_table: { Full: number[] } }[];
}

/** A bare name, or one key with the operand. Operands of 64 and 128 bits are `bigint`, of 256 bits 32 bytes. */
export type InstructionJson = string | Record<string, unknown>;

export type TokenJson =
  | string
  | { Vector: TokenJson }
  | { Datatype: number }
  | { DatatypeInstantiation: [number, TokenJson[]] }
  | { Reference: TokenJson }
  | { MutableReference: TokenJson }
  | { TypeParameter: number };

/** Splits an instruction into its name and operand. */
export function instructionParts(instruction: InstructionJson): [name: string, operand: unknown] {
  if (typeof instruction === 'string') return [instruction, undefined];
  // Every pass splits each instruction. This is much faster than `Object.entries`.
  for (const name in instruction) return [name, instruction[name]];
  throw new BytecodeError('MALFORMED', 'an instruction has no name');
}
