import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/** SHA-256 of the canonical JSON, in lower-case hex. Equals `manifestHash`, without the other code of its package. */
export const hashManifest = (manifest: unknown): string =>
  bytesToHex(sha256(utf8ToBytes(canonicalize(manifest) ?? '')));
