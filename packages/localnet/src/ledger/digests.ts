import { toBase58 } from '@mysten/sui/utils';
import { blake2b256 } from '../internal/blake2b.ts';

/** What the chain gives a digest, by the name that salts it (`default_hash` of the full node). */
export type Digested =
  | 'TransactionData'
  | 'TransactionEffects'
  | 'TransactionEvents'
  | 'Object'
  | 'CheckpointSummary'
  | 'CheckpointContents';

/** 32 zero bytes: where the chain's records demand a digest of what does not exist. */
export const zeroDigest = toBase58(new Uint8Array(32));

const salts = new Map<Digested, Uint8Array>();

/** Base58 of Blake2b-256 over the name, `::` and the BCS bytes. */
export function digestOf(name: Digested, bcsBytes: Uint8Array): string {
  let salt = salts.get(name);
  if (salt === undefined) {
    salt = new TextEncoder().encode(`${name}::`);
    salts.set(name, salt);
  }
  return toBase58(blake2b256(salt, bcsBytes));
}
