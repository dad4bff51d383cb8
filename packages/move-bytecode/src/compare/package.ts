import { refuse } from '../error.ts';
import {
  compareModules,
  type ModuleComparison,
  readModule,
  readModuleName,
  readOwnAddress,
  type Verdict,
  verdicts,
} from './module.ts';

export interface PackageComparison {
  /** The worst verdict of its modules, and `differs` if a module is missing on one side. */
  verdict: Verdict;
  /** Modules that both sides have, by name. */
  modules: ModuleComparison[];
  /** Names of modules on chain that the build does not have. */
  missing: string[];
  /** Names of modules of the build that are not on chain. */
  extra: string[];
}

/** Maximum number of modules of a package. */
const modulesMax = 1_000;

/**
 * Compares the modules of a package on chain with those of a build, in any order. The modules of an upgraded package have
 * the id of its first version as their own address, whatever address the build has.
 * @throws BytecodeError if one of them is not a module, or a side has two of the same name or at different addresses
 */
export function comparePackages(
  onChain: Iterable<Uint8Array>,
  built: Iterable<Uint8Array>,
): PackageComparison {
  const [left, right] = [indexByName(onChain), indexByName(built)];
  const names = [...left.keys()].sort();
  const modules = names.flatMap((name) => {
    const counterpart = right.get(name);
    return counterpart ? [compareModules(left.get(name)!, counterpart)] : [];
  });
  const missing = names.filter((name) => !right.has(name));
  const extra = [...right.keys()].filter((name) => !left.has(name)).sort();
  const isComplete = missing.length === 0 && extra.length === 0 && modules.length > 0;
  return {
    verdict: isComplete ? findWorst(modules.map(({ verdict }) => verdict)) : 'differs',
    modules,
    missing,
    extra,
  };
}

/** The worst of several verdicts. */
function findWorst(found: readonly Verdict[]): Verdict {
  return verdicts[Math.max(...found.map((verdict) => verdicts.indexOf(verdict)))]!;
}

function indexByName(modules: Iterable<Uint8Array>): Map<string, Uint8Array> {
  const byName = new Map<string, Uint8Array>();
  let address: string | undefined;
  for (const bytes of modules) {
    const module = readModule(bytes);
    const name = readModuleName(module);
    address ??= readOwnAddress(module);
    // The own address of a module has no meaning in its comparison: a call from one of these to the other would not be one.
    if (address !== readOwnAddress(module))
      throw refuse('SEVERAL_ADDRESSES', `${name} is at another address than the modules before`);
    if (byName.has(name)) throw refuse('DUPLICATE_MODULE', `two modules have the name ${name}`);
    byName.set(name, bytes);
    if (byName.size > modulesMax) throw refuse('TOO_MANY_MODULES', `more than ${modulesMax} modules`);
  }
  return byName;
}
