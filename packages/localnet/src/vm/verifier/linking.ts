import { linkModule } from '../code/linkage.ts';
import { verificationError } from '../errors.ts';
import { STD, SUI } from '../framework.ts';
import type { LoadedModule } from '../loader/module.ts';
import type { LoadedPackage } from '../loader/package.ts';

/**
 * What modules say of each other:
 *
 * - MISSING_DEPENDENCY: the modules that one names exist, and natives are the framework's alone;
 * - LOOKUP_FAILED, TYPE_MISMATCH: so do the datatypes and functions, visible to it and declared as it says;
 * - CYCLIC_MODULE_DEPENDENCY: modules of a package do not depend on each other in circles.
 */
export function checkLinks(module: LoadedModule): void {
  const { json } = module;
  for (const i of json.module_handles.keys()) {
    const { address, name } = module.moduleId(i);
    if (module.package.resolve(address).module(name) === undefined) {
      throw verificationError('MISSING_DEPENDENCY', `module ${address}::${name} does not exist`);
    }
  }
  // Resolving a handle checks that its target exists and is as the handle says.
  const linked = linkModule(module.package, module);
  for (const i of json.datatype_handles.keys()) module.datatypeAt(i);
  for (const i of json.function_handles.keys()) linked.callee(i);
  const native =
    module.address === STD || module.address === SUI ? undefined : module.functions.find((fn) => fn.isNative);
  if (native !== undefined) {
    throw verificationError(
      'MISSING_DEPENDENCY',
      `${native.name} is native, which only the framework may be`,
    );
  }
}

export function checkNotCyclic(owner: LoadedPackage): void {
  const done = new Set<string>();
  const path = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name)) return;
    if (path.has(name)) throw verificationError('CYCLIC_MODULE_DEPENDENCY', `${name} depends on itself`);
    path.add(name);
    const module = owner.module(name)!;
    for (const i of module.json.module_handles.keys()) {
      const id = module.moduleId(i);
      if (!module.isSelf(i) && id.address === module.address && owner.module(id.name)) visit(id.name);
    }
    path.delete(name);
    done.add(name);
  };
  for (const name of owner.content.modules.keys()) visit(name);
}
