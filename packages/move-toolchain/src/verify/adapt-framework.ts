import { Manifest } from '../manifest.ts';
import type { PackageFiles } from '../package-files.ts';
import type { CompilerVersion } from './built.ts';

/** Modules of the framework that use language features after Sui 1.26. Those that use them go with them. */
const newModules = ['coin_registry', 'derived_object'];

/**
 * The framework as an older compiler accepts it. Signatures stay, and so does what packages compile to: no macro that
 * packages could call is changed. Other packages stay as they are.
 */
export function adaptFramework(files: PackageFiles, compiler: CompilerVersion): PackageFiles {
  if (!/^(?:MoveStdlib|Sui|sui_system)$/.test(new Manifest(files).packageName)) return files;
  const adapted: PackageFiles = {};
  const old = compiler === '1.26.2';
  const absent = old ? findUsers(files, newModules) : new Set<string>();
  for (const [path, text] of Object.entries(files)) {
    if (!path.endsWith('.move'))
      adapted[path] = old ? text.replace('edition = "2024"', 'edition = "2024.beta"') : text;
    else if (!absent.has(nameModule(path))) {
      const accepted = withoutSystemObjects(text);
      adapted[path] = old ? writeIn2024Beta(accepted) : accepted;
    }
  }
  return adapted;
}

const nameModule = (path: string) =>
  path
    .split('/')
    .at(-1)!
    .replace(/\.move$/, '');

/** The named modules, and all modules that use them, directly or not. */
function findUsers(files: PackageFiles, names: readonly string[]): Set<string> {
  const found = new Set(names);
  // A set that grows while it is read: the loop also sees what it adds.
  for (const name of found) {
    const use = new RegExp(String.raw`\b(?:sui|std)::${name}\b|\b${name}::`);
    for (const [path, text] of Object.entries(files)) {
      if (path.endsWith('.move') && use.test(text)) found.add(nameModule(path));
    }
  }
  return found;
}

/** Without the private functions that create system objects: the verifier of a compiler knows those of its time only. */
function withoutSystemObjects(text: string): string {
  return /^module sui::(?:accumulator|address_alias|coin_registry|display_registry);/m.test(text)
    ? text.replace(/^(?:#\[allow\(unused_function\)\]\n)?fun create\([\s\S]*?^\}\n/m, '')
    : text;
}

/** Without what Sui 1.26 does not know: modules without braces, and macros of vectors that use options. */
function writeIn2024Beta(text: string): string {
  const known = text
    .replace(/(?:^\/\/\/.*\n)*^public macro fun [^{]*\): Option<[\s\S]*?^\}\n/gm, (macro) =>
      /^module std::vector;/m.test(text) ? '' : macro,
    )
    .replace(
      'self.contents.find_index!(|entry| &entry.key == key)',
      'let mut at = 0; while (at < self.contents.length()) { if (&self.contents[at].key == key) return option::some(at); at = at + 1 }; option::none()',
    );
  return /^module \w+::\w+;/m.test(known)
    ? `${known.replace(/^module (\w+::\w+);/m, 'module $1 {')}\n}\n`
    : known;
}
