import { join } from 'node:path';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import { compilePackage, moduleId } from '@adaptor-marketplace/move-toolchain';
import { placeholderId } from '@adaptor-marketplace/move-toolchain/sources';
import { moveDir } from '../../../lib/contracts/move-dir.ts';
import { adaptorDir, folderByPackage, type PackageName, packageNames } from './world.ts';

/** Functions that no step calls. The value says why code within an action cannot call them. */
export const outOfReach: Readonly<Record<string, string>> = {
  'adaptor_registry::registry::migrate': "takes the UpgradeCap, which is the package's publisher's own",
  'rules::registry::migrate': "takes the UpgradeCap, which is the package's publisher's own",
  'agents::registry::migrate': "takes the UpgradeCap, which is the package's publisher's own",
  'escrow::cap_assessor::assess': "takes an AssessorCap, which stays the assessor's own: it has no store",
  'escrow::cap_assessor::cap_job_id': "takes an AssessorCap, which stays the assessor's own: it has no store",
};

/** All functions that other packages can call, as `package::module::function`, read from the bytecode. */
export async function publicFunctions(): Promise<string[]> {
  const found: string[] = [];
  for (const name of packageNames) {
    const { modules } = await compilePackage(join(moveDir, folderByPackage[name]), {
      allowUnpublished: true,
    });
    for (const bytes of modules) {
      const { function_defs, function_handles, identifiers } = parseModule(bytes);
      for (const { visibility, is_entry, function: handle } of function_defs) {
        if (visibility !== 'Public' && !is_entry) continue;
        found.push(`${name}::${moduleId(bytes).name}::${identifiers[function_handles[handle]!.name]}`);
      }
    }
  }
  return found.sort();
}

/** Functions that the interpreter's bytecode calls, and those that the transaction itself calls around it. */
export async function exercisedFunctions(): Promise<Set<string>> {
  const { modules } = await compilePackage(adaptorDir, { allowUnpublished: true });
  const names = new Map<string, PackageName>(
    packageNames.map((name) => [placeholderId(name).replace('0x', ''), name]),
  );
  return new Set(
    modules.flatMap((bytes) => {
      const { function_handles, module_handles, identifiers, address_identifiers } = parseModule(bytes);
      return function_handles.flatMap(({ module, name }) => {
        const { address, name: moduleName } = module_handles[module]!;
        const called = names.get(address_identifiers[address]!);
        return called ? [`${called}::${identifiers[moduleName]}::${identifiers[name]}`] : [];
      });
    }),
  );
}
