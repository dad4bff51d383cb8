import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../manifest/hash.ts';
import type { Certificate } from './claims.ts';

/** Encodes a certificate as canonical JSON (RFC 8785). */
export const encodeCertificate = (certificate: Certificate): Uint8Array =>
  utf8ToBytes(canonicalJson(certificate));

/** Returns the lower-case hex sha256 of an encoded certificate. Certificates with the same hash make the same claims. */
export const certificateHash = (certificate: Certificate): string =>
  bytesToHex(sha256(encodeCertificate(certificate)));
