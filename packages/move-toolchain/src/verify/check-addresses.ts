import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { readModule } from '@adaptor-marketplace/move-bytecode/compare';
import type { PackageFiles } from '../builder.ts';
import { MoveCompileError } from '../compile-error.ts';
import { Manifest, ownAddresses, spell } from '../manifest.ts';
import { readFramework } from '../sources.ts';
import type { BuiltDependency } from './build.ts';

/**
 * Checks that a build is one package, and that each module it uses is of a dependency with an address of the build's choice, or
 * of the framework. Code of any other address is not on chain what the source shows, and no report would name it.
 * @throws MoveCompileError
 * @throws BytecodeError if a module exceeds the limits of the chain
 */
export async function checkAddresses(
  modules: readonly Uint8Array[],
  dependencies: readonly BuiltDependency[],
): Promise<void> {
  const parsed = modules.map(readModule);
  const owns = new Set(parsed.map((module) => listHandles(module)[module.self_module_handle_idx]!.address));
  if (owns.size > 1) {
    throw new MoveCompileError(
      `The package declares modules at several addresses: ${[...owns].sort().join(', ')}. A package on chain has one: name the modules by it.`,
    );
  }
  const known = new Set([...owns, ...dependencies.map(({ address }) => address)]);
  const framework = await listFrameworkModules();
  for (const { address, name } of parsed.flatMap(listHandles)) {
    if (known.has(address) || framework.has(`${address}::${name}`)) continue;
    throw new MoveCompileError(
      `The source declares ${address}::${name} at a fixed address, outside of the package. Name the address in the Move.toml of the module's package, and declare the module by that name.`,
    );
  }
}

/**
 * Checks that a package changes no address but its own for the build. A name that modules are declared by gets the address of the
 * package, whatever value the manifest has: that of another one would be other constants than the source shows. A name that no
 * source reads as a value is in no constant.
 * @param packages the package, and all that it is built with
 * @throws MoveCompileError
 */
export function checkNames(files: PackageFiles, packages: Iterable<PackageFiles>): void {
  const manifest = new Manifest(files);
  const name = manifest.packageName;
  const others = manifest
    .listMovedAddresses(ownAddresses(files))
    .filter((moved) => spell(moved) !== spell(name));
  const other = others.length > 0 && others.find((moved) => isRead(moved, packages));
  if (!other) return;
  throw new MoveCompileError(
    `The package ${name} declares modules by the address ${other}, which has a value in Move.toml and is read as @${other}. Name that address as the package, or set it to "0x0".`,
  );
}

/** Returns true unless each `@` of the sources, those in comments included, is before another word. */
function isRead(name: string, packages: Iterable<PackageFiles>): boolean {
  return [...packages]
    .flatMap((files) => Object.entries(files))
    .filter(([path]) => path.endsWith('.move'))
    .flatMap(([, text]) => [...text.matchAll(/@(\w*)/g)])
    .some(([, word]) => word === '' || word === name);
}

function listHandles(module: ModuleJson): { address: string; name: string }[] {
  return module.module_handles.map(({ address, name }) => ({
    address: `0x${module.address_identifiers[address]}`,
    name: module.identifiers[name]!,
  }));
}

const frameworkIds: Readonly<Record<string, string>> = { std: '1', sui: '2', sui_system: '3' };

async function listFrameworkModules(): Promise<Set<string>> {
  const texts = Object.values(await readFramework());
  return new Set(
    texts
      .flatMap((text) => [...text.matchAll(/^module (\w+)::(\w+)/gm)])
      .map(([, packageName, name]) => `0x${frameworkIds[packageName!]!.padStart(64, '0')}::${name}`),
  );
}
