import { parseModule } from '@adaptor-marketplace/move-bytecode';
import type { BuiltDependency } from './built.ts';

/**
 * Finds the packages on chain that the dependencies of a build stand for. Source does not say it: a folder has no address.
 * A dependency is the package from which the same modules use modules of the same names. If code differs, it is the
 * package with the most names in common.
 * @returns original ids by the names of dependencies. Those without a counterpart are not among them
 */
export function matchDependencies(
  onChain: Iterable<Uint8Array>,
  built: Iterable<Uint8Array>,
  dependencies: readonly BuiltDependency[],
): Map<string, string> {
  const [used, expected] = [listUses(onChain), listUses(built)];
  const free = new Map([...used].filter(([address]) => !expected.has(address) && !isFramework(address)));
  const found = new Map<string, string>();
  for (const { name, address: builtAddress } of dependencies) {
    const uses = expected.get(builtAddress.slice(2));
    if (!uses) continue;
    const ranked = [...free]
      .map(([address, candidate]) => ({
        address,
        score: countCommon(uses, candidate) - Math.abs(uses.size - candidate.size) / 1_000,
      }))
      .sort((a, b) => b.score - a.score);
    const best = ranked[0];
    if (best && best.score > 0) {
      found.set(name, `0x${best.address}`);
      free.delete(best.address);
    }
  }
  return found;
}

/** Packages of the chain itself, 0x1 to 0x3. No package of the source stands for them: the build has its own. */
const isFramework = (address: string) => /^0{63}[1-3]$/.test(address);

/** Modules that are used, each with the module that uses it, by the address of their package. */
function listUses(modules: Iterable<Uint8Array>): Map<string, Set<string>> {
  const uses = new Map<string, Set<string>>();
  for (const bytes of modules) {
    const { module_handles: handles, self_module_handle_idx: self, ...module } = parseModule(bytes);
    const own = handles[self]!;
    for (const { address, name } of handles) {
      if (address === own.address) continue;
      const key = module.address_identifiers[address]!;
      const use = `${module.identifiers[own.name]} ${module.identifiers[name]}`;
      uses.set(key, (uses.get(key) ?? new Set()).add(use));
    }
  }
  return uses;
}

function countCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((use) => other.has(use)).length;
}
