import { fromBase58 } from '@mysten/sui/utils';
import type { ObjectRecord, Owner, StoredObject } from '../state/objects.ts';
import { encodePackage } from '../state/package-codec.ts';
import { BcsWriter } from '../vm/bcs-writer.ts';
import { digestOf } from './digests.ts';
import { coinTypeOf, suiCoinType, typeTagBytes } from './move-types.ts';

/**
 * BCS of the chain's `Object`, byte for byte what `bcs.Object` of the SDK writes, put together from parts
 * because every written object is encoded and hashed.
 */
export function encodeObject(object: StoredObject, storageRebate: bigint): Uint8Array {
  const writer = new BcsWriter();
  if (object.kind === 'package') {
    writer.length(packageVariant);
    writer.bytes(encodePackage(object));
    writeOwner(writer, { kind: 'immutable' });
  } else {
    writer.length(moveVariant);
    writeObjectType(writer, object.type);
    writer.integer(object.hasPublicTransfer ? 1 : 0, 1);
    writer.integer(object.version, 8);
    writer.block(object.contents);
    writeOwner(writer, object.owner);
  }
  writeDigest(writer, object.previousTransaction);
  writer.integer(storageRebate, 8);
  return writer.take();
}

/** The object with its digest, and with the storage rebate that `price` (MIST) per byte of it makes. */
export function recordObject(object: StoredObject, rebateOf: (bytes: number) => bigint): ObjectRecord {
  const bytes = encodeObject(object, 0n);
  const storageRebate = rebateOf(bytes.length);
  new DataView(bytes.buffer).setBigUint64(bytes.length - 8, storageRebate, true);
  return { ...object, digest: digestOf('Object', bytes), storageRebate };
}

const moveVariant = 0;
const packageVariant = 1;

/** `MoveObjectType`: the framework's most frequent types have short forms. */
function writeObjectType(writer: BcsWriter, type: string): void {
  const coin = coinTypeOf(type);
  if (type === suiCoinType) writer.length(1);
  else if (coin !== undefined) {
    writer.length(3);
    writer.bytes(typeTagBytes(coin));
  } else {
    writer.length(0);
    writer.bytes(typeTagBytes(type).subarray(1));
  }
}

/** An owner as `bcs.Owner` writes it. */
export function writeOwner(writer: BcsWriter, owner: Owner): void {
  writer.length(ownerVariants[owner.kind]);
  if (owner.kind === 'consensusAddress') writer.integer(owner.startVersion, 8);
  if ('address' in owner) writer.address(owner.address);
  if (owner.kind === 'shared') writer.integer(owner.initialSharedVersion, 8);
}

const ownerVariants = { address: 0, object: 1, shared: 2, immutable: 3, consensusAddress: 4 } as const;

/** A digest as `bcs.ObjectDigest` writes it. @param digest Base58. */
export function writeDigest(writer: BcsWriter, digest: string): void {
  writer.block(fromBase58(digest));
}
