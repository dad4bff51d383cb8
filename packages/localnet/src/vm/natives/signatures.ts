import type { BlsSigs } from '@noble/curves/abstract/bls.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Native } from '../runtime/machine.ts';
import { bytesOf, type NativeModule } from './native.ts';

/** What one verification costs, in units: some two milliseconds of this process, and some thirty. */
const ED25519_UNITS = 40_000;
const BLS_UNITS = 600_000;

const ED25519_SIGNATURE_BYTES = 64;
const ED25519_KEY_BYTES = 32;

export const ed25519Module: NativeModule = {
  ed25519_verify: (machine, [signature, publicKey, message]) => {
    const [signed, key, text] = [bytesOf(signature), bytesOf(publicKey), bytesOf(message)];
    machine.meter.charge(ED25519_UNITS + text.length);
    if (signed.length !== ED25519_SIGNATURE_BYTES || key.length !== ED25519_KEY_BYTES) return [false];
    // ZIP-215 decides which odd points count, as on chain.
    return [ed25519.verify(signed, text, key, { zip215: true })];
  },
};

/** A signature and a key are points of their groups; the library throws for bytes that are not. */
function blsVerify<Key, Signature>(scheme: BlsSigs<Key, Signature>): Native {
  return (machine, [signature, publicKey, message]) => {
    const [signed, key, text] = [bytesOf(signature), bytesOf(publicKey), bytesOf(message)];
    machine.meter.charge(BLS_UNITS + text.length);
    try {
      return [scheme.verify(signed, scheme.hash(text), key)];
    } catch {
      return [false];
    }
  };
}

export const bls12381: NativeModule = {
  bls12381_min_sig_verify: blsVerify(bls12_381.shortSignatures),
  bls12381_min_pk_verify: blsVerify(bls12_381.longSignatures),
};
