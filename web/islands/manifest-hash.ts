import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/** Lower-case hex sha256 over the canonical JSON of a manifest: as `manifestHash`, without what else its package loads. */
export const hashOf = (manifest: unknown): string =>
  bytesToHex(sha256(utf8ToBytes(canonicalize(manifest) ?? '')));
