import { basename, resolve } from 'node:path';
import type { PackageFiles } from './builder.ts';
import { Manifest, ownAddresses, usesSuiSystem } from './manifest.ts';

/** The package at 0x3. The compiler gives it to no package by itself. */
export const suiSystem = { dir: resolve(import.meta.dirname, '../framework/sui-system'), id: '0x3' };

/**
 * What the compiler is given of a package in `dir`: its sources and its manifest, see `Manifest.prepared`.
 * @param placed the package is at the addresses that its manifest names
 */
export function prepared(files: PackageFiles, dir: string, placed = false): PackageFiles {
  const sources = Object.entries(files).filter(([path]) => path.endsWith('.move'));
  const own = placed ? new Set<string>() : ownAddresses(files);
  const system = usesSuiSystem(files) ? nameOf(suiSystem.dir) : undefined;
  const manifest = new Manifest(files).prepared((local) => nameOf(resolve(dir, local)), own, system);
  return { ...Object.fromEntries(sources), 'Move.toml': manifest };
}

/** A path that the compiler makes the same of wherever it is relative to: beside every other one. */
const nameOf = (dir: string) => `../${Buffer.from(dir).toString('hex')}`;

/** The folder of a local dependency by the path that the compiler asks for. */
export const folderOf = (path: string) => Buffer.from(basename(path), 'hex').toString();
