import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { MoveCompileError } from '../compile-error.ts';
import { fetchGitPackage } from '../git-dependencies.ts';
import { Manifest } from '../manifest.ts';
import type { GitSource } from '../package-files.ts';
import {
  type FileTree,
  type GitFolders,
  isBuildInput,
  nameGitSource,
  SourceRefusedError,
  sourceLimits,
} from './source.ts';

/** Files of a folder and of what it uses, as `prepareSource` takes them. */
export interface SourceFolder {
  files: FileTree;
  folder: string;
  gitFolders: GitFolders;
}

/** A package that is yet to be read. `checkout`: the repository that it is in. */
interface OpenPackage {
  dir: string;
  checkout?: { root: string; prefix: string };
}

/**
 * Reads the build inputs of the package in a folder of this machine, and of the packages that it uses: local ones, and those
 * in git repositories, which are fetched with `git`.
 * @throws SourceRefusedError for a folder without a package, links, more files than the limits allow, and a repository that
 * cannot be fetched
 */
export async function readSourceFolder(path: string): Promise<SourceFolder> {
  const root = resolve(path);
  const local = new Map<string, Uint8Array>();
  const files = new Map<string, Uint8Array>();
  const gitFolders = new Map<string, string>();
  const checkouts = new Map<string, string>();
  const seen = new Set<string>();
  const dirs: string[] = [];
  const open: OpenPackage[] = [{ dir: root }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { dir, checkout } = next;
    if (seen.has(dir)) continue;
    seen.add(dir);
    if (!checkout) dirs.push(dir);
    const inputs = await readInputs(dir);
    const manifest = inputs.get('Move.toml');
    if (!manifest)
      throw new SourceRefusedError(`There is no Move.toml in ${dir}. Offer the folder of a Move package.`);
    for (const [name, content] of inputs) {
      if (checkout) files.set(`${checkout.prefix}/${toPath(checkout.root, join(dir, name))}`, content);
      else local.set(join(dir, name), content);
    }
    if (files.size + local.size > sourceLimits.inputs) {
      throw new SourceRefusedError(
        `The source has more than ${sourceLimits.inputs} manifests and Move files.`,
      );
    }
    const { localDependencies, gitDependencies } = new Manifest({
      'Move.toml': new TextDecoder().decode(manifest),
    });
    for (const dependency of localDependencies) {
      const target = resolve(dir, dependency);
      if (checkout && !`${target}${sep}`.startsWith(`${checkout.root}${sep}`)) {
        throw new SourceRefusedError(
          `The dependency at ${JSON.stringify(dependency)} is outside of its repository.`,
        );
      }
      open.push(checkout ? { dir: target, checkout } : { dir: target });
    }
    for (const source of gitDependencies.values()) {
      const fetched = await fetchPackage(source);
      const top = resolve(fetched, relative(resolve('/', source.subdir), resolve('/')));
      const prefix = checkouts.get(top) ?? `.git-dependencies/${checkouts.size}`;
      checkouts.set(top, prefix);
      gitFolders.set(nameGitSource(source), join(prefix, toPath(top, fetched)).split(sep).join('/'));
      open.push({ dir: fetched, checkout: { root: top, prefix } });
    }
  }
  const top = findCommonFolder(dirs);
  for (const [name, content] of local) files.set(toPath(top, name), content);
  return { files, folder: toPath(top, root) || '.', gitFolders };
}

const toPath = (from: string, path: string) => relative(from, path).split(sep).join('/');

async function fetchPackage(source: GitSource): Promise<string> {
  return fetchGitPackage(source).catch((error: unknown) => {
    if (error instanceof MoveCompileError) throw new SourceRefusedError(error.message);
    throw error;
  });
}

async function readInputs(folder: string): Promise<Map<string, Uint8Array>> {
  const inputs = new Map<string, Uint8Array>();
  const sources = await readdir(join(folder, 'sources'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const entries = [...(await readdir(folder, { withFileTypes: true }).catch(() => [])), ...sources];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const inside = toPath(folder, path);
    const isInput = isBuildInput(inside);
    // Folders behind links are not read.
    if (entry.isSymbolicLink() && (isInput || /^sources(\/|$)/.test(inside))) {
      throw new SourceRefusedError(`${path} is a link. Put the files themselves in its place.`);
    }
    if (!isInput) continue;
    if (entry.isFile()) inputs.set(inside, await readFile(path));
  }
  return inputs;
}

/** The deepest folder that contains all of these. */
function findCommonFolder(dirs: readonly string[]): string {
  const [first = '', ...others] = dirs.map((dir) => dir.split(sep));
  const parts = [...first];
  for (const other of others) {
    const differs = parts.findIndex((part, at) => part !== other[at]);
    if (differs !== -1) parts.length = differs;
  }
  return parts.join(sep) || sep;
}
