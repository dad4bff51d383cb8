import { deserializeValue } from '../bcs.ts';
import { entry, verificationError } from '../errors.ts';
import { COPY, DROP, referenceTo } from '../types.ts';
import { copyValue, Ref } from '../values.ts';
import type { Emit } from './compiler.ts';

function borrow(mutable: boolean): Emit {
  return (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    if (type.kind === 'reference')
      throw verificationError('BORROWLOC_REFERENCE_ERROR', 'a reference to a reference');
    compiler.push(referenceTo(type, mutable));
    return ({ stack }, { locals }) => {
      stack.push(new Ref(locals, index));
    };
  };
}

export const locals: Record<string, Emit> = {
  CopyLoc: (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    compiler.require(type, COPY, 'COPYLOC_WITHOUT_COPY_ABILITY');
    compiler.push(type);
    return (machine, frame) => {
      const value = frame.locals[index]!;
      machine.stack.push(typeof value === 'object' ? copyValue(value, machine.meter) : value);
    };
  },
  MoveLoc: (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    compiler.push(type);
    return ({ stack }, { locals }) => {
      stack.push(locals[index]!);
      locals[index] = undefined;
    };
  },
  StLoc: (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    compiler.expect(type);
    return ({ stack }, { locals }) => {
      locals[index] = stack.pop();
    };
  },
  ImmBorrowLoc: borrow(false),
  MutBorrowLoc: borrow(true),
  Pop: (compiler) => {
    compiler.require(compiler.pop(), DROP, 'POP_WITHOUT_DROP_ABILITY');
    return ({ stack }) => {
      stack.pop();
    };
  },
  LdConst: (compiler, operand) => {
    const { module } = compiler;
    const constant = entry(module.json.constant_pool, compiler.index(operand), 'constant');
    const type = module.type(constant.type_, []);
    const value = deserializeValue(type, Uint8Array.from(constant.data));
    compiler.push(type);
    return (machine) => {
      machine.stack.push(typeof value === 'object' ? copyValue(value, machine.meter) : value);
    };
  },
};
