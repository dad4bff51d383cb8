import { MovePackageFetcher } from '@zktx.io/sui-move-builder/full';
import { MoveCompileError } from './compile-error.ts';
import { isFramework } from './manifest.ts';
import type { PackageFiles } from './package-files.ts';
import { packageName } from './package-names.ts';
import { decodeFolder, prepared, type ResolveFolder, suiSystem } from './prepared.ts';

/** Folders of the framework's packages in Sui's repository. */
export const frameworkParts = ['move-stdlib', 'sui-framework', 'sui-system'] as const;

export type FrameworkPart = (typeof frameworkParts)[number];

interface PackageReaders {
  /** The id of a dependency by the name of its package. */
  findId: (packageName: string) => string;
  /** Reads a local dependency. */
  read: (dir: string) => Promise<PackageFiles>;
  readFrameworkPart: (part: FrameworkPart) => Promise<PackageFiles>;
  resolveFolder: ResolveFolder;
  /** The files that the compiler is given in place of the sources of a package. */
  changed: (files: PackageFiles) => PackageFiles;
}

/**
 * Hands the compiler the packages it asks for: the framework whatever revision is wanted, and local dependencies by the
 * names that `prepared` gives them.
 */
export class PackageFetcher extends MovePackageFetcher {
  readonly #readers: PackageReaders;

  constructor(readers: PackageReaders) {
    super();
    this.#readers = readers;
    const { findId, read, readFrameworkPart, resolveFolder, changed } = readers;
    this.fetchLocal = async (path) => {
      const dir = decodeFolder(path);
      const isSystem = dir === suiSystem.dir;
      const files = await (isSystem ? readFrameworkPart('sui-system') : read(dir));
      const published = publishedToml(isSystem ? suiSystem.id : findId(packageName(files)));
      return { ...changed(prepared(files, dir, resolveFolder)), 'Published.toml': published };
    };
  }

  override async fetch(gitUrl: string, _revision: string, subdir?: string): Promise<PackageFiles> {
    const part = frameworkParts.find(
      (part) => isFramework(subdir) && subdir!.replace(/\/$/, '').endsWith(part),
    );
    if (part === undefined) {
      const absent = /packages\/(bridge|deepbook)\/?$/.exec(subdir ?? '')?.[1];
      throw new MoveCompileError(
        absent
          ? `The system package ${absent} is not available here: only move-stdlib, sui-framework and sui-system are.`
          : `${gitUrl}${subdir ? ` (${subdir})` : ''} is not available offline: only local dependencies are. Check the repository out, and name the folder in the Move.toml in place of it: { local = "<folder>" }.`,
      );
    }
    const { changed, readFrameworkPart } = this.#readers;
    return changed(await readFrameworkPart(part));
  }
}

/** The publication record of a package, for the one environment that is compiled for. */
function publishedToml(id: string): string {
  const ids = `published-at = "${id}"\noriginal-id = "${id}"`;
  return `[published.testnet]\nchain-id = "4c78adac"\n${ids}\nversion = 1\n`;
}
