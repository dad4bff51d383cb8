import { instructionParts, type ModuleJson, type TokenJson } from '@adaptor-marketplace/move-bytecode';
import { verificationError } from '../errors.ts';
import { typeArgumentsOf } from './type-arguments.ts';

/** The chain's bounds (protocol configuration, version 138). */
const MAX_TYPE_PARAMETERS = 32;
const MAX_PARAMETERS = 128;
const MAX_TYPE_NODES = 256;
const MAX_NODES_IN = { aFunction: 10_000, aModule: 500_000 };
const MAX_IDENTIFIER_LENGTH = 128;
const MAX_FUNCTIONS = 1_000;
const MAX_DATATYPES = 200;
const MAX_FIELDS = 32;
const MAX_VARIANTS = 127;

/**
 * Sizes:
 *
 * - TOO_MANY_TYPE_PARAMETERS: 32 of a function or datatype; TOO_MANY_PARAMETERS: 128 of a function;
 * - TOO_MANY_TYPE_NODES: 256 of a type; 10,000 of a function's parameters, results, locals and type arguments in its
 *   code; 500,000 of those of all functions that a module defines or calls;
 * - IDENTIFIER_TOO_LONG: 128 bytes; INVALID_IDENTIFIER: `<SELF>`;
 * - MAX_FUNCTION_DEFINITIONS_REACHED: 1,000; MAX_STRUCT_DEFINITIONS_REACHED: 200 structs and enums;
 * - MAX_FIELD_DEFINITIONS_REACHED: 32 fields of a struct or of an enum; MAX_VARIANTS_REACHED: 127 of an enum.
 */
export function checkLimits(json: ModuleJson): void {
  for (const { type_parameters } of [...json.function_handles, ...json.datatype_handles]) {
    atMost(type_parameters.length, MAX_TYPE_PARAMETERS, 'TOO_MANY_TYPE_PARAMETERS', 'type parameters');
  }
  for (const { parameters } of json.function_handles) {
    atMost(json.signatures[parameters]!.length, MAX_PARAMETERS, 'TOO_MANY_PARAMETERS', 'parameters');
  }
  for (const type of allTypes(json))
    atMost(typeNodes(type), MAX_TYPE_NODES, 'TOO_MANY_TYPE_NODES', 'type nodes');
  for (const identifier of json.identifiers) {
    atMost(identifier.length, MAX_IDENTIFIER_LENGTH, 'IDENTIFIER_TOO_LONG', 'characters in an identifier');
    if (identifier === '<SELF>') throw verificationError('INVALID_IDENTIFIER', identifier);
  }
  checkDefinitions(json);
  checkNodesInFunctions(json);
}

function atMost(count: number, limit: number, status: string, what: string): void {
  if (count > limit) throw verificationError(status, `${count} ${what}, at most ${limit}`);
}

function* allTypes(json: ModuleJson): Iterable<TokenJson> {
  for (const signature of json.signatures) yield* signature;
  for (const { type_ } of json.constant_pool) yield type_;
  for (const { field_information } of json.struct_defs) {
    if (field_information === 'Native') continue;
    for (const { signature } of field_information.Declared) yield signature;
  }
  for (const { variants } of json.enum_defs) {
    for (const { fields } of variants) for (const { signature } of fields) yield signature;
  }
}

/** Datatypes and type parameters weigh four. */
function typeNodes(type: TokenJson): number {
  if (typeof type === 'string') return 1;
  if ('Vector' in type) return 1 + typeNodes(type.Vector);
  if ('Reference' in type) return 1 + typeNodes(type.Reference);
  if ('MutableReference' in type) return 1 + typeNodes(type.MutableReference);
  if (!('DatatypeInstantiation' in type)) return 4;
  return type.DatatypeInstantiation[1].reduce((sum, arg) => sum + typeNodes(arg), 4);
}

function checkDefinitions(json: ModuleJson): void {
  atMost(json.function_defs.length, MAX_FUNCTIONS, 'MAX_FUNCTION_DEFINITIONS_REACHED', 'functions');
  const datatypes = json.struct_defs.length + json.enum_defs.length;
  atMost(datatypes, MAX_DATATYPES, 'MAX_STRUCT_DEFINITIONS_REACHED', 'datatypes');
  for (const { field_information } of json.struct_defs) {
    const count = field_information === 'Native' ? 0 : field_information.Declared.length;
    atMost(count, MAX_FIELDS, 'MAX_FIELD_DEFINITIONS_REACHED', 'fields');
  }
  for (const { variants } of json.enum_defs) {
    atMost(variants.length, MAX_VARIANTS, 'MAX_VARIANTS_REACHED', 'variants');
    const count = variants.reduce((sum, { fields }) => sum + fields.length, 0);
    atMost(count, MAX_FIELDS, 'MAX_FIELD_DEFINITIONS_REACHED', 'fields');
  }
}

/** Bounds the memory that types take once they are read. */
function checkNodesInFunctions(json: ModuleJson): void {
  const sizes = json.signatures.map((types) => types.reduce((sum, type) => sum + typeNodes(type), 0));
  const nodes = json.function_handles.map(({ parameters, return_ }) => sizes[parameters]! + sizes[return_]!);
  for (const { function: handle, code } of json.function_defs) {
    if (!code) continue;
    nodes[handle]! += sizes[code.locals]!;
    for (const instruction of code.code) {
      const signature = typeArgumentsOf(json, ...instructionParts(instruction));
      if (signature !== undefined) nodes[handle]! += sizes[signature]!;
    }
  }
  for (const count of nodes)
    atMost(count, MAX_NODES_IN.aFunction, 'TOO_MANY_TYPE_NODES', 'type nodes in a function');
  const total = nodes.reduce((sum, count) => sum + count, 0);
  atMost(total, MAX_NODES_IN.aModule, 'TOO_MANY_TYPE_NODES', 'type nodes in functions');
}
