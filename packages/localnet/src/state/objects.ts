/**
 * What the chain stores. Ids and addresses are `0x` + 64 lower-case hex digits, type names are canonical
 * (`0x<64 hex>::module::Name<...>`, defining ids), digests are base58, versions are Lamport versions.
 */
export type StoredObject = MoveObject | PackageObject;

export interface MoveObject {
  kind: 'move';
  id: string;
  version: bigint;
  type: string;
  owner: Owner;
  /** BCS of the struct; its first 32 bytes are the id. */
  contents: Uint8Array;
  /** The type has `store`, so that it may be transferred outside its module. */
  hasPublicTransfer: boolean;
  /** Digest of the transaction that wrote this version. */
  previousTransaction: string;
}

export interface PackageObject {
  kind: 'package';
  /** Storage id: differs from `originalId` after an upgrade. */
  id: string;
  /** 1 when published, then one more with every upgrade. */
  version: bigint;
  originalId: string;
  /** Bytecode by module name, in name order. */
  modules: Map<string, Uint8Array>;
  /** Which package version first defined each datatype. */
  typeOrigins: TypeOrigin[];
  /** Dependencies by original id: the storage id and version that this package runs against. */
  linkage: Map<string, { storageId: string; version: bigint }>;
  previousTransaction: string;
}

export interface TypeOrigin {
  module: string;
  datatype: string;
  packageId: string;
}

export type Owner =
  | { kind: 'address'; address: string }
  /** A dynamic field or child object: `address` is the parent object's id. */
  | { kind: 'object'; address: string }
  /** A party object: consensus orders its versions, as those of shared objects. */
  | { kind: 'consensusAddress'; address: string; startVersion: bigint }
  | { kind: 'shared'; initialSharedVersion: bigint }
  | { kind: 'immutable' };

/** The version from which on consensus orders an object's versions; absent for other objects. */
export function consensusStart(owner: Owner): bigint | undefined {
  if (owner.kind === 'shared') return owner.initialSharedVersion;
  return owner.kind === 'consensusAddress' ? owner.startVersion : undefined;
}

/** The address, not the object, that an object belongs to. */
export function owningAddress(owner: Owner): string | undefined {
  return owner.kind === 'address' || owner.kind === 'consensusAddress' ? owner.address : undefined;
}

/** An object version as the store keeps it, with what the chain derives from it. */
export type ObjectRecord = StoredObject & {
  /** Base58 digest over BCS of the whole object. */
  digest: string;
  /** MIST of storage paid for this version, most of which deleting or rewriting it gives back. */
  storageRebate: bigint;
};

export const coinPrefix = `0x${'2'.padStart(64, '0')}::coin::Coin<`;

/** `T` of `0x2::coin::Coin<T>`; absent for other types. */
export function coinTypeOf(type: string): string | undefined {
  return type.startsWith(coinPrefix) ? type.slice(coinPrefix.length, -1) : undefined;
}

/** `Coin<T>` is a UID and a u64. */
export function coinBalance(contents: Uint8Array): bigint {
  return new DataView(contents.buffer, contents.byteOffset, contents.byteLength).getBigUint64(32, true);
}
