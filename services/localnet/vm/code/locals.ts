import { deserializeValue } from '../bcs.ts';
import { entry, verificationError } from '../errors.ts';
import { COPY, DROP, hasAbility, referenceTo } from '../types.ts';
import { copyValue, Ref } from '../values.ts';
import type { Emit } from './compiler.ts';

function borrow(mutable: boolean): Emit {
  return (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    if (type.kind === 'reference') throw verificationError('a reference to a reference');
    compiler.push(referenceTo(type, mutable));
    return ({ stack }, { locals }) => {
      if (locals[index] === undefined) throw verificationError(`local ${index} is borrowed but has no value`);
      stack.push(new Ref(locals, index));
    };
  };
}

export const locals: Record<string, Emit> = {
  CopyLoc: (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    compiler.require(type, COPY, 'a copy');
    compiler.push(type);
    return (machine, frame) => {
      const value = frame.locals[index];
      if (value === undefined) throw verificationError(`local ${index} is copied but has no value`);
      machine.stack.push(typeof value === 'object' ? copyValue(value, machine.meter) : value);
    };
  },
  MoveLoc: (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    compiler.push(type);
    return ({ stack }, { locals }) => {
      const value = locals[index];
      if (value === undefined) throw verificationError(`local ${index} is moved but has no value`);
      locals[index] = undefined;
      stack.push(value);
    };
  },
  StLoc: (compiler, operand) => {
    const { index, type } = compiler.local(operand);
    compiler.expect(type);
    if (hasAbility(type, DROP)) {
      return ({ stack }, { locals }) => {
        locals[index] = stack.pop();
      };
    }
    return ({ stack }, { locals }) => {
      if (locals[index] !== undefined)
        throw verificationError(`local ${index} would lose a value without drop`);
      locals[index] = stack.pop();
    };
  },
  ImmBorrowLoc: borrow(false),
  MutBorrowLoc: borrow(true),
  Pop: (compiler) => {
    compiler.require(compiler.pop(), DROP, 'a drop');
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
