import { entry } from '../errors.ts';
import { ALLOCATION_UNITS } from '../meter.ts';
import type { Step } from '../runtime/machine.ts';
import { StructValue } from '../values.ts';
import type { Emit, FunctionCompiler } from './compiler.ts';

function structAt(compiler: FunctionCompiler, definition: number, args: number | undefined) {
  const { struct_handle } = entry(compiler.module.json.struct_defs, definition, 'struct');
  const type = compiler.ownDatatype(struct_handle, args);
  return { type, fields: compiler.fieldsOf(type)[0]! };
}

function pack(compiler: FunctionCompiler, definition: number, args: number | undefined): Step {
  const { type, fields } = structAt(compiler, definition, args);
  compiler.expectAll(fields);
  compiler.push(type);
  const count = fields.length;
  return ({ stack, meter }) => {
    meter.charge(ALLOCATION_UNITS);
    stack.push(new StructValue(stack.splice(stack.length - count, count)));
  };
}

function unpack(compiler: FunctionCompiler, definition: number, args: number | undefined): Step {
  const { type, fields } = structAt(compiler, definition, args);
  compiler.expect(type);
  compiler.push(...fields);
  return (machine) => {
    for (const value of machine.popStruct().fields) machine.stack.push(value);
  };
}

type EmitStruct = (compiler: FunctionCompiler, definition: number, args: number | undefined) => Step;

function plain(emit: EmitStruct): Emit {
  return (compiler, operand) => emit(compiler, compiler.index(operand), undefined);
}

function generic(emit: EmitStruct): Emit {
  return (compiler, operand) => {
    const instantiations = compiler.module.json.struct_def_instantiations;
    const { def, type_parameters } = entry(instantiations, compiler.index(operand), 'struct instantiation');
    return emit(compiler, def, type_parameters);
  };
}

export const structs: Record<string, Emit> = {
  Pack: plain(pack),
  PackGeneric: generic(pack),
  Unpack: plain(unpack),
  UnpackGeneric: generic(unpack),
};
