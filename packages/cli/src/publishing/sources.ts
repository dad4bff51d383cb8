import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type CompiledPackage, compilePackage, moduleId } from '@adaptor-marketplace/move-toolchain';
import { packageName, readDependencies, readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { Refusal, UsageError } from '../io.ts';
import { fileFailure } from '../output/file-failure.ts';

/** A folder with a Move package. */
export interface Sources {
  folder: string;
  /** Packages that it uses, directly or not, by the names in their Move.toml. */
  uses: readonly string[];
}

/** A package that is used: as first published, by which bytecode names it, and the version that is linked to. */
export interface Link {
  originalId: string;
  linkedId: string;
}

/**
 * Looks at a folder before anything is asked of a server.
 * @param named the packages that the command line says an id of
 * @throws UsageError for what is no package, and for a name that it does not use
 */
export async function readSources(folder: string, named: readonly string[]): Promise<Sources> {
  const found = await stat(folder).catch((error: unknown) => {
    throw new UsageError(fileFailure(folder, error));
  });
  if (!found.isDirectory()) {
    throw new UsageError(
      `${folder} is a file. Expected the folder of a Move package, which holds its Move.toml.`,
    );
  }
  try {
    const files = await readPackage(folder);
    const uses = (await readDependencies(files, folder)).map(packageName);
    const unknown = named.find((name) => !uses.includes(name));
    if (unknown === undefined) return { folder, uses };
    throw new UsageError(
      `--with ${unknown}: ${folder} uses no package of this name. It uses ${uses.join(', ') || 'none'}.`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${folder}: ${messageOf(error)} Expected a Move package, whose dependencies are local folders, for example ` +
        `${join(folder, 'Move.toml')} with a [package] name and ${join(folder, 'sources')}.`,
    );
  }
}

/**
 * Compiles a package, linked to the versions that are named. The digest is of what a transaction carries.
 * @throws Refusal with the compiler's diagnostics
 */
export async function compileLinked(
  { folder }: Sources,
  links: ReadonlyMap<string, Link>,
): Promise<CompiledPackage> {
  const published = Object.fromEntries([...links].map(([name, { originalId }]) => [name, originalId]));
  const linked = new Map([...links.values()].map(({ originalId, linkedId }) => [originalId, linkedId]));
  const compiled = await compilePackage(folder, { published, linked }).catch((error: unknown) => {
    throw new Refusal(`${folder} does not compile.\n${messageOf(error)}`);
  });
  if (compiled.modules.length === 0) {
    throw new Refusal(`${folder} has no modules. Expected .move files in ${join(folder, 'sources')}.`);
  }
  const placed = compiled.modules.map(moduleId).find(({ address }) => BigInt(`0x${address}`) !== 0n);
  if (placed) {
    throw new Refusal(
      `The module ${placed.name} is at 0x${placed.address}: the chain gives a package its address when it is published. ` +
        'Write "0x0" for it in [addresses] of Move.toml.',
    );
  }
  return compiled;
}
