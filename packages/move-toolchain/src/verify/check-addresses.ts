import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { readModule } from '@adaptor-marketplace/move-bytecode/compare';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { MoveCompileError } from '../compile-error.ts';
import { frameworkParts } from '../fetcher.ts';
import { Manifest, ownAddresses } from '../manifest.ts';
import type { PackageFiles } from '../package-files.ts';
import { packageName, placeholderId } from '../package-names.ts';
import type { BuildHost } from './build-host.ts';
import type { BuiltDependency } from './built.ts';
import type { PreparedSource } from './source.ts';

/**
 * Checks that a build is one package, and that each module it uses is of a dependency with an address of the build's choice, or
 * of the framework. Code of any other address is not on chain what the source shows, and no report would name it.
 * @throws MoveCompileError
 * @throws BytecodeError if a module exceeds the limits of the chain
 */
export async function checkAddresses(
  modules: readonly Uint8Array[],
  dependencies: readonly BuiltDependency[],
  host: Pick<BuildHost, 'readFrameworkPart'>,
): Promise<void> {
  const parsed = modules.map(readModule);
  const owns = new Set(parsed.map((module) => listHandles(module)[module.self_module_handle_idx]!.address));
  if (owns.size > 1) {
    throw new MoveCompileError(
      `The package declares modules at several addresses: ${[...owns].sort().join(', ')}. A package on chain has one: name the modules by it.`,
    );
  }
  const known = new Set([...owns, ...dependencies.map(({ address }) => address)]);
  const framework = await listFrameworkModules(host);
  for (const { address, name } of parsed.flatMap(listHandles)) {
    if (known.has(address) || framework.has(`${address}::${name}`)) continue;
    throw new MoveCompileError(
      `The source declares ${address}::${name} at a fixed address, outside of the package. Name the address in the Move.toml of the module's package, and declare the module by that name.`,
    );
  }
}

/**
 * Returns true for a package that is built at the address that its manifest names, since its source reads the address as a value. Its
 * constants and the comparisons that the compiler computes are then those that the source shows.
 * @param packages the package and those that it uses
 */
export function keepsOwnAddress(files: PackageFiles, packages: Iterable<PackageFiles>): boolean {
  const read = listRead(packages);
  const manifest = new Manifest(files);
  return [...ownAddresses(files)].some(
    (name) => isRead(name, read) && manifest.readAddress(name) !== undefined,
  );
}

/**
 * Finds an address of a dependency with another value in the source than in its build. A name that modules are declared by gets the
 * address of their package, whatever value manifests have: that of another one would be other constants than the source shows, and
 * other comparisons that the compiler computes. A name that no source reads as a value is in neither.
 * @param ids ids of dependencies on chain, by their names
 * @returns why the source is not built
 */
export function findOtherAddress(
  { folder, packages }: Pick<PreparedSource, 'folder' | 'packages'>,
  ids: ReadonlyMap<string, string>,
): string | undefined {
  const read = listRead(packages.values());
  const manifests = new Map([...packages].map(([dir, files]) => [dir, new Manifest(files)]));
  for (const [dir, files] of packages) {
    if (dir === folder) continue;
    const { packageName: name } = manifests.get(dir)!;
    for (const address of ownAddresses(files)) {
      const values = [...manifests.values()].flatMap((manifest) => manifest.readAddress(address) ?? []);
      if (!isRead(address, read) || values.every((value) => isSame(value, ids.get(name)))) continue;
      return `The package ${name} declares modules by the address ${address}, which is read as @${address} and has a value in Move.toml. Set it to "0x0".`;
    }
  }
  return undefined;
}

const isRead = (address: string, read: ReadonlySet<string>) => read.has(address) || read.has('');

/**
 * Returns true for source that reads no address as a value, and does not write out one that is made up from the name of a package.
 * The compiler's output has these in its tables of addresses alone then, and does not depend on them otherwise.
 * @throws MoveCompileError for a package without a name
 */
export function isFreeOfAddresses(packages: Iterable<PackageFiles>): boolean {
  const all = [...packages];
  if (listRead(all).size > 0) return false;
  const madeUp = all.map((files) => BigInt(placeholderId(packageName(files))));
  const spellings = new Set(madeUp.flatMap((id) => [`${id}`, `0x${id.toString(16)}`]));
  return all.every((files) =>
    Object.values(files).every((text) =>
      [...text.matchAll(/\b\d\w*/g)].every(([number]) => !spellings.has(spellNumber(number))),
    ),
  );
}

/** A number without leading zeros and separators, in lower case. */
const spellNumber = (text: string) =>
  text
    .replaceAll('_', '')
    .toLowerCase()
    .replace(/^(0x)?0+/, '$1');

const isSame = (value: string, id: string | undefined) =>
  id !== undefined && normalizeSuiAddress(value) === normalizeSuiAddress(id);

/** Lists the words behind each `@` of the sources, those in comments included. The empty word can be any. */
function listRead(packages: Iterable<PackageFiles>): Set<string> {
  const texts = [...packages].flatMap((files) =>
    Object.entries(files).flatMap(([path, text]) => (path.endsWith('.move') ? [text] : [])),
  );
  return new Set(texts.flatMap((text) => [...text.matchAll(/@(\w*)/g)].map(([, word]) => word!)));
}

function listHandles(module: ModuleJson): { address: string; name: string }[] {
  return module.module_handles.map(({ address, name }) => ({
    address: `0x${module.address_identifiers[address]}`,
    name: module.identifiers[name]!,
  }));
}

const frameworkIds: Readonly<Record<string, string>> = { std: '1', sui: '2', sui_system: '3' };

async function listFrameworkModules({
  readFrameworkPart,
}: Pick<BuildHost, 'readFrameworkPart'>): Promise<Set<string>> {
  const parts = await Promise.all(frameworkParts.map(readFrameworkPart));
  const texts = parts.flatMap((files) => Object.values(files));
  return new Set(
    texts
      .flatMap((text) => [...text.matchAll(/^module (\w+)::(\w+)/gm)])
      .map(([, packageName, name]) => `0x${frameworkIds[packageName!]!.padStart(64, '0')}::${name}`),
  );
}
