import { basename, resolve } from 'node:path';
import type { PackageFiles } from './builder.ts';
import { Manifest, ownAddresses, usesSuiSystem } from './manifest.ts';

/** The package at 0x3. The compiler gives it to no package by itself. */
export const suiSystem = { dir: resolve(import.meta.dirname, '../framework/sui-system'), id: '0x3' };

/**
 * Input of the compiler for a package in `dir`: its sources and its manifest, see `Manifest.prepared`.
 * @param placed the package is at the addresses that its manifest names
 */
export function prepared(files: PackageFiles, dir: string, placed = false): PackageFiles {
  const sources = Object.entries(files).filter(([path]) => path.endsWith('.move'));
  const own = placed ? new Set<string>() : ownAddresses(files);
  const system = usesSuiSystem(files) ? encodeFolder(suiSystem.dir) : undefined;
  const manifest = new Manifest(files).prepared((local) => encodeFolder(resolve(dir, local)), own, system);
  return { ...Object.fromEntries(sources), 'Move.toml': manifest };
}

/** Path of a folder for the compiler, which resolves it against the path of each package: all of them are siblings. */
const encodeFolder = (dir: string) => `../${Buffer.from(dir).toString('hex')}`;

/** The folder of a local dependency by the path that the compiler asks for. */
export const decodeFolder = (path: string) => Buffer.from(basename(path), 'hex').toString();
