import { createBLAKE2b } from 'hash-wasm';

/** WebAssembly: a transaction takes a dozen hashes, and JavaScript is ten times slower at 64-bit words. */
const hasher = await createBLAKE2b(256);

/** Blake2b-256, the chain's hash, over the parts one after another. */
export function blake2b256(...parts: Uint8Array[]): Uint8Array {
  hasher.init();
  for (const part of parts) hasher.update(part);
  return hasher.digest('binary');
}
