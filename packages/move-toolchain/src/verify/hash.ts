import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const hashLength = 32;

/**
 * Hashes the build inputs of a package as Sui's source verification service does: blake2b-256 of a listing in the order
 * of the paths, with the path, a zero byte and the blake2b-256 of the content of each file. Lower-case hex.
 * @param inputs contents by their paths in the package's folder
 */
export function hashSource(inputs: ReadonlyMap<string, Uint8Array>): string {
  const listing = blake2b.create({ dkLen: hashLength });
  const paths = [...inputs.keys()].map((path) => ({ path, bytes: utf8ToBytes(path) }));
  for (const { path, bytes } of paths.sort((a, b) => compareBytes(a.bytes, b.bytes))) {
    listing.update(bytes);
    listing.update(Uint8Array.of(0));
    listing.update(blake2b(inputs.get(path)!, { dkLen: hashLength }));
  }
  return bytesToHex(listing.digest());
}

/** The order of the bytes. That of JavaScript strings differs from it beyond U+FFFF. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}
