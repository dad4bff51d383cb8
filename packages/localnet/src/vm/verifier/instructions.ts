import { instructionParts, type ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { verificationError } from '../errors.ts';
import { calleeOf, structOf, variantOf } from './effects.ts';

/** Instructions that read or write the storage which Move had before objects. */
const GLOBAL_STORAGE = /^(Exists|MoveFrom|MoveTo|ImmBorrowGlobal|MutBorrowGlobal)/;

/** The most elements that the operand of a vector instruction may name. */
const MAX_VECTOR_OPERAND = 65_535;

/**
 * Instructions that fit what they name:
 *
 * - GENERIC_MEMBER_OPCODE_MISMATCH: the generic form for what has type parameters, the plain one for the rest;
 * - CONSTRAINT_NOT_SATISFIED: a vector is packed or unpacked with 65,535 elements at most;
 * - DEPRECATED_BYTECODE_FORMAT: nothing uses global storage, whose instructions and annotations are gone.
 */
export function checkInstructions(json: ModuleJson): void {
  for (const { code, acquires_global_resources } of json.function_defs) {
    if (acquires_global_resources.length > 0) refuse('a function acquires global resources');
    for (const instruction of code?.code ?? []) {
      const [name, operand] = instructionParts(instruction);
      if (GLOBAL_STORAGE.test(name)) refuse(`instruction ${name} uses global storage`);
      if (
        (name === 'VecPack' || name === 'VecUnpack') &&
        Number((operand as unknown[])[1]) > MAX_VECTOR_OPERAND
      ) {
        throw verificationError(
          'CONSTRAINT_NOT_SATISFIED',
          `${name} of more than ${MAX_VECTOR_OPERAND} elements`,
        );
      }
      const parameters = typeParametersOf(json, name, Number(operand));
      if (parameters !== undefined && parameters > 0 !== name.includes('Generic')) {
        throw verificationError('GENERIC_MEMBER_OPCODE_MISMATCH', `${name} of ${parameters} type parameters`);
      }
    }
  }
}

function refuse(detail: string): never {
  throw verificationError('DEPRECATED_BYTECODE_FORMAT', detail);
}

/** How many type parameters what an instruction names has; undefined when it names nothing that may have any. */
function typeParametersOf(json: ModuleJson, name: string, index: number): number | undefined {
  if (name === 'Call' || name === 'CallGeneric') return calleeOf(json, name, index).type_parameters.length;
  const handle = datatypeOf(json, name, index);
  return handle === undefined ? undefined : json.datatype_handles[handle]!.type_parameters.length;
}

function datatypeOf(json: ModuleJson, name: string, index: number): number | undefined {
  if (/^(Un)?[pP]ackVariant/.test(name))
    return json.enum_defs[variantOf(json, name, index).definition]!.enum_handle;
  if (/^(Un)?[pP]ack/.test(name)) return json.struct_defs[structOf(json, name, index)]!.struct_handle;
  if (!/^(Imm|Mut)BorrowField/.test(name)) return undefined;
  const field = name.endsWith('Generic') ? json.field_instantiations[index]!.handle : index;
  return json.struct_defs[json.field_handles[field]!.owner]!.struct_handle;
}
