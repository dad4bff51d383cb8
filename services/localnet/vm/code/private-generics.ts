import { verificationError } from '../errors.ts';
import { SUI } from '../framework.ts';
import type { ModuleJson } from '../loader/bytecode.ts';
import type { LoadedModule } from '../loader/module.ts';
import type { Type } from '../types.ts';

/** Functions of the framework that only the module defining the type argument may call (the chain's rule). */
const PRIVATE_GENERICS = new Map([
  ['event', new Set(['emit', 'emit_authenticated'])],
  ['transfer', new Set(['transfer', 'share_object', 'freeze_object', 'receive', 'party_transfer'])],
]);

export function isPrivateGeneric(address: string, module: string, name: string): boolean {
  return address === SUI && (PRIVATE_GENERICS.get(module)?.has(name) ?? false);
}

/** Throws when `caller` calls a private generic with a type of another module. */
export function checkPrivateGenerics(
  caller: LoadedModule,
  handle: ModuleJson['function_handles'][number],
  typeArgs: readonly Type[],
): void {
  const callee = caller.moduleId(handle.module);
  const name = caller.identifier(handle.name);
  // The framework's own module forwards its public functions to the private ones.
  if (caller.isSelf(handle.module) || !isPrivateGeneric(callee.address, callee.name, name)) return;
  const [type] = typeArgs;
  const own =
    type?.kind === 'datatype' &&
    type.datatype.originalId === caller.address &&
    type.datatype.module === caller.name;
  if (!own) throw verificationError(`${callee.name}::${name} needs a type that ${caller.name} defines`);
}
