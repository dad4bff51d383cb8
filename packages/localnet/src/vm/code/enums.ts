import { brokenInvariant, entry, VmError, verificationError } from '../errors.ts';
import { ALLOCATION_UNITS } from '../meter.ts';
import type { Step } from '../runtime/machine.ts';
import { referenceTo } from '../types.ts';
import { Ref, VariantValue } from '../values.ts';
import type { Emit, FunctionCompiler } from './compiler.ts';

type EmitVariant = (
  compiler: FunctionCompiler,
  definition: number,
  tag: number,
  args: number | undefined,
) => Step;

function variantAt(compiler: FunctionCompiler, definition: number, tag: number, args: number | undefined) {
  const { enum_handle } = entry(compiler.module.json.enum_defs, definition, 'enum');
  const type = compiler.ownDatatype(enum_handle, args);
  return { type, fields: entry(compiler.fieldsOf(type), tag, 'variant') };
}

const pack: EmitVariant = (compiler, definition, tag, args) => {
  const { type, fields } = variantAt(compiler, definition, tag, args);
  compiler.expectAll(fields);
  compiler.push(type);
  const count = fields.length;
  return ({ stack, meter }) => {
    meter.charge(ALLOCATION_UNITS);
    stack.push(new VariantValue(tag, stack.splice(stack.length - count, count)));
  };
};

function checkTag(value: VariantValue, tag: number): void {
  // The chain's VARIANT_TAG_MISMATCH: unpacking is only right after a switch on the same value.
  if (value.tag !== tag) throw new VmError('primitive', `the enum holds variant ${value.tag}, not ${tag}`);
}

const unpack: EmitVariant = (compiler, definition, tag, args) => {
  const { type, fields } = variantAt(compiler, definition, tag, args);
  compiler.expect(type);
  compiler.push(...fields);
  return (machine) => {
    const variant = machine.popVariant();
    checkTag(variant, tag);
    for (const value of variant.fields) machine.stack.push(value);
  };
};

function unpackReference(mutable: boolean): EmitVariant {
  return (compiler, definition, tag, args) => {
    const { type, fields } = variantAt(compiler, definition, tag, args);
    compiler.expectReference(type, mutable);
    compiler.push(...fields.map((field) => referenceTo(field, mutable)));
    const count = fields.length;
    return (machine) => {
      const variant = variantBehind(machine.popRef());
      checkTag(variant, tag);
      for (let i = 0; i < count; i += 1) machine.stack.push(new Ref(variant.fields, i));
    };
  };
}

function variantBehind(reference: Ref): VariantValue {
  const value = reference.read();
  if (!(value instanceof VariantValue)) throw brokenInvariant('an enum was expected');
  return value;
}

function plain(emit: EmitVariant): Emit {
  return (compiler, operand) => {
    const handle = entry(compiler.module.json.variant_handles, compiler.index(operand), 'variant handle');
    return emit(compiler, handle.enum_def, handle.variant, undefined);
  };
}

function generic(emit: EmitVariant): Emit {
  return (compiler, operand) => {
    const { json } = compiler.module;
    const handle = entry(json.variant_instantiation_handles, compiler.index(operand), 'variant handle');
    const { def, type_parameters } = entry(
      json.enum_def_instantiations,
      handle.enum_def,
      'enum instantiation',
    );
    return emit(compiler, def, handle.variant, type_parameters);
  };
}

export const enums: Record<string, Emit> = {
  PackVariant: plain(pack),
  PackVariantGeneric: generic(pack),
  UnpackVariant: plain(unpack),
  UnpackVariantGeneric: generic(unpack),
  UnpackVariantImmRef: plain(unpackReference(false)),
  UnpackVariantMutRef: plain(unpackReference(true)),
  UnpackVariantGenericImmRef: generic(unpackReference(false)),
  UnpackVariantGenericMutRef: generic(unpackReference(true)),
  VariantSwitch: (compiler, operand) => {
    const tables = compiler.fn.definition.code?.jump_tables ?? [];
    const { head_enum, jump_table } = entry(tables, compiler.index(operand), 'jump table');
    const { enum_handle, variants } = entry(compiler.module.json.enum_defs, head_enum, 'enum');
    const { to, mutable } = compiler.popReference();
    if (mutable) throw compiler.mismatch('a switch takes an immutable reference');
    if (to.kind !== 'datatype' || to.datatype !== compiler.module.datatypeAt(enum_handle)) {
      throw verificationError('ENUM_TYPE_MISMATCH', 'a switch over another enum');
    }
    if (jump_table.Full.length !== variants.length) {
      throw verificationError('INVALID_ENUM_SWITCH', 'a switch that has not one way for each variant');
    }
    const targets = jump_table.Full;
    return (machine, frame) => {
      frame.pc = targets[variantBehind(machine.popRef()).tag]!;
    };
  },
};
