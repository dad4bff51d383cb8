import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { blob, idBytes, idOf, integer, invertedU64, optional, type Row, text } from './encoding.ts';
import { Interner } from './interner.ts';
import {
  coinBalance,
  coinTypeOf,
  consensusStart,
  type MoveObject,
  type ObjectRecord,
  type Owner,
  type PackageObject,
} from './objects.ts';
import { decodePackage, encodePackage } from './package-codec.ts';

const ownerKinds = ['address', 'object', 'shared', 'immutable', 'consensusAddress'] as const;
const noBalance = new Uint8Array(0);

/** The types of which a coin has one object at most. */
const currencyType = /^0x0{63}2::coin::(CoinMetadata|TreasuryCap|RegulatedCoinMetadata)</;

/** Packages never change, and one of them is read for every call: these stay parsed. */
const packageCacheSize = 64;

/** What of the live objects that were used last stays in memory, in bytes. */
const liveCacheBytes = 32 * 1024 * 1024;
/** About what a record takes beside its contents. */
const recordBytes = 1_000;

/** What is remembered of an id that no live object has: code asks for it before it makes the object. */
const absent = Symbol('absent');

/** A place in a listing of owned objects. */
export interface OwnedPosition {
  typeId: number;
  invertedBalance: Uint8Array;
  id: string;
}

/** Object versions, of which an object's newest is live unless it is gone, and the live objects of each owner. */
export class ObjectStore {
  readonly types: Interner;
  readonly #packages = new LRUCache<string, PackageObject & ObjectRecord>({ max: packageCacheSize });
  readonly #liveObjects = new LRUCache<string, (ObjectRecord & MoveObject) | typeof absent>({
    maxSize: liveCacheBytes,
    sizeCalculation: (known) => recordBytes + (known === absent ? 0 : known.contents.length),
  });
  readonly #insertVersion: StatementSync;
  readonly #markGone: StatementSync;
  readonly #insertOwned: StatementSync;
  readonly #deleteOwned: StatementSync;
  readonly #insertPackage: StatementSync;
  readonly #originalId: StatementSync;
  readonly #live: StatementSync;
  readonly #exact: StatementSync;
  readonly #owned: StatementSync;
  readonly #ownedOfType: StatementSync;
  readonly #packageVersions: StatementSync;
  readonly #insertCurrency: StatementSync;
  readonly #currency: StatementSync;
  readonly #prune: StatementSync;

  constructor(database: DatabaseSync) {
    this.types = new Interner(database);
    this.#insertVersion = database.prepare(
      `INSERT INTO object_versions (object_id, version, digest, type_id, owner_kind, owner, initial_shared_version,
         public_transfer, contents, previous_transaction, storage_rebate) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#markGone = database.prepare(
      `UPDATE object_versions SET gone = 1 WHERE id = (
         SELECT id FROM object_versions WHERE object_id = ? ORDER BY version DESC LIMIT 1)`,
    );
    this.#insertOwned = database.prepare('INSERT INTO owned_objects VALUES (?, ?, ?, ?, ?)');
    this.#deleteOwned = database.prepare(
      `DELETE FROM owned_objects
       WHERE owner_kind = ? AND owner = ? AND type_id = ? AND inverted_balance = ? AND object_id = ?`,
    );
    this.#insertPackage = database.prepare('INSERT INTO package_versions VALUES (?, ?, ?)');
    this.#originalId = database.prepare('SELECT original_id FROM package_versions WHERE package_id = ?');
    this.#live = database.prepare(
      'SELECT * FROM object_versions WHERE object_id = ? ORDER BY version DESC LIMIT 1',
    );
    this.#exact = database.prepare('SELECT * FROM object_versions WHERE object_id = ? AND version = ?');
    const owned = (condition: string) => `
      SELECT v.*, o.inverted_balance FROM owned_objects o JOIN object_versions v ON v.object_id = o.object_id
        AND v.version = (SELECT max(version) FROM object_versions WHERE object_id = o.object_id)
      WHERE o.owner_kind = ? AND o.owner = ? AND ${condition} (o.type_id, o.inverted_balance, o.object_id) > (?, ?, ?)
      ORDER BY o.type_id, o.inverted_balance, o.object_id LIMIT ?`;
    this.#owned = database.prepare(owned(''));
    this.#ownedOfType = database.prepare(owned('o.type_id = ? AND'));
    this.#prune = database.prepare(
      `DELETE FROM object_versions WHERE (object_id, version) IN (
         SELECT unhex(substr(o.value ->> 0, 3)), o.value ->> 3 FROM transactions t, json_each(t.objects) o
         WHERE t.sequence < ? AND o.value ->> 2 NOT IN ('read', 'loaded') AND o.value ->> 3 IS NOT NULL)`,
    );
    this.#insertCurrency = database.prepare('INSERT OR IGNORE INTO currency_objects VALUES (?, ?)');
    this.#currency = database.prepare('SELECT object_id FROM currency_objects WHERE type_id = ?');
    this.#packageVersions = database.prepare(
      'SELECT package_id, version FROM package_versions WHERE original_id = ? AND version > ? ORDER BY version LIMIT ?',
    );
  }

  /**
   * Forgets the versions that the transactions before `sequence` (see `TransactionRow`) wrote over, deleted or
   * wrapped: nothing that is left refers to them.
   */
  prune(sequence: number): void {
    this.#prune.run(sequence);
  }

  /** Drops what is remembered: a transaction was rolled back, or everything was deleted. */
  forget(): void {
    this.types.forget();
    this.#packages.clear();
    this.#liveObjects.clear();
  }

  /** Adds a version and makes it the live one. */
  write(object: ObjectRecord): void {
    const id = idBytes(object.id);
    if (object.kind === 'package') {
      this.#insertPackage.run(idBytes(object.originalId), Number(object.version), id);
      this.#insertVersion.run(
        ...[id, Number(object.version), object.digest, null, ownerKinds.indexOf('immutable'), null, null, 0],
        ...[encodePackage(object), object.previousTransaction, Number(object.storageRebate)],
      );
      this.#liveObjects.delete(object.id);
      return;
    }
    const before = this.live(object.id);
    const typeId = this.types.intern(object.type);
    const kind = ownerKinds.indexOf(object.owner.kind);
    const owner = 'address' in object.owner ? idBytes(object.owner.address) : null;
    const start = consensusStart(object.owner);
    this.#insertVersion.run(
      ...[
        id,
        Number(object.version),
        object.digest,
        typeId,
        kind,
        owner,
        start === undefined ? null : Number(start),
      ],
      ...[object.hasPublicTransfer ? 1 : 0, object.contents],
      ...[object.previousTransaction, Number(object.storageRebate)],
    );
    this.#list(before, object);
    if (currencyType.test(object.type)) this.#insertCurrency.run(typeId, id);
    this.#liveObjects.set(object.id, object);
  }

  /** The object is deleted or wrapped: no version is live; the earlier ones stay readable. */
  remove(id: string): void {
    const before = this.live(id);
    if (before === undefined) return;
    this.#markGone.run(idBytes(id));
    this.#list(before, undefined);
    this.#liveObjects.set(id, absent);
  }

  /** Puts an object where its owner's are listed, unless it stands there already. */
  #list(before: ObjectRecord | undefined, after: ObjectRecord | undefined): void {
    const from = this.#entryOf(before);
    const to = this.#entryOf(after);
    if (from !== undefined && to !== undefined && sameEntry(from, to)) return;
    if (from !== undefined) this.#deleteOwned.run(...from);
    if (to !== undefined) this.#insertOwned.run(...to);
  }

  #entryOf(object: ObjectRecord | undefined): OwnedEntry | undefined {
    if (object?.kind !== 'move' || !('address' in object.owner)) return undefined;
    const { id, type, owner, contents } = object;
    const balance = coinTypeOf(type) === undefined ? noBalance : invertedU64(coinBalance(contents));
    return [
      // Party objects are listed among what their owner has.
      ownerKinds.indexOf(owner.kind === 'object' ? 'object' : 'address'),
      idBytes(owner.address),
      this.types.intern(type),
      balance,
      idBytes(id),
    ];
  }

  live(id: string): ObjectRecord | undefined {
    const cached = this.#packages.get(id) ?? this.#liveObjects.get(id);
    if (cached !== undefined) return cached === absent ? undefined : cached;
    const row = this.#live.get(idBytes(id));
    if (row === undefined || row.gone === 1) {
      this.#liveObjects.set(id, absent);
      return undefined;
    }
    const record = this.#recordOf(row);
    if (record.kind === 'move') this.#liveObjects.set(id, record);
    return record;
  }

  at(id: string, version: bigint): ObjectRecord | undefined {
    const row = this.#exact.get(idBytes(id), Number(version));
    return row === undefined ? undefined : this.#recordOf(row);
  }

  /** Live objects of an address or a parent object, by type, richest coins first, then by id. */
  owned(
    owner: { kind: 'address' | 'object'; address: string },
    typeId: number | undefined,
    after: OwnedPosition | undefined,
    limit: number,
  ): { object: MoveObject & ObjectRecord; position: OwnedPosition }[] {
    const scope = [ownerKinds.indexOf(owner.kind), idBytes(owner.address)];
    const start = [
      after?.typeId ?? -1,
      after?.invertedBalance ?? noBalance,
      after ? idBytes(after.id) : noBalance,
    ];
    const rows =
      typeId === undefined
        ? this.#owned.all(...scope, ...start, limit)
        : this.#ownedOfType.all(...scope, typeId, ...start, limit);
    return rows.map((row) => {
      const object = this.#recordOf(row);
      if (object.kind === 'package') throw new Error(`the state file gives package ${object.id} an owner`);
      const position = {
        typeId: integer(row, 'type_id'),
        invertedBalance: blob(row, 'inverted_balance'),
        id: object.id,
      };
      return { object, position };
    });
  }

  /** A live object of a type that describes a coin, whatever its owner; there is at most one. */
  currency(type: string): ObjectRecord | undefined {
    const typeId = this.types.find(type);
    const rows = typeId === undefined ? [] : this.#currency.all(typeId);
    for (const row of rows) {
      const object = this.live(idOf(blob(row, 'object_id')));
      if (object !== undefined) return object;
    }
    return undefined;
  }

  /** Versions of the package that `packageId` (any of its versions) belongs to, oldest first. */
  packageVersions(
    packageId: string,
    afterVersion: bigint,
    limit: number,
  ): { packageId: string; version: bigint }[] {
    const found = this.#originalId.get(idBytes(packageId));
    if (found === undefined) return [];
    return this.#packageVersions
      .all(blob(found, 'original_id'), Number(afterVersion), limit)
      .map((row) => ({ packageId: idOf(blob(row, 'package_id')), version: BigInt(integer(row, 'version')) }));
  }

  #recordOf(row: Row): ObjectRecord {
    const id = idOf(blob(row, 'object_id'));
    const version = BigInt(integer(row, 'version'));
    const digest = text(row, 'digest');
    const previousTransaction = text(row, 'previous_transaction');
    const storageRebate = BigInt(integer(row, 'storage_rebate'));
    const typeId = optional(integer, row, 'type_id');
    if (typeId === undefined) {
      const originalId = idOf(blob(this.#originalId.get(idBytes(id)) ?? {}, 'original_id'));
      const contents = decodePackage(blob(row, 'contents'), originalId, previousTransaction);
      const record = { ...contents, digest, storageRebate };
      this.#packages.set(id, record);
      return record;
    }
    return {
      kind: 'move',
      id,
      version,
      type: this.types.name(typeId),
      owner: ownerOf(row),
      contents: blob(row, 'contents'),
      hasPublicTransfer: integer(row, 'public_transfer') === 1,
      previousTransaction,
      digest,
      storageRebate,
    };
  }
}

/** A row of `owned_objects`; the last column is the object's id. */
type OwnedEntry = [
  kind: number,
  owner: Uint8Array,
  typeId: number,
  invertedBalance: Uint8Array,
  id: Uint8Array,
];

function sameEntry([kind, owner, typeId, balance]: OwnedEntry, to: OwnedEntry): boolean {
  return (
    kind === to[0] &&
    typeId === to[2] &&
    Buffer.compare(owner, to[1]) === 0 &&
    Buffer.compare(balance, to[3]) === 0
  );
}

function ownerOf(row: Row): Owner {
  const kind = ownerKinds[integer(row, 'owner_kind')];
  switch (kind) {
    case 'address':
    case 'object':
      return { kind, address: idOf(blob(row, 'owner')) };
    case 'consensusAddress':
      return {
        kind,
        address: idOf(blob(row, 'owner')),
        startVersion: BigInt(integer(row, 'initial_shared_version')),
      };
    case 'shared':
      return { kind, initialSharedVersion: BigInt(integer(row, 'initial_shared_version')) };
    case 'immutable':
      return { kind };
    default:
      throw new Error(`the state file holds an unknown kind of owner`);
  }
}
