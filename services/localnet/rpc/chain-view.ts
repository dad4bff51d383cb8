import { GrpcTypes } from '@mysten/sui/grpc';
import type { Ledger } from '../ledger/ledger.ts';
import { coinBalance, coinTypeOf } from '../ledger/move-types.ts';
import { encodeObject } from '../ledger/object-bcs.ts';
import type { CheckpointRecord, ObjectRecord } from '../ledger/types.ts';
import { type LoadedPackage, PackageCache } from '../vm/loader/package.ts';
import { bcsMessage, jsonMessage, ownerMessage } from './convert/common.ts';
import { renderJson } from './convert/json.ts';
import { packageMessage } from './convert/package.ts';
import type { ReadMask } from './read-mask.ts';

/** The ledger with what answers need beyond it: packages and types by name, and values rendered by type. */
export class ChainView {
  readonly ledger: Ledger;
  readonly #packages = new PackageCache();
  #newest: CheckpointRecord | undefined;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** The newest checkpoint; remembered, because every answer's headers name it. */
  get newestCheckpoint(): CheckpointRecord | undefined {
    const sequence = this.ledger.highestCheckpoint;
    if (this.#newest?.sequence !== sequence) this.#newest = this.ledger.getCheckpoint({ sequence });
    return this.#newest;
  }

  /** The package behind a storage id; undefined when there is none. */
  package(storageId: string): LoadedPackage | undefined {
    if (this.ledger.getObject(storageId)?.kind !== 'package') return undefined;
    return this.#packages.load(storageId, this.#read);
  }

  /** A value as JSON by its canonical type; undefined when it is too large or does not fit its type. */
  json(type: string, contents: Uint8Array) {
    try {
      const rendered = renderJson(this.#packages.type(type, this.#read), contents);
      return rendered === undefined ? undefined : jsonMessage(rendered);
    } catch {
      // A rendering is a convenience beside the bytes: without one the answer is still right.
      return undefined;
    }
  }

  /** The object's message with the masked fields; costly ones are made only when wanted. */
  object(object: ObjectRecord, mask: ReadMask<GrpcTypes.Object>): GrpcTypes.Object {
    const message: GrpcTypes.Object = {
      objectId: object.id,
      version: object.version,
      digest: object.digest,
      previousTransaction: object.previousTransaction,
      storageRebate: object.storageRebate,
    };
    if (mask.has('bcs')) message.bcs = bcsMessage('Object', encodeObject(object, object.storageRebate));
    if (object.kind === 'package') {
      message.objectType = 'package';
      message.owner = { kind: GrpcTypes.Owner_OwnerKind.IMMUTABLE };
      const loaded = mask.has('package') ? this.package(object.id) : undefined;
      if (loaded) message.package = packageMessage(loaded);
    } else {
      message.objectType = object.type;
      message.owner = ownerMessage(object.owner);
      message.hasPublicTransfer = object.hasPublicTransfer;
      message.contents = bcsMessage(object.type, object.contents);
      if (mask.has('json')) message.json = this.json(object.type, object.contents);
      if (coinTypeOf(object.type) !== undefined) message.balance = coinBalance(object.contents);
    }
    return mask.apply(message);
  }

  readonly #read = (id: string) => this.ledger.getObject(id);
}
