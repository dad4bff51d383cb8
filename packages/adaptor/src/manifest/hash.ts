import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/**
 * Returns the canonical JSON (RFC 8785) of a JSON value. Members without a JSON form, such as `undefined`, are left out.
 * @throws Error if the value has no JSON form, is cyclic, or contains a bigint, a lone surrogate, NaN or an infinity
 */
export function canonicalJson(value: unknown): string {
  const canonical = canonicalize(value);
  if (canonical === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return canonical;
}

/**
 * Returns the lower-case hex sha256 of a JSON value's canonical JSON.
 * @throws like `canonicalJson`
 */
export function manifestHash(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
