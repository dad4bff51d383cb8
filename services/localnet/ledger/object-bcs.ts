import { fromBase58 } from '@mysten/sui/utils';
import { idBytes } from '../state/encoding.ts';
import type { ObjectRecord, Owner, StoredObject } from '../state/objects.ts';
import { encodePackage } from '../state/package-codec.ts';
import { digestOf } from './digests.ts';
import { coinTypeOf, suiCoinType, typeTagBytes } from './move-types.ts';

/** An owner as `bcs.Owner` writes it. */
export function ownerBcs(owner: Owner) {
  switch (owner.kind) {
    case 'address':
      return { AddressOwner: owner.address };
    case 'object':
      return { ObjectOwner: owner.address };
    case 'shared':
      return { Shared: { initialSharedVersion: owner.initialSharedVersion } };
    case 'immutable':
      return { Immutable: true as const };
  }
}

/**
 * BCS of the chain's `Object`, byte for byte what `bcs.Object` of the SDK writes, put together from parts
 * because every written object is encoded and hashed.
 */
export function encodeObject(object: StoredObject, storageRebate: bigint): Uint8Array {
  const tail = Buffer.concat([byte(digestBytes), fromBase58(object.previousTransaction)]);
  if (object.kind === 'package') {
    return Buffer.concat([byte(1), encodePackage(object), byte(3), tail, u64(storageRebate)]);
  }
  return Buffer.concat([
    byte(0),
    moveObjectType(object.type),
    byte(object.hasPublicTransfer ? 1 : 0),
    u64(object.version),
    uleb128(object.contents.length),
    object.contents,
    ownerBytes(object.owner),
    tail,
    u64(storageRebate),
  ]);
}

/** The object with its digest, and with the storage rebate that `price` (MIST) per byte of it makes. */
export function recordObject(object: StoredObject, rebateOf: (bytes: number) => bigint): ObjectRecord {
  const bytes = encodeObject(object, 0n);
  const storageRebate = rebateOf(bytes.length);
  bytes.set(u64(storageRebate), bytes.length - 8);
  return { ...object, digest: digestOf('Object', bytes), storageRebate };
}

/** `MoveObjectType`: the framework's most frequent types have short forms. */
function moveObjectType(type: string): Uint8Array {
  if (type === suiCoinType) return byte(1);
  const coin = coinTypeOf(type);
  if (coin !== undefined) return Buffer.concat([byte(3), typeTagBytes(coin)]);
  return Buffer.concat([byte(0), typeTagBytes(type).subarray(1)]);
}

/** What `bcs.Owner` makes of `ownerBcs`. */
function ownerBytes(owner: Owner): Uint8Array {
  switch (owner.kind) {
    case 'address':
      return Buffer.concat([byte(0), idBytes(owner.address)]);
    case 'object':
      return Buffer.concat([byte(1), idBytes(owner.address)]);
    case 'shared':
      return Buffer.concat([byte(2), u64(owner.initialSharedVersion)]);
    case 'immutable':
      return byte(3);
  }
}

const digestBytes = 32;

function uleb128(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, value);
}

function byte(value: number): Uint8Array {
  return Uint8Array.of(value);
}

function u64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
