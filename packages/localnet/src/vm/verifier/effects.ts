import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { entry } from '../errors.ts';
import type { LoadedModule } from '../loader/module.ts';
import type { FunctionBody, Instruction } from './body.ts';

/** How many values an instruction takes from the operand stack and puts on it. */
type Effect = readonly [pops: number, pushes: number];

const FIXED: Record<string, Effect> = {};
function fix(effect: Effect, names: string): void {
  for (const name of names.split(' ')) FIXED[name] = effect;
}
fix([0, 0], 'Nop Branch');
fix([1, 0], 'Pop BrTrue BrFalse StLoc Abort VariantSwitch');
fix([0, 1], 'LdU8 LdU16 LdU32 LdU64 LdU128 LdU256 LdTrue LdFalse LdConst');
fix([0, 1], 'CopyLoc MoveLoc MutBorrowLoc ImmBorrowLoc');
fix([1, 1], 'Not FreezeRef ReadRef CastU8 CastU16 CastU32 CastU64 CastU128 CastU256 VecLen VecPopBack');
fix([1, 1], 'MutBorrowField MutBorrowFieldGeneric ImmBorrowField ImmBorrowFieldGeneric');
fix(
  [2, 1],
  'Add Sub Mul Mod Div BitOr BitAnd Xor Shl Shr Or And Eq Neq Lt Gt Le Ge VecImmBorrow VecMutBorrow',
);
fix([2, 0], 'WriteRef VecPushBack');
fix([3, 0], 'VecSwap');

export function effectOf(body: FunctionBody, { name, operand }: Instruction): Effect {
  const fixed = FIXED[name];
  if (fixed !== undefined) return fixed;
  const { module } = body;
  const { json } = module;
  const index = Number(operand);
  switch (name) {
    case 'Ret':
      return [body.fn.returns.length, 0];
    case 'Call':
    case 'CallGeneric': {
      const { parameters, return_ } = calleeOf(json, name, index);
      return [json.signatures[parameters]!.length, json.signatures[return_]!.length];
    }
    case 'Pack':
    case 'PackGeneric':
      return [fieldCount(json, structOf(json, name, index)), 1];
    case 'Unpack':
    case 'UnpackGeneric':
      return [1, fieldCount(json, structOf(json, name, index))];
    case 'PackVariant':
    case 'PackVariantGeneric':
      return [variantOf(json, name, index).fields, 1];
    case 'VecPack':
      return [vectorCount(operand), 1];
    case 'VecUnpack':
      return [1, vectorCount(operand)];
    default:
      // What is left takes a variant apart, by value or by reference.
      return [1, variantOf(json, name, index).fields];
  }
}

/** The handle of the function that a call names. */
export function calleeOf(json: ModuleJson, name: string, index: number) {
  const handle = name === 'Call' ? index : entry(json.function_instantiations, index, 'call').handle;
  return entry(json.function_handles, handle, 'function handle');
}

/** The function that a call names, as `module::function`, and the package of it. */
export function calleeName(module: LoadedModule, handle: ModuleJson['function_handles'][number]) {
  const { address, name } = module.moduleId(handle.module);
  return { address, module: name, function: module.identifier(handle.name) };
}

/** The index of the struct definition that an instruction packs or unpacks. */
export function structOf(json: ModuleJson, name: string, index: number): number {
  return name.endsWith('Generic') ? entry(json.struct_def_instantiations, index, 'struct').def : index;
}

function fieldCount(json: ModuleJson, struct: number): number {
  const { field_information } = entry(json.struct_defs, struct, 'struct');
  return field_information === 'Native' ? 0 : field_information.Declared.length;
}

/** The enum definition and variant that an instruction names, and the number of the variant's fields. */
export function variantOf(json: ModuleJson, name: string, index: number) {
  const isGeneric = name.includes('Generic');
  const handles = isGeneric ? json.variant_instantiation_handles : json.variant_handles;
  const { enum_def, variant } = entry(handles, index, 'variant handle');
  const definition = isGeneric ? entry(json.enum_def_instantiations, enum_def, 'enum').def : enum_def;
  const { variants } = entry(json.enum_defs, definition, 'enum');
  return { definition, variant, fields: entry(variants, variant, 'variant').fields.length };
}

function vectorCount(operand: unknown): number {
  return Array.isArray(operand) ? Number(operand[1]) : 0;
}
