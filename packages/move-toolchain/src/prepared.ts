import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { Manifest, ownAddresses, usesSuiSystem } from './manifest.ts';
import type { PackageFiles } from './package-files.ts';

/** The package at 0x3. The compiler gives it to no package by itself. The name of its folder is unlike any path. */
export const suiSystem = { dir: 'sui-system', id: '0x3' };

/** Resolves the path of a local dependency against the folder of the package that names it. */
export type ResolveFolder = (dir: string, local: string) => string;

/**
 * Input of the compiler for a package in `dir`: its sources and its manifest, see `Manifest.prepared`.
 * @param placed the package is at the addresses that its manifest names
 */
export function prepared(
  files: PackageFiles,
  dir: string,
  resolveFolder: ResolveFolder,
  placed = false,
): PackageFiles {
  const sources = Object.entries(files).filter(([path]) => path.endsWith('.move'));
  const own = placed ? new Set<string>() : ownAddresses(files);
  const system = usesSuiSystem(files) ? encodeFolder(suiSystem.dir) : undefined;
  const nameFolder = (local: string) => encodeFolder(resolveFolder(dir, local));
  return {
    ...Object.fromEntries(sources),
    'Move.toml': new Manifest(files).prepared(
      nameFolder,
      own,
      system,
      placed ? makeUpName(files) : undefined,
    ),
  };
}

/**
 * A name that no address has: the compiler sets the address to zero that has the name of a package. It is a hash, so that no source can
 * contain it.
 */
const makeUpName = (files: PackageFiles) => `p${bytesToHex(sha256(utf8ToBytes(JSON.stringify(files))))}`;

/** Path of a folder for the compiler, which resolves it against the path of each package: all of them are siblings. */
const encodeFolder = (dir: string) => `../${bytesToHex(utf8ToBytes(dir))}`;

/** The folder of a local dependency by the path that the compiler asks for. */
export const decodeFolder = (path: string) => new TextDecoder().decode(hexToBytes(path.replace(/^.*\//, '')));
