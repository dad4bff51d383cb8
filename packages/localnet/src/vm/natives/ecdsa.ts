import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { abortError } from '../errors.ts';
import type { Native } from '../runtime/machine.ts';
import type { Value } from '../values.ts';
import { bytesOf, byteVector, type NativeModule } from './native.ts';

/** Codes of `sui::ecdsa_k1` and `sui::ecdsa_r1`. */
const FAIL_TO_RECOVER_PUBKEY = 0;
const INVALID_SIGNATURE = 1;
const INVALID_PUBKEY = 2;

/** What one operation on a curve costs, in units: some two milliseconds of this process. */
const CURVE_UNITS = 40_000;

const SIGNATURE_BYTES = 64;
const COMPRESSED_BYTES = 33;
const UNCOMPRESSED_BYTES = 65;

/** The message's digest by the number that Move code gives; undefined for a number without a hash. */
function digestOf(message: Uint8Array, hash: Value | undefined): Uint8Array | undefined {
  if (hash === 0) return keccak_256(message);
  if (hash === 1) return createHash('sha256').update(message).digest();
  return undefined;
}

/** What `make` answers, undefined if the library throws because the bytes are not a point or a signature. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

type Curve = typeof secp256k1;
type Point = InstanceType<Curve['Point']>;

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}

function scalars(bytes: Uint8Array): [r: bigint, s: bigint] {
  const half = SIGNATURE_BYTES / 2;
  return [numberOf(bytes.subarray(0, half)), numberOf(bytes.subarray(half, SIGNATURE_BYTES))];
}

function parseKey(curve: Curve, bytes: Uint8Array): Point | undefined {
  if (bytes.length !== COMPRESSED_BYTES && bytes.length !== UNCOMPRESSED_BYTES) return undefined;
  return attempt(() => curve.Point.fromBytes(bytes));
}

/**
 * libsecp256k1's rule for a key: compressed, uncompressed, or the hybrid form of SEC 1 (2.3.4), which is
 * uncompressed with the parity of y in the first byte.
 */
function parseK1Key(bytes: Uint8Array): Point | undefined {
  const [head] = bytes;
  if (bytes.length !== UNCOMPRESSED_BYTES || (head !== 6 && head !== 7)) return parseKey(secp256k1, bytes);
  if ((bytes.at(-1)! & 1) !== (head & 1)) return undefined;
  return parseKey(secp256k1, Uint8Array.of(4, ...bytes.subarray(1)));
}

/** The p256 crate's rule for a key: compressed, uncompressed, or x alone after a 5, for the smaller y. */
function parseR1Key(bytes: Uint8Array): Point | undefined {
  if (bytes.length !== COMPRESSED_BYTES || bytes[0] !== 5) return parseKey(p256, bytes);
  const even = parseKey(p256, Uint8Array.of(2, ...bytes.subarray(1)));
  if (even === undefined) return undefined;
  const odd = even.negate();
  return even.y < odd.y ? even : odd;
}

/** Refuses a high `s`, as both curves do on chain, although ECDSA itself allows it. */
function verify(curve: Curve, parse: (bytes: Uint8Array) => Point | undefined): Native {
  return (machine, [signature, publicKey, message, hash]) => {
    const text = bytesOf(message);
    machine.meter.charge(CURVE_UNITS + text.length);
    const digest = digestOf(text, hash);
    const bytes = bytesOf(signature);
    const key = parse(bytesOf(publicKey));
    if (digest === undefined || key === undefined || bytes.length !== SIGNATURE_BYTES) return [false];
    return [curve.verify(bytes, digest, key.toBytes(), { prehash: false, lowS: true })];
  };
}

/** How a curve's library reads a signature to recover its key from. */
interface Recovery {
  curve: Curve;
  isSignature(r: bigint, s: bigint, recovery: number): boolean;
  /** The x of the signature's point where it overflowed the order (recovery ids 2 and 3). */
  overflowed(r: bigint): bigint;
}

/** The key that made a signature of 64 bytes and a recovery id; a high `s` is as good as a low one here. */
function recover({ curve, isSignature, overflowed }: Recovery): Native {
  const { Point } = curve;
  const { Fn, Fp } = Point;
  const keyOf = (r: bigint, s: bigint, recovery: number, digest: Uint8Array) => {
    const x = Fp.toBytes(recovery < 2 ? r : overflowed(r));
    const point = Point.fromBytes(Uint8Array.of(2 + (recovery & 1), ...x));
    const inverse = Fn.inv(r);
    const hash = Fn.create(numberOf(digest));
    const key = point
      .multiplyUnsafe(Fn.mul(s, inverse))
      .subtract(Point.BASE.multiplyUnsafe(Fn.mul(hash, inverse)));
    key.assertValidity();
    return key.toBytes();
  };
  return (machine, [signature, message, hash]) => {
    const text = bytesOf(message);
    machine.meter.charge(CURVE_UNITS + text.length);
    const digest = digestOf(text, hash);
    if (digest === undefined) throw abortError(FAIL_TO_RECOVER_PUBKEY, 'there is no such hash');
    const bytes = bytesOf(signature);
    const [r, s] = scalars(bytes);
    const recovery = bytes[SIGNATURE_BYTES];
    if (bytes.length !== SIGNATURE_BYTES + 1 || !isSignature(r, s, recovery!)) {
      throw abortError(INVALID_SIGNATURE, 'the bytes are not a signature');
    }
    const recoverable = recovery! < 4 && r > 0n && s > 0n;
    const key = recoverable ? attempt(() => keyOf(r, s, recovery!, digest)) : undefined;
    if (key === undefined) throw abortError(FAIL_TO_RECOVER_PUBKEY, 'no key belongs to the signature');
    return [byteVector(key)];
  };
}

const K1_ORDER = secp256k1.Point.Fn.ORDER;
const R1_ORDER = p256.Point.Fn.ORDER;
const WORD = 1n << 256n;

export const ecdsaK1: NativeModule = {
  secp256k1_verify: verify(secp256k1, parseK1Key),
  secp256k1_ecrecover: recover({
    curve: secp256k1,
    // libsecp256k1 parses zeros and then finds no key for them.
    isSignature: (r, s, recovery) => r < K1_ORDER && s < K1_ORDER && recovery < 4,
    overflowed: (r) => r + K1_ORDER,
  }),
  decompress_pubkey: (machine, [publicKey]) => {
    machine.meter.charge(CURVE_UNITS);
    const key = parseK1Key(bytesOf(publicKey));
    if (key === undefined) throw abortError(INVALID_PUBKEY, 'the bytes are not a key');
    return [byteVector(key.toBytes(false))];
  },
};

export const ecdsaR1: NativeModule = {
  secp256r1_verify: verify(p256, parseR1Key),
  secp256r1_ecrecover: recover({
    curve: p256,
    // fastcrypto looks at the recovery id when it recovers the key, at zeros when it parses the signature.
    isSignature: (r, s) => r > 0n && s > 0n && r < R1_ORDER && s < R1_ORDER,
    // It adds the order in 256 bits, which wraps round for most signatures.
    overflowed: (r) => (r + R1_ORDER) % WORD,
  }),
};
