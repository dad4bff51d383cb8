import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Manifest } from './manifest.ts';
import type { PackageFiles } from './package-files.ts';

/** The `name` of a package's Move.toml. */
export function packageName(files: PackageFiles): string {
  return new Manifest(files).packageName;
}

/**
 * A made-up address for a dependency. Left at 0x0, where the compiler puts it, its modules would
 * clash with those of the same name in other packages.
 */
export function placeholderId(packageName: string): string {
  return `0x${bytesToHex(sha256(utf8ToBytes(packageName)))}`;
}
