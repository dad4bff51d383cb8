import { entry, VmError } from '../errors.ts';
import type { Step } from '../runtime/machine.ts';
import { NO_TYPES, typesIn } from '../type-args.ts';
import { BOOL, checkTypeArguments, substitute, type Type, U64 } from '../types.ts';
import type { Emit, FunctionCompiler } from './compiler.ts';

function branchOn(wanted: boolean): Emit {
  return (compiler, operand) => {
    compiler.expect(BOOL);
    const target = compiler.index(operand);
    return ({ stack }, frame) => {
      if (stack.pop() === wanted) frame.pc = target;
    };
  };
}

function emitCall(compiler: FunctionCompiler, handleIndex: number, typeArgs: readonly Type[]): Step {
  const { module } = compiler;
  const handle = entry(module.json.function_handles, handleIndex, 'function handle');
  checkTypeArguments(typeArgs, handle.type_parameters);
  const parameters = module.signature(handle.parameters, handle.type_parameters);
  const returns = module.signature(handle.return_, handle.type_parameters);
  compiler.expectAll(parameters.map((type) => substitute(type, typeArgs)));
  compiler.push(...returns.map((type) => substitute(type, typeArgs)));
  if (typeArgs.length === 0) {
    return (machine, frame) => machine.call(frame.callee.linked.callee(handleIndex), NO_TYPES);
  }
  const types = typesIn(typeArgs);
  return (machine, frame) => machine.call(frame.callee.linked.callee(handleIndex), types(frame));
}

export const control: Record<string, Emit> = {
  Nop: () => () => {},
  Branch: (compiler, operand) => {
    const target = compiler.index(operand);
    return (_, frame) => {
      frame.pc = target;
    };
  },
  BrTrue: branchOn(true),
  BrFalse: branchOn(false),
  Call: (compiler, operand) => emitCall(compiler, compiler.index(operand), NO_TYPES),
  CallGeneric: (compiler, operand) => {
    const instantiations = compiler.module.json.function_instantiations;
    const { handle, type_parameters } = entry(instantiations, compiler.index(operand), 'call instantiation');
    const typeArgs = compiler.typeArguments(type_parameters);
    return emitCall(compiler, handle, typeArgs);
  },
  Ret: (compiler) => {
    compiler.expectAll(compiler.fn.returns);
    return (machine, frame) => machine.ret(frame);
  },
  Abort: (compiler) => {
    compiler.expect(U64);
    return ({ stack }) => {
      const code = stack.pop() as bigint;
      throw new VmError('abort', `aborted with code ${code}`, code);
    };
  },
};
