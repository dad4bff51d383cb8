import { suiVerificationError } from '../errors.ts';
import { SUI } from '../framework.ts';
import type { LoadedModule } from '../loader/module.ts';
import { type Datatype, DROP, isOneTimeWitness } from '../types.ts';
import type { FunctionBody } from './body.ts';

/** The struct that a module's name in capitals names, with the one bool that the compiler gives to empty structs. */
function candidate(module: LoadedModule): Datatype | undefined {
  // The coin that the chain itself makes at its beginning.
  if (module.address === SUI && module.name === 'sui') return undefined;
  // As signatures and instructions name it: in an upgrade, the datatype of the version that first defined it.
  const named = module.package.datatype(module.name, module.name.toUpperCase());
  if (named?.body.kind !== 'struct') return undefined;
  const [field, ...more] = named.body.fields;
  return field?.type.kind === 'bool' && more.length === 0 ? named : undefined;
}

/** One-time witnesses: a struct that looks like one has `drop`, nothing else, and no type parameters. */
export function checkWitness(module: LoadedModule): void {
  const found = candidate(module);
  if (found === undefined || (found.abilities === DROP && found.parameters.length === 0)) return;
  throw suiVerificationError(
    `${module.name}::${found.name} must have the ability drop alone and no type parameters`,
  );
}

export function oneTimeWitnessOf(module: LoadedModule): Datatype | undefined {
  const found = candidate(module);
  return found !== undefined && isOneTimeWitness(found) ? found : undefined;
}

/** Only publishing makes a one-time witness: no code of its module does. */
export function checkWitnessNotMade(body: FunctionBody): void {
  const { module } = body;
  const witness = oneTimeWitnessOf(module);
  if (witness === undefined) return;
  for (const [pc, { name, operand }] of body.instructions.entries()) {
    if (name !== 'Pack') continue;
    const { struct_handle } = module.json.struct_defs[Number(operand)]!;
    if (module.datatypeAt(struct_handle) !== witness) continue;
    throw suiVerificationError(`the one-time witness ${witness.name} is made`).at(body.place(pc));
  }
}
