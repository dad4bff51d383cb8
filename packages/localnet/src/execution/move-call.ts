import { type LinkedFunction, linkModule } from '../vm/code/linkage.ts';
import { VmError } from '../vm/errors.ts';
import type { LoadedFunction } from '../vm/loader/module.ts';
import { abilitiesOf, substitute, type Type } from '../vm/types.ts';
import { Ref, type Value } from '../vm/values.ts';
import { isPrivateGeneric } from '../vm/verifier/private-generics.ts';
import { Arguments } from './arguments.ts';
import { isHotPotato } from './cliques.ts';
import { CommandFailure } from './failures.ts';
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
  checkMayCall(fn);
  const parameters = fn.parameters.map((type) => substitute(type, typeArgs));
  const returns = fn.returns.map((type) => substitute(type, typeArgs));
  const hasContext = endsWithTxContext(parameters);
  const taken = hasContext ? parameters.slice(0, -1) : parameters;
  if (taken.length !== call.arguments.length) {
    const message = `${fn.name} takes ${taken.length} arguments, ${call.arguments.length} given`;
    throw new CommandFailure({ kind: 'ArityMismatch', message });
  }
  const args = new Arguments(program, { mayTakeGas: false });
  const values: Value[] = call.arguments.map((argument, i) => args.forParameter(argument, i, taken[i]!));
  if (isPrivateEntry(fn)) args.checkCold();
  if (hasContext) values.push(new Ref(program.txContext, 0));
  program.session.running = { packageId: fn.module.package.id, module: fn.module.name };
  const results = program.machine.run(callee, typeArgs, values);
  const slots = results.map((value, i) => new ValueSlot(returns[i]!, value));
  const clique = args.entangle();
  for (const slot of slots) {
    slot.clique.join(clique);
    if (isHotPotato(slot.type)) slot.clique.heat(1);
  }
  program.results.push(slots);
  program.outputs.add(slots, args.mutated);
}

function findFunction(program: Program, call: MoveCall): LinkedFunction {
  const owner = program.packages.load(call.package, program.input.readObject);
  const module = owner.module(call.module);
  const fn = module?.function(call.function);
  if (module === undefined || fn === undefined) {
    const message = `${call.package}::${call.module}::${call.function} does not exist`;
    throw new CommandFailure({ kind: 'FunctionNotFound', message });
  }
  return linkModule(owner, module).function(fn);
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
    throw new CommandFailure({ kind: 'TypeArityMismatch', message });
  }
  for (const [argument, type] of typeArgs.entries()) {
    const needed = fn.constraints[argument]!;
    if ((abilitiesOf(type) & needed) !== needed) {
      throw new CommandFailure({ kind: 'TypeArgumentError', argument, error: 'ConstraintNotSatisfied' });
    }
  }
}

function isPrivateEntry(fn: LoadedFunction): boolean {
  return fn.isEntry && fn.visibility !== 'Public';
}

function checkMayCall(fn: LoadedFunction): void {
  const { module } = fn;
  const callable = fn.visibility === 'Public' || fn.isEntry;
  if (!callable || isPrivateGeneric(module.address, module.name, fn.name)) {
    throw new CommandFailure({ kind: 'NonEntryFunctionInvoked' });
  }
  const index = fn.returns.findIndex((type) => type.kind === 'reference');
  if (index >= 0) throw new CommandFailure({ kind: 'InvalidPublicFunctionReturnType', index });
}

function endsWithTxContext(parameters: Type[]): boolean {
  const last = parameters.at(-1);
  return last?.kind === 'reference' && isTxContext(last.to);
}
