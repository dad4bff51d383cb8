import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';

/** The index of the signature with an instruction's type arguments, if it has any. */
export function typeArgumentsOf(json: ModuleJson, name: string, operand: unknown): number | undefined {
  const index = Number(operand);
  switch (name) {
    case 'CallGeneric':
      return json.function_instantiations[index]?.type_parameters;
    case 'PackGeneric':
    case 'UnpackGeneric':
      return json.struct_def_instantiations[index]?.type_parameters;
    case 'ImmBorrowFieldGeneric':
    case 'MutBorrowFieldGeneric':
      return json.field_instantiations[index]?.type_parameters;
    case 'VecPack':
    case 'VecUnpack':
      return Number((operand as unknown[])[0]);
    case 'VecLen':
    case 'VecImmBorrow':
    case 'VecMutBorrow':
    case 'VecPushBack':
    case 'VecPopBack':
    case 'VecSwap':
      return index;
    case 'PackVariantGeneric':
    case 'UnpackVariantGeneric':
    case 'UnpackVariantGenericImmRef':
    case 'UnpackVariantGenericMutRef': {
      const handle = json.variant_instantiation_handles[index];
      return handle && json.enum_def_instantiations[handle.enum_def]?.type_parameters;
    }
    default:
      return undefined;
  }
}
