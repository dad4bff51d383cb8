import { MoveCompileError } from '../compile-error.ts';
import type { PackageFiles } from '../package-files.ts';
import { packageName } from '../package-names.ts';
import type { BuiltDependency } from './built.ts';
import type { PreparedSource } from './source.ts';

/** The packages that source uses, with their addresses in a build. @throws MoveCompileError */
export function listDependencies(
  { folder, packages }: Pick<PreparedSource, 'folder' | 'packages'>,
  findAddress: (name: string) => string,
): BuiltDependency[] {
  return [...packages]
    .filter(([dir]) => dir !== folder)
    .map(([, files]) => readName(files))
    .map((name) => ({ name, address: findAddress(name) }));
}

/** A name for a line of a report. @throws MoveCompileError */
function readName(files: PackageFiles): string {
  const name = packageName(files);
  if (/^[\w-]{1,128}$/.test(name)) return name;
  throw new MoveCompileError(
    `${JSON.stringify(name.slice(0, 100))} is not the name of a package. Use at most 128 letters, digits, "_" and "-".`,
  );
}
