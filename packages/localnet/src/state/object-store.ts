import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { blob, idBytes, idOf, integer, invertedU64, optional, type Row, text } from './encoding.ts';
import { Interner } from './interner.ts';
import type { MoveObject, ObjectRecord, Owner, PackageObject } from './objects.ts';
import { decodePackage, encodePackage } from './package-codec.ts';

const ownerKinds = ['address', 'object', 'shared', 'immutable'] as const;
const noBalance = new Uint8Array(0);

/** The types of which a coin has one object at most. */
const currencyType = /^0x0{63}2::coin::(CoinMetadata|TreasuryCap|RegulatedCoinMetadata)</;

/** Packages never change, and one of them is read for every call: these stay parsed. */
const packageCacheSize = 64;

/** What of the live objects that were used last stays in memory, in bytes. */
const liveCacheBytes = 32 * 1024 * 1024;
/** About what a record takes beside its contents. */
const recordBytes = 1_000;

/** A place in a listing of owned objects. */
export interface OwnedPosition {
  typeId: number;
  invertedBalance: Uint8Array;
  id: string;
}

/** Object versions, the live version of each object, and the live objects of each owner. */
export class ObjectStore {
  readonly types: Interner;
  readonly #packages = new LRUCache<string, PackageObject & ObjectRecord>({ max: packageCacheSize });
  readonly #liveObjects = new LRUCache<string, ObjectRecord & MoveObject>({
    maxSize: liveCacheBytes,
    sizeCalculation: ({ contents }) => recordBytes + contents.length,
  });
  readonly #insertVersion: StatementSync;
  readonly #upsertLive: StatementSync;
  readonly #deleteLive: StatementSync;
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
    this.types = new Interner(database, 'types');
    this.#insertVersion = database.prepare(
      'INSERT INTO object_versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#upsertLive = database.prepare('INSERT OR REPLACE INTO live_objects VALUES (?, ?, ?, ?, ?, ?)');
    this.#deleteLive = database.prepare('DELETE FROM live_objects WHERE object_id = ?');
    this.#insertPackage = database.prepare('INSERT INTO package_versions VALUES (?, ?, ?)');
    this.#originalId = database.prepare('SELECT original_id FROM package_versions WHERE package_id = ?');
    this.#live = database.prepare(
      `SELECT v.* FROM live_objects l JOIN object_versions v USING (object_id, version) WHERE l.object_id = ?`,
    );
    this.#exact = database.prepare('SELECT * FROM object_versions WHERE object_id = ? AND version = ?');
    const owned = (condition: string) => `
      SELECT v.*, l.inverted_balance FROM live_objects l JOIN object_versions v USING (object_id, version)
      WHERE l.owner_kind = ? AND l.owner = ? AND ${condition} (l.type_id, l.inverted_balance, l.object_id) > (?, ?, ?)
      ORDER BY l.type_id, l.inverted_balance, l.object_id LIMIT ?`;
    this.#owned = database.prepare(owned(''));
    this.#ownedOfType = database.prepare(owned('l.type_id = ? AND'));
    this.#prune = database.prepare(
      `DELETE FROM object_versions WHERE (object_id, version) IN (
         SELECT unhex(substr(o.value ->> 0, 3)), o.value ->> 3 FROM transactions t, json_each(t.objects) o
         WHERE t.sequence < ? AND o.value ->> 2 <> 'read' AND o.value ->> 3 IS NOT NULL)`,
    );
    this.#insertCurrency = database.prepare('INSERT OR IGNORE INTO currency_objects VALUES (?, ?)');
    this.#currency = database.prepare(
      'SELECT object_id FROM currency_objects JOIN live_objects USING (object_id) WHERE currency_objects.type_id = ?',
    );
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

  /** Adds a version and makes it the live one. `balance` only for coins. */
  write(object: ObjectRecord, balance: bigint | undefined): void {
    const id = idBytes(object.id);
    if (object.kind === 'package') {
      this.#insertPackage.run(idBytes(object.originalId), Number(object.version), id);
      this.#insertVersion.run(
        ...[id, Number(object.version), object.digest, null, ownerKinds.indexOf('immutable'), null, null, 0],
        ...[encodePackage(object), object.previousTransaction, Number(object.storageRebate)],
      );
      this.#upsertLive.run(
        id,
        Number(object.version),
        null,
        ownerKinds.indexOf('immutable'),
        null,
        noBalance,
      );
      return;
    }
    const typeId = this.types.intern(object.type);
    const kind = ownerKinds.indexOf(object.owner.kind);
    const owner = 'address' in object.owner ? idBytes(object.owner.address) : null;
    const shared = object.owner.kind === 'shared' ? Number(object.owner.initialSharedVersion) : null;
    this.#insertVersion.run(
      ...[id, Number(object.version), object.digest, typeId, kind, owner, shared],
      ...[object.hasPublicTransfer ? 1 : 0, object.contents],
      ...[object.previousTransaction, Number(object.storageRebate)],
    );
    const inverted = balance === undefined ? noBalance : invertedU64(balance);
    this.#upsertLive.run(id, Number(object.version), typeId, kind, owner, inverted);
    if (currencyType.test(object.type)) this.#insertCurrency.run(typeId, id);
    this.#liveObjects.set(object.id, object);
  }

  /** The object is deleted or wrapped: no version is live; the earlier ones stay readable. */
  remove(id: string): void {
    this.#deleteLive.run(idBytes(id));
    this.#liveObjects.delete(id);
  }

  live(id: string): ObjectRecord | undefined {
    const cached = this.#packages.get(id) ?? this.#liveObjects.get(id);
    if (cached !== undefined) return cached;
    const row = this.#live.get(idBytes(id));
    if (row === undefined) return undefined;
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
    const row = typeId === undefined ? undefined : this.#currency.get(typeId);
    return row === undefined ? undefined : this.live(idOf(blob(row, 'object_id')));
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

function ownerOf(row: Row): Owner {
  const kind = ownerKinds[integer(row, 'owner_kind')];
  switch (kind) {
    case 'address':
    case 'object':
      return { kind, address: idOf(blob(row, 'owner')) };
    case 'shared':
      return { kind, initialSharedVersion: BigInt(integer(row, 'initial_shared_version')) };
    case 'immutable':
      return { kind };
    default:
      throw new Error(`the state file holds an unknown kind of owner`);
  }
}
