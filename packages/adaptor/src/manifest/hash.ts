import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/**
 * The canonical JSON (RFC 8785) of a JSON value.
 * @throws when it has none: not JSON, cyclic, a lone surrogate, an infinite number.
 */
export function canonicalJson(value: unknown): string {
  const canonical = canonicalize(value);
  if (canonical === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return canonical;
}

/** Lower-case hex sha256 over the canonical JSON of a JSON value. @throws as `canonicalJson` */
export function manifestHash(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
