import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { Manifest } from '../manifest.ts';
import { type FileTree, isBuildInput, SourceRefusedError, sourceLimits } from './source.ts';

/**
 * Reads the build inputs of the package in a folder of this machine, and of the local packages that it uses.
 * @returns the files by their paths from the folder above all of these packages, and the path of the package
 * @throws SourceRefusedError for a folder without a package, links, and more files than the limits allow
 */
export async function readSourceFolder(dir: string): Promise<{ files: FileTree; folder: string }> {
  const root = resolve(dir);
  const found = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    const inputs = await readInputs(folder);
    const manifest = inputs.get('Move.toml');
    if (!manifest) {
      throw new SourceRefusedError(`There is no Move.toml in ${folder}. Offer the folder of a Move package.`);
    }
    for (const [path, content] of inputs) found.set(join(folder, path), content);
    if (found.size > sourceLimits.inputs) {
      throw new SourceRefusedError(
        `The source has more than ${sourceLimits.inputs} manifests and Move files.`,
      );
    }
    const { localDependencies } = new Manifest({ 'Move.toml': new TextDecoder().decode(manifest) });
    open.push(...localDependencies.map((local) => resolve(folder, local)));
  }
  const top = findCommonFolder([...seen]);
  const toPath = (path: string) => relative(top, path).split(sep).join('/');
  return {
    files: new Map([...found].map(([path, content]) => [toPath(path), content])),
    folder: toPath(root) || '.',
  };
}

async function readInputs(folder: string): Promise<Map<string, Uint8Array>> {
  const inputs = new Map<string, Uint8Array>();
  const sources = await readdir(join(folder, 'sources'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const entries = [...(await readdir(folder, { withFileTypes: true }).catch(() => [])), ...sources];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join('/');
    if (!isBuildInput(name)) continue;
    if (entry.isSymbolicLink()) {
      throw new SourceRefusedError(`${path} is a link. Put the file itself in its place.`);
    }
    if (entry.isFile()) inputs.set(name, await readFile(path));
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
