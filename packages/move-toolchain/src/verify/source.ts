import { Manifest } from '../manifest.ts';
import type { GitSource, PackageFiles } from '../package-files.ts';
import { hashSource } from './hash.ts';

/** Source that cannot be used. The message says why, and what to change. */
export class SourceRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourceRefusedError';
  }
}

/** Contents of files by their paths, with `/` between the parts. */
export type FileTree = ReadonlyMap<string, Uint8Array>;

/** Folders of a tree that have the packages of git repositories, by `nameGitSource`. */
export type GitFolders = ReadonlyMap<string, string>;

export const nameGitSource = ({ url, rev, subdir }: GitSource): string => [url, rev, subdir].join('\n');

/** Build inputs of a package and of the local packages that it uses. */
export interface PreparedSource {
  /** Folder of the package, as `/a/b`. */
  folder: string;
  /** All of these packages by their folders. Names in manifests lead from one to another. */
  packages: ReadonlyMap<string, PackageFiles>;
  /** Hash of the package's own build inputs, see `hashSource`. */
  hash: string;
}

/** Source that was read for addresses, once for all of its builds. */
export interface CheckedSource extends PreparedSource {
  /** Result of `isFreeOfAddresses`. */
  isFree: boolean;
}

export const sourceLimits = {
  /** A zip file, in bytes. */
  archiveBytes: 16 * 1024 * 1024,
  /** Files of an offer, with those that are not build inputs. */
  files: 10_000,
  /** Build inputs. */
  inputs: 1_000,
  /** One build input, in bytes. */
  fileBytes: 1024 * 1024,
  /** All build inputs together, in bytes. */
  bytes: 4 * 1024 * 1024,
  /** A Move.toml, in bytes. */
  manifestBytes: 64 * 1024,
  /** A line of a Move.toml, in characters. */
  manifestLine: 2_000,
  /** Parts of a path. */
  depth: 16,
  /** Characters of a path. */
  pathLength: 255,
};

const manifestFile = /^(?:Move\.toml|Move\.lock|Published\.toml)$/;

/** Returns true for a file that can be a build input: a manifest, or a `.move` file below `sources`. */
export function isBuildInput(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1)!;
  return manifestFile.test(name) || (name.endsWith('.move') && parts.slice(0, -1).includes('sources'));
}

/**
 * Checks the path of a file or a folder.
 * @throws SourceRefusedError for a path that could name a file elsewhere
 */
export function checkPath(path: string): void {
  const shown = JSON.stringify(path.slice(0, 100));
  const parts = path.replace(/\/$/, '').split('/');
  if (path.length > sourceLimits.pathLength || parts.length > sourceLimits.depth) {
    throw new SourceRefusedError(
      `The path ${shown} is too long. A path has at most ${sourceLimits.depth} parts and ${sourceLimits.pathLength} characters.`,
    );
  }
  if (
    /^\/|^[a-zA-Z]:|\\|\p{Cc}/u.test(path) ||
    parts.some((part) => part === '' || part === '.' || part === '..')
  ) {
    throw new SourceRefusedError(
      `The path ${shown} could lead out of the source. Use relative paths with "/", without "." and "..", and without control characters.`,
    );
  }
}

/**
 * Selects the build inputs of a package from files as people have them: its manifests and sources, and those of the local
 * packages that it uses. Tests and everything else are left out.
 * @param folder path of the package's folder. It is not necessary if there is one package only, or one at the top
 * @param gitFolders packages that were fetched from git repositories and are among the files
 * @throws SourceRefusedError with the reason, for files beyond the limits and for a package that is not complete
 */
export function prepareSource(
  files: FileTree,
  folder?: string,
  gitFolders: GitFolders = new Map(),
): PreparedSource {
  const inputs = selectInputs(files);
  const top = findPackage(inputs, folder);
  const packages = new Map<string, PackageFiles>();
  const open = [top];
  let bytes = 0;
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const key = `/${dir}`;
    if (packages.has(key)) continue;
    const ownInputs = readOwnInputs(inputs, dir);
    // A package below the sources of another has its files in both.
    for (const { length } of ownInputs.values()) bytes += length;
    if (bytes > sourceLimits.bytes) throw tooLarge();
    const own = decodeFiles(ownInputs);
    const { manifest, folders } = linkDependencies(own, dir, inputs, gitFolders);
    packages.set(key, { ...own, 'Move.toml': manifest });
    open.push(...folders);
  }
  return { folder: `/${top}`, packages, hash: hashSource(readOwnInputs(inputs, top)) };
}

function selectInputs(files: FileTree): Map<string, Uint8Array> {
  if (files.size > sourceLimits.files) {
    throw new SourceRefusedError(`The source has ${files.size} files. Offer at most ${sourceLimits.files}.`);
  }
  const inputs = new Map<string, Uint8Array>();
  const spellings = new Map<string, string>();
  let bytes = 0;
  for (const [path, content] of files) {
    checkPath(path);
    if (!isBuildInput(path)) continue;
    const spelling = path.normalize('NFKC').toLowerCase();
    const other = spellings.get(spelling);
    if (other !== undefined) {
      throw new SourceRefusedError(
        `${JSON.stringify(path)} and ${JSON.stringify(other)} are the same file on some systems. Rename one of them.`,
      );
    }
    spellings.set(spelling, path);
    bytes += content.length;
    if (content.length > sourceLimits.fileBytes || bytes > sourceLimits.bytes) throw tooLarge();
    inputs.set(path, content);
    if (inputs.size > sourceLimits.inputs) {
      throw new SourceRefusedError(
        `The source has more than ${sourceLimits.inputs} manifests and Move files. Offer the package and what it uses only.`,
      );
    }
  }
  return inputs;
}

export const tooLarge = () =>
  new SourceRefusedError(
    `The source is too large. A file has at most ${sourceLimits.fileBytes / 1024} KiB, and all manifests and Move files ${sourceLimits.bytes / 1024 / 1024} MiB.`,
  );

/** The folder of the offered package, without a slash at its ends. */
function findPackage(inputs: FileTree, folder: string | undefined): string {
  const named = folder?.replace(/^(?:\.?\/)+|\/+$/g, '');
  const dirs = [...inputs.keys()]
    .filter((path) => /(^|\/)Move\.toml$/.test(path))
    .map((path) => path.replace(/\/?Move\.toml$/, ''));
  if (named !== undefined) {
    if (dirs.includes(named === '.' ? '' : named)) return named === '.' ? '' : named;
    throw new SourceRefusedError(
      `There is no Move.toml in the folder ${JSON.stringify(folder)} of the source.`,
    );
  }
  if (dirs.includes('')) return '';
  if (dirs.length === 1) return dirs[0]!;
  throw new SourceRefusedError(
    dirs.length === 0
      ? 'The source has no Move.toml. Offer the folder of a Move package.'
      : `The source has ${dirs.length} packages. Name the folder of one: ${dirs.sort().slice(0, 10).join(', ')}`,
  );
}

/** The build inputs of one package, by their paths in its folder. */
function readOwnInputs(inputs: FileTree, dir: string): Map<string, Uint8Array> {
  const prefix = dir === '' ? '' : `${dir}/`;
  const own = new Map<string, Uint8Array>();
  for (const [path, content] of inputs) {
    if (!path.startsWith(prefix)) continue;
    const inside = path.slice(prefix.length);
    if (manifestFile.test(inside) || (inside.startsWith('sources/') && inside.endsWith('.move')))
      own.set(inside, content);
  }
  return own;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeFiles(inputs: FileTree): PackageFiles {
  const files: PackageFiles = {};
  for (const [path, content] of inputs) {
    try {
      files[path] = utf8.decode(content);
    } catch {
      throw new SourceRefusedError(`${JSON.stringify(path)} is not UTF-8 text.`);
    }
  }
  return files;
}

/** Finds the folders of the packages that a package uses. The manifest has those in place of git repositories. */
function linkDependencies(
  files: PackageFiles,
  dir: string,
  inputs: FileTree,
  gitFolders: GitFolders,
): { manifest: string; folders: string[] } {
  const text = files['Move.toml']!;
  checkManifest(text);
  const manifest = new Manifest(files);
  const folders = manifest.localDependencies.map((local) => findLocalPackage(local, dir, inputs));
  const fetched = new Map<string, string>();
  for (const [name, source] of manifest.gitDependencies) {
    const folder = gitFolders.get(nameGitSource(source));
    if (folder === undefined) {
      throw new SourceRefusedError(
        `The package uses ${name} from ${source.url}. Add the folder of that package to the source, and name it in Move.toml: ` +
          `${name} = { local = "<folder>" }.`,
      );
    }
    fetched.set(name, `/${folder}`);
    folders.push(folder);
  }
  return { manifest: fetched.size === 0 ? text : manifest.withLocal(fetched), folders };
}

function findLocalPackage(local: string, dir: string, inputs: FileTree): string {
  const target = resolveFolder(dir, local);
  if (target === undefined) {
    throw new SourceRefusedError(
      `The dependency at ${JSON.stringify(local)} is outside of the source. Offer a folder that contains both packages.`,
    );
  }
  if (inputs.has(target === '' ? 'Move.toml' : `${target}/Move.toml`)) return target;
  throw new SourceRefusedError(
    `The dependency at ${JSON.stringify(local)} is not in the source. Add its folder with its Move.toml.`,
  );
}

/** Bounds the time in which a Move.toml is read. */
function checkManifest(text: string): void {
  const { manifestBytes, manifestLine } = sourceLimits;
  if (text.length <= manifestBytes && text.split('\n').every((line) => line.length <= manifestLine)) return;
  throw new SourceRefusedError(
    `A Move.toml is too large. It has at most ${manifestBytes / 1024} KiB, in lines of at most ${manifestLine} characters.`,
  );
}

/** Resolves a relative path within the source. Undefined if it leads out of it. */
export function resolveFolder(dir: string, local: string): string | undefined {
  if (/^\/|^[a-zA-Z]:|\\/.test(local)) return undefined;
  const parts = dir === '' ? [] : dir.split('/');
  for (const part of local.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
