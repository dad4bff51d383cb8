import { brokenInvariant, entry, verificationError } from '../errors.ts';
import type { Step } from '../runtime/machine.ts';
import { COPY, DROP, referenceTo } from '../types.ts';
import { copyValue, Ref, StructValue } from '../values.ts';
import type { Emit, FunctionCompiler } from './compiler.ts';

function borrowField(
  compiler: FunctionCompiler,
  handle: number,
  args: number | undefined,
  mutable: boolean,
): Step {
  const { json } = compiler.module;
  const { owner, field } = entry(json.field_handles, handle, 'field handle');
  const definition = entry(json.struct_defs, owner, 'struct');
  const type = compiler.ownDatatype(definition.struct_handle, args);
  compiler.expectReference(type, mutable);
  compiler.push(referenceTo(entry(compiler.fieldsOf(type)[0]!, field, 'field'), mutable));
  return (machine) => {
    const struct = machine.popRef().read();
    if (!(struct instanceof StructValue)) throw brokenInvariant('a struct was expected');
    machine.stack.push(new Ref(struct.fields, field));
  };
}

function borrow(mutable: boolean): Emit {
  return (compiler, operand) => borrowField(compiler, compiler.index(operand), undefined, mutable);
}

function borrowGeneric(mutable: boolean): Emit {
  return (compiler, operand) => {
    const { handle, type_parameters } = entry(
      compiler.module.json.field_instantiations,
      compiler.index(operand),
      'field instantiation',
    );
    return borrowField(compiler, handle, type_parameters, mutable);
  };
}

export const references: Record<string, Emit> = {
  ImmBorrowField: borrow(false),
  MutBorrowField: borrow(true),
  ImmBorrowFieldGeneric: borrowGeneric(false),
  MutBorrowFieldGeneric: borrowGeneric(true),
  ReadRef: (compiler) => {
    const { to } = compiler.popReference();
    compiler.require(to, COPY, 'READREF_WITHOUT_COPY_ABILITY');
    compiler.push(to);
    return (machine) => {
      const value = machine.popRef().read();
      machine.stack.push(typeof value === 'object' ? copyValue(value, machine.meter) : value);
    };
  },
  WriteRef: (compiler) => {
    const { to, mutable } = compiler.popReference();
    if (!mutable) {
      throw verificationError(
        'WRITEREF_NO_MUTABLE_REFERENCE_ERROR',
        'writing through an immutable reference',
      );
    }
    compiler.require(to, DROP, 'WRITEREF_WITHOUT_DROP_ABILITY');
    compiler.expect(to);
    return (machine) => {
      const reference = machine.popRef();
      reference.write(machine.stack.pop()!);
    };
  },
  FreezeRef: (compiler) => {
    const { to, mutable } = compiler.popReference();
    if (!mutable) throw compiler.mismatch('freezing an immutable reference');
    compiler.push(referenceTo(to, false));
    return () => {};
  },
};
