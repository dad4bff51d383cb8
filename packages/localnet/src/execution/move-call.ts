import { type LinkedFunction, linkModule } from '../vm/code/linkage.ts';
import { VmError } from '../vm/errors.ts';
import { SUI } from '../vm/framework.ts';
import type { LoadedFunction } from '../vm/loader/module.ts';
import { abilitiesOf, substitute, type Type } from '../vm/types.ts';
import { copyValue, Ref, type Value } from '../vm/values.ts';
import { isPrivateGeneric } from '../vm/verifier/private-generics.ts';
import { Arguments } from './arguments.ts';
import { isHotPotato } from './cliques.ts';
import { argumentFailure, CommandFailure } from './failures.ts';
import { isTxContext } from './framework.ts';
import type { Program } from './program.ts';
import { ValueSlot } from './slots.ts';
import type { Command } from './types.ts';

type MoveCall = Extract<Command, { $kind: 'MoveCall' }>['MoveCall'];

/** Runs one `MoveCall`; its results become slots. */
export function runMoveCall(program: Program, call: MoveCall): void {
  const callee = findFunction(program, call);
  const { fn } = callee;
  const typeArgs = call.typeArguments.map((name, i) => typeArgument(program, name, i));
  checkTypeArguments(fn, typeArgs);
  const parameters = fn.parameters.map((type) => substitute(type, typeArgs));
  const returns = fn.returns.map((type) => substitute(type, typeArgs));
  checkMayCall(fn, parameters, returns, program.input.unchecked);
  const taken = parameters.filter((type) => !isContextReference(type)).length;
  if (taken !== call.arguments.length) {
    const message = `${fn.name} takes ${taken} arguments, ${call.arguments.length} given`;
    throw new CommandFailure({ kind: 'ArityMismatch', message });
  }
  const sendsFunds = isSendFunds(fn);
  const args = new Arguments(program, { mayTakeGas: sendsFunds });
  const given = call.arguments.entries();
  const values = parameters.map((type): Value => {
    // The network gives the context, wherever a function takes it.
    if (isContextReference(type)) return new Ref(program.txContext, 0);
    const [i, argument] = given.next().value!;
    return args.forParameter(argument, i, type);
  });
  args.checkBorrows();
  if (sendsFunds && call.arguments[0]?.$kind === 'GasCoin') program.gasSentTo = values[1] as string;
  if (isPrivateEntry(fn)) args.checkCold();
  program.session.running = { packageId: fn.module.package.id, module: fn.module.name };
  const results = program.machine.run(callee, typeArgs, values);
  const slots = results.map((value, i) => resultSlot(program, returns[i]!, value));
  const clique = args.entangle();
  for (const slot of slots) {
    slot.clique.join(clique);
    if (isHotPotato(slot.type)) slot.clique.heat(1);
  }
  program.addResults(slots);
  program.outputs.add(slots, args.mutated);
}

/** A returned reference stands for a copy of what it points at. */
function resultSlot({ session }: Program, type: Type, value: Value): ValueSlot {
  if (type.kind !== 'reference' || !(value instanceof Ref)) return new ValueSlot(type, value);
  return new ValueSlot(type.to, copyValue(value.read(), session.meter));
}

function findFunction(program: Program, call: MoveCall): LinkedFunction {
  const owner = program.load(call.package);
  const module = owner.module(call.module);
  const fn = module?.function(call.function);
  if (module === undefined || fn === undefined) {
    const message = `${call.package}::${call.module}::${call.function} does not exist`;
    throw new CommandFailure({ kind: 'FunctionNotFound', message });
  }
  return linkModule(program.linkage.scopeOf(owner, program.packages), module).function(fn);
}

/** A type that a command names; the chain's word for what is wrong with it. */
export function typeArgument(program: Program, name: string, index: number): Type {
  try {
    return program.type(name);
  } catch (error) {
    if (!(error instanceof VmError)) throw error;
    const word = error.kind === 'constraint' ? 'ConstraintNotSatisfied' : 'TypeNotFound';
    throw new CommandFailure({ kind: 'TypeArgumentError', argument: index, error: word });
  }
}

function checkTypeArguments(fn: LoadedFunction, typeArgs: Type[]): void {
  if (typeArgs.length !== fn.constraints.length) {
    const message = `${fn.name} takes ${fn.constraints.length} type arguments, ${typeArgs.length} given`;
    // The chain loads the function with its type arguments, and reports bytecode that cannot be loaded.
    throw new CommandFailure({ kind: 'VMVerificationOrDeserializationError', message });
  }
  for (const [argument, type] of typeArgs.entries()) {
    const needed = fn.constraints[argument]!;
    if ((abilitiesOf(type) & needed) !== needed) {
      throw new CommandFailure({ kind: 'TypeArgumentError', argument, error: 'ConstraintNotSatisfied' });
    }
  }
}

/** `sui::coin::send_funds`: the only function that takes the gas coin by value. */
function isSendFunds({ module, name }: LoadedFunction): boolean {
  return module.address === SUI && module.name === 'coin' && name === 'send_funds';
}

function isPrivateEntry(fn: LoadedFunction): boolean {
  return fn.isEntry && fn.visibility !== 'Public';
}

function checkMayCall(fn: LoadedFunction, parameters: Type[], returns: Type[], unchecked = false): void {
  const index = returns.findIndex((type) => type.kind === 'reference');
  if (index >= 0 && !unchecked) throw new CommandFailure({ kind: 'InvalidPublicFunctionReturnType', index });
  checkContexts(parameters, returns);
  const { module } = fn;
  const callable = fn.visibility === 'Public' || fn.isEntry || (unchecked && fn.name !== 'init');
  if (!callable || isPrivateGeneric(module.address, module.name, fn.name)) {
    throw new CommandFailure({ kind: 'NonEntryFunctionInvoked' });
  }
}

/** The context is borrowed once mutably, or as often as wanted immutably; it is never taken or returned. */
function checkContexts(parameters: Type[], returns: Type[]): void {
  const mutable = parameters.flatMap((type, i) =>
    isContextReference(type) && type.kind === 'reference' && type.mutable ? [i] : [],
  );
  const isShared = parameters.filter(isContextReference).length > 1;
  const wrong = [
    parameters.findIndex(isTxContext),
    mutable[1] ?? (isShared ? mutable[0] : undefined) ?? -1,
    returns.findIndex((type) => isTxContext(type) || isContextReference(type)),
  ].find((index) => index >= 0);
  if (wrong !== undefined) throw argumentFailure(wrong, 'InvalidTxContext');
}

function isContextReference(type: Type): boolean {
  return type.kind === 'reference' && isTxContext(type.to);
}
