import type { CodeModule } from '../../introspect/code/module.ts';
import { type MoveType, substitute } from '../../introspect/code/move-type.ts';
import { field, type Step } from './path.ts';

/** A field of a struct or of a variant, with the type arguments of the instruction that names it. */
interface ShapeField {
  step: Step;
  /** Undefined if the type is too large to write. */
  type: MoveType | undefined;
}

/** A struct or a variant that an instruction names. */
interface Shape {
  type: MoveType;
  fields: readonly ShapeField[];
}

export type ReadShape = (module: CodeModule, operand: number) => Shape;

/** Caches what a reader finds in a module, since each run of an instruction needs it. */
function cached<T>(
  read: (module: CodeModule, operand: number) => T,
): (module: CodeModule, operand: number) => T {
  const known = new WeakMap<CodeModule, Map<number, T>>();
  return (module, operand) => {
    const found = known.get(module) ?? new Map<number, T>();
    known.set(module, found);
    if (!found.has(operand)) found.set(operand, read(module, operand));
    return found.get(operand)!;
  };
}

const struct = (generic: boolean): ReadShape =>
  cached((module, operand) => {
    const { json } = module;
    const instance = generic ? json.struct_def_instantiations[operand]! : undefined;
    const definition = instance ? instance.def : operand;
    const args = instance ? module.signature(instance.type_parameters) : [];
    const { struct_handle: handle, field_information: information } = json.struct_defs[definition]!;
    const fields = information === 'Native' ? [] : information.Declared;
    return readShape(module, handle, args, fields, '');
  });

const variant = (generic: boolean): ReadShape =>
  cached((module, operand) => {
    const { json } = module;
    const handle = (generic ? json.variant_instantiation_handles : json.variant_handles)[operand]!;
    const instance = generic ? json.enum_def_instantiations[handle.enum_def]! : undefined;
    const definition = json.enum_defs[instance ? instance.def : handle.enum_def]!;
    const args = instance ? module.signature(instance.type_parameters) : [];
    const { variant_name, fields } = definition.variants[handle.variant]!;
    return readShape(module, definition.enum_handle, args, fields, `${module.identifier(variant_name)}.`);
  });

function readShape(
  module: CodeModule,
  handle: number,
  args: readonly MoveType[],
  fields: readonly { name: number; signature: Parameters<CodeModule['type']>[0] }[],
  prefix: string,
): Shape {
  const type = module.type({ Datatype: handle });
  return {
    type: type.kind === 'datatype' ? { ...type, args } : type,
    fields: fields.map(({ name, signature }) => ({
      step: field(`${prefix}${module.identifier(name)}`),
      type: substitute(module.type(signature), args),
    })),
  };
}

export const shapes = {
  struct: struct(false),
  structInstance: struct(true),
  variant: variant(false),
  variantInstance: variant(true),
};

const fieldReader = (generic: boolean) =>
  cached((module, operand): ShapeField => {
    const { json } = module;
    const instance = generic ? json.field_instantiations[operand]! : undefined;
    const { owner, field: index } = json.field_handles[instance ? instance.handle : operand]!;
    const args = instance ? module.signature(instance.type_parameters) : [];
    const { step, type } = shapes.struct(module, owner).fields[index]!;
    return { step, type: substitute(type, args) };
  });

export const readField = { plain: fieldReader(false), instance: fieldReader(true) };
