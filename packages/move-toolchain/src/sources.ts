import { createHash } from 'node:crypto';
import { glob, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { MoveCompileError, type PackageFiles } from './builder.ts';
import { type FrameworkPart, frameworkParts, PackageFetcher } from './fetcher.ts';
import { fetchGitPackage } from './git-dependencies.ts';
import { Manifest } from './manifest.ts';

export { frameworkParts } from './fetcher.ts';
export { packageName, placeholderId } from './package-names.ts';

const frameworkDir = resolve(import.meta.dirname, '../framework');

/**
 * The package in `dir`: its Move.toml and every `.move` file under `sources` and, if asked for, `tests`.
 * Dependencies in git repositories are fetched, and named by their folders. Throws MoveCompileError without a Move.toml,
 * and for a repository that cannot be read.
 */
export async function readPackage(dir: string, options: { tests?: boolean } = {}): Promise<PackageFiles> {
  const manifest = await readFile(join(dir, 'Move.toml'), 'utf8').catch(() => undefined);
  if (manifest === undefined) throw new MoveCompileError(`No Move.toml in ${dir}.`);
  const files: PackageFiles = { 'Move.toml': await fetchDependencies(manifest) };
  for (const part of options.tests ? ['sources', 'tests'] : ['sources']) {
    for (const path of await listMoveFiles(join(dir, part))) {
      files[relative(dir, path).split(sep).join('/')] = await readFile(path, 'utf8');
    }
  }
  return files;
}

/** A Move.toml whose dependencies in git repositories are local folders. */
async function fetchDependencies(text: string): Promise<string> {
  const manifest = new Manifest({ 'Move.toml': text });
  const folders = new Map<string, string>();
  for (const [name, source] of manifest.gitDependencies) folders.set(name, await fetchGitPackage(source));
  return folders.size === 0 ? text : manifest.withLocal(folders);
}

/** Reads the package in a folder. @throws MoveCompileError if there is none */
export type ReadPackage = (dir: string) => Promise<PackageFiles>;

/** The folders at or below `root` that have a Move.toml, by path. */
export async function listPackages(root: string): Promise<string[]> {
  const dirs: string[] = [];
  for await (const manifest of glob('**/Move.toml', { cwd: root })) dirs.push(dirname(join(root, manifest)));
  return dirs.sort();
}

/**
 * The local packages that a package uses, directly or not, each once and after those that it uses itself, by their
 * folders. `root`: the folder that relative paths in its Move.toml start from.
 */
export async function readDependencyFolders(
  files: PackageFiles,
  root: string,
  options: { tests?: boolean; read?: ReadPackage | undefined } = {},
): Promise<Map<string, PackageFiles>> {
  const { read: readFolder = (dir) => readPackage(dir, options) } = options;
  const seen = new Set([resolve(root)]);
  const found = new Map<string, PackageFiles>();
  const visit = async (of: PackageFiles, dir: string) => {
    for (const path of new Manifest(of).localDependencies) {
      const dependency = resolve(dir, path);
      if (seen.has(dependency)) continue;
      seen.add(dependency);
      const read = await readFolder(dependency);
      await visit(read, dependency);
      found.set(dependency, read);
    }
  };
  await visit(files, root);
  return found;
}

/** The packages of `readDependencyFolders`. */
export async function readDependencies(
  files: PackageFiles,
  root: string,
  read?: ReadPackage,
): Promise<PackageFiles[]> {
  return [...(await readDependencyFolders(files, root, { read })).values()];
}

let digest: Promise<string> | undefined;

/** SHA-256 of the framework's sources, in hex. Read once: nobody edits them while a process runs. */
export function frameworkDigest(): Promise<string> {
  digest ??= readFramework().then((files) =>
    createHash('sha256').update(JSON.stringify(files)).digest('hex'),
  );
  return digest;
}

/** Reads the sources of one of the framework's packages. */
export const readFrameworkPart = (part: FrameworkPart): Promise<PackageFiles> =>
  readPackage(join(frameworkDir, part));

/** The framework's packages as the sources of one, which is how their own bytecode is compiled. */
export async function readFramework(): Promise<PackageFiles> {
  const files: PackageFiles = {
    // Named unlike the real packages: the compiler would not compile those as a root package.
    'Move.toml':
      '[package]\nname = "Framework"\nedition = "2024"\nimplicit-dependencies = false\n\n' +
      '[addresses]\nstd = "0x1"\nsui = "0x2"\nsui_system = "0x3"\n',
  };
  for (const part of frameworkParts) {
    for (const [path, text] of Object.entries(await readFrameworkPart(part))) {
      if (path !== 'Move.toml') files[path.replace('sources/', `sources/${part}/`)] = text;
    }
  }
  return files;
}

async function listMoveFiles(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.move'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Hands the compiler the packages it asks for, from this machine alone. */
export class LocalPackageFetcher extends PackageFetcher {
  /**
   * @param findId the id of a dependency by the name of its package
   * @param options.tests whether unit tests of dependencies are compiled too: tests may use what is in them
   * @param options.read reads local dependencies from elsewhere than from disk
   * @param options.changed what the compiler is given in place of the sources of a package
   */
  constructor(
    findId: (packageName: string) => string,
    options: {
      tests?: boolean;
      read?: ReadPackage | undefined;
      changed?: (files: PackageFiles) => PackageFiles;
    } = {},
  ) {
    const { read = (dir) => readPackage(dir, options), changed = (files) => files } = options;
    super({ findId, read, changed, readFrameworkPart, resolveFolder: resolve });
  }
}
