import { GrpcTypes } from '@mysten/sui/grpc';
import type { Ledger } from '../../ledger/ledger.ts';
import { coinBalance, coinTypeOf } from '../../ledger/move-types.ts';
import { encodeObject } from '../../ledger/object-bcs.ts';
import type { CheckpointRecord, ObjectRecord } from '../../ledger/types.ts';
import { Misbehaviour } from '../../misbehaviour/misbehaviour.ts';
import { type LoadedPackage, PackageCache } from '../../vm/loader/package.ts';
import type { CallContext } from '../server/service.ts';
import { bcsMessage, type Json, jsonMessage, ownerMessage } from './common.ts';
import { renderJson } from './json.ts';
import { packageObjectMessage } from './package.ts';
import type { ReadMask } from './read-mask.ts';

/** The full node's bounds on values rendered as JSON, in bytes. What does not fit has no `json`. */
const maxJsonBytes = { value: 1024 * 1024, answer: 16 * 1024 * 1024 };

/** The ledger with what answers need beyond it: packages and types by name, and values rendered by type. */
export class ChainView {
  readonly ledger: Ledger;
  readonly #packages: PackageCache;
  readonly #misbehaviour: Misbehaviour;
  #jsonBytesLeft = maxJsonBytes.answer;
  #newest: { chainId: string; record: CheckpointRecord | undefined } | undefined;

  constructor(ledger: Ledger, misbehaviour = new Misbehaviour(), packages = new PackageCache()) {
    this.ledger = ledger;
    this.#misbehaviour = misbehaviour;
    this.#packages = packages;
  }

  /** The view for one answer message, with a bound of its own on what is rendered as JSON. */
  answer(): ChainView {
    return new ChainView(this.ledger, this.#misbehaviour, this.#packages);
  }

  /** What the network says its chain is. */
  get chainId(): string {
    return this.#misbehaviour.settings.chainId ?? this.ledger.chainId;
  }

  /** The newest checkpoint that lists know of. */
  listedCheckpoint(call: CallContext): bigint {
    const { lagLists } = this.#misbehaviour.settings;
    const newest = this.visibleCheckpoint(call) - BigInt(lagLists?.checkpoints ?? 0);
    const oldest = this.lowestCheckpoint;
    return newest < oldest ? oldest - 1n : newest;
  }

  /** The oldest checkpoint of this node, which may have pruned more than the ledger. It always has the newest. */
  get lowestCheckpoint(): bigint {
    const { highestCheckpoint, lowestAvailableCheckpoint } = this.ledger;
    const below = BigInt(this.#misbehaviour.settings.forget?.below ?? 0);
    if (below <= lowestAvailableCheckpoint) return lowestAvailableCheckpoint;
    return below < highestCheckpoint ? below : highestCheckpoint;
  }

  /** The newest checkpoint of the node that answers this call, which may be late. */
  visibleCheckpoint(call: CallContext): bigint {
    const lowest = this.lowestCheckpoint;
    const visible = this.ledger.highestCheckpoint - this.lag(call);
    return visible < lowest ? lowest : visible;
  }

  /** Checkpoints by which the node that answers this call is late. */
  lag(call: CallContext): bigint {
    return BigInt(this.#misbehaviour.lag(call));
  }

  /** The same as a record; remembered, because every answer's headers name it. */
  newestCheckpoint(call: CallContext): CheckpointRecord | undefined {
    const { chainId } = this.ledger;
    const sequence = this.visibleCheckpoint(call);
    if (this.#newest?.chainId !== chainId || this.#newest.record?.sequence !== sequence) {
      this.#newest = { chainId, record: this.ledger.getCheckpoint({ sequence }) };
    }
    return this.#newest.record;
  }

  /** The package behind a storage id; undefined when there is none. */
  package(storageId: string): LoadedPackage | undefined {
    if (this.ledger.getObject(storageId)?.kind !== 'package') return undefined;
    return this.#packages.load(storageId, this.#read);
  }

  /** A value as JSON by its canonical type; undefined when it is too large or does not fit its type. */
  json(type: string, contents: Uint8Array): GrpcTypes.Object['json'] {
    const value = this.value(type, contents);
    return value === undefined ? undefined : jsonMessage(value);
  }

  /** `json` as plain data. */
  value(type: string, contents: Uint8Array): Json | undefined {
    try {
      const maxBytes = Math.min(maxJsonBytes.value, this.#jsonBytesLeft);
      const { json, bytes } = renderJson(this.#packages.type(type, this.#read), contents, maxBytes);
      this.#jsonBytesLeft -= bytes;
      return json;
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
      if (mask.has('package')) message.package = packageObjectMessage(object);
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
