import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../manifest/hash.ts';
import type { Certificate } from './claims.ts';

/** Returns the lower-case hex sha256 of a certificate's canonical JSON (RFC 8785). Equal hashes mean equal claims. */
export function certificateHash(certificate: Certificate): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(certificate))));
}
