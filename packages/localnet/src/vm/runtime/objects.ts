import type { MoveObject, Owner } from '../../state/objects.ts';
import { deserializeValue } from '../bcs.ts';
import { abortError, VmError } from '../errors.ts';
import { typeName } from '../type-names.ts';
import type { Type } from '../types.ts';
import { objectIdOf, type Value } from '../values.ts';

export type ReadMoveObject = (id: string) => MoveObject | undefined;

/** Codes of `sui::dynamic_field`. */
const FIELD_ALREADY_EXISTS = 0;
const FIELD_DOES_NOT_EXIST = 1;
const FIELD_TYPE_MISMATCH = 2;
/** Code of `sui::transfer`. */
const SHARED_NON_NEW_OBJECT = 0;
const UNABLE_TO_RECEIVE = 3;

/** Bounds of the chain on the objects of one transaction. */
interface ObjectLimits {
  /** Dynamic fields and received objects that it may look at. */
  loaded: number;
  /** New ids, deleted ones and objects given away, each for itself. */
  ids: number;
}

const userLimits: ObjectLimits = { loaded: 1000, ids: 2048 };
/** Limits of the system's transactions and of unit tests. */
export const systemLimits: ObjectLimits = { loaded: 16 * userLimits.loaded, ids: 16 * userLimits.ids };

/** Objects that the framework's `create` functions share under ids that are known beforehand. */
const SYSTEM_OBJECTS = new Set(
  ['5', '6', '7', '8', 'a', 'c', 'd', '403', 'acc'].map((digits) => `0x${digits.padStart(64, '0')}`),
);

/** An object that left the hands of the code, with its new owner. */
interface Transfer {
  type: Type;
  value: Value;
  owner: Owner;
}

/** A dynamic field or child object that was loaded or added; `cells[0]` is empty once it is taken out. */
interface Child {
  parent: string;
  type: Type;
  cells: [Value | undefined];
  mutablyBorrowed: boolean;
}

/** What happened to objects in one transaction, as the framework's natives tell it. */
export class ObjectRuntime {
  readonly created = new Set<string>();
  /** Ids that were new at some time in this transaction, whatever became of them. */
  readonly madeHere = new Set<string>();
  readonly deleted = new Set<string>();
  readonly transfers = new Map<string, Transfer>();
  readonly children = new Map<string, Child>();
  /** Objects of the store by id, as they were before: inputs, loaded children, received objects. */
  readonly before = new Map<string, MoveObject>();
  /** Objects that it looked at without naming them, by id: dynamic fields, also where only their existence was asked. */
  readonly loaded = new Map<string, MoveObject>();
  readonly #read: ReadMoveObject;
  readonly #limits: ObjectLimits;
  /** Receiving inputs that have not been received. */
  readonly #receivable = new Map<string, MoveObject>();

  constructor(read: ReadMoveObject, limits = userLimits) {
    this.#read = read;
    this.#limits = limits;
  }

  addInput(object: MoveObject): void {
    this.before.set(object.id, object);
  }

  addReceivable(object: MoveObject): void {
    this.#receivable.set(object.id, object);
  }

  /** A field that was removed and added again within one transaction is not deleted. */
  recordNew(id: string): void {
    this.deleted.delete(id);
    this.created.add(id);
    this.madeHere.add(id);
    this.#bound(this.madeHere, 'new ids');
  }

  recordDeleted(id: string): void {
    this.created.delete(id);
    this.deleted.add(id);
    this.#bound(this.deleted, 'deleted ids');
  }

  /** Aborts with the code of `sui::transfer` when an object that is not new would become shared. */
  transfer(type: Type, value: Value, owner: Owner): void {
    const id = objectIdOf(value);
    if (owner.kind === 'shared' && !this.created.has(id)) {
      const known = this.before.get(id)?.owner;
      if (known?.kind === 'shared') {
        this.transfers.set(id, { type, value, owner: known });
        return;
      }
      if (known !== undefined || !SYSTEM_OBJECTS.has(id))
        throw abortError(SHARED_NON_NEW_OBJECT, 'only a new object can be shared');
    }
    const before = this.before.get(id)?.owner;
    // Its versions stay in one order when its owner changes.
    const stays = owner.kind === 'consensusAddress' && before?.kind === 'consensusAddress';
    const next = stays ? { ...owner, startVersion: before.startVersion } : owner;
    this.transfers.set(id, { type, value, owner: next });
    this.#bound(this.transfers, 'objects given away');
  }

  /** Takes an object that was sent to `parent`; aborts when it is no such object of the type. */
  receive(parent: string, id: string, version: bigint, type: Type): Value {
    const object = this.#receivable.get(id);
    if (
      object === undefined ||
      object.version !== version ||
      object.owner.kind !== 'address' ||
      object.owner.address !== parent
    ) {
      throw abortError(UNABLE_TO_RECEIVE, `object ${id} cannot be received by ${parent}`);
    }
    if (object.type !== typeName(type)) throw abortError(FIELD_TYPE_MISMATCH, 'received as another type');
    this.#receivable.delete(id);
    this.before.set(id, object);
    this.loaded.set(id, object);
    return deserializeValue(type, object.contents);
  }

  addChild(parent: string, type: Type, value: Value): void {
    const id = objectIdOf(value);
    if (this.hasChild(parent, id)) throw abortError(FIELD_ALREADY_EXISTS, 'the field exists');
    this.children.set(id, { parent, type, cells: [value], mutablyBorrowed: true });
  }

  hasChild(parent: string, id: string): boolean {
    const child = this.children.get(id);
    if (child !== undefined) return child.parent === parent && child.cells[0] !== undefined;
    return this.#look(parent, id) !== undefined;
  }

  hasChildOfType(parent: string, id: string, type: Type): boolean {
    const child = this.children.get(id);
    if (child === undefined) return this.#look(parent, id)?.type === typeName(type);
    return this.hasChild(parent, id) && typeName(child.type) === typeName(type);
  }

  /** The cell that holds the child; aborts with the codes of `sui::dynamic_field`. */
  borrowChild(parent: string, id: string, type: Type, mutable: boolean): Child {
    const child = this.#child(parent, id, type);
    child.mutablyBorrowed ||= mutable;
    return child;
  }

  /** A child as it was before this transaction, whatever became of it; undefined if none of the type is there. */
  readStored(parent: string, id: string, type: Type): Value | undefined {
    const object = this.#stored(parent, id);
    return object?.type === typeName(type) ? deserializeValue(type, object.contents) : undefined;
  }

  removeChild(parent: string, id: string, type: Type): Value {
    const child = this.#child(parent, id, type);
    const [value] = child.cells;
    child.cells[0] = undefined;
    return value!;
  }

  #child(parent: string, id: string, type: Type): Child {
    let child = this.children.get(id);
    if (child === undefined) child = this.#load(parent, id, type);
    if (child.parent !== parent || child.cells[0] === undefined) {
      throw abortError(FIELD_DOES_NOT_EXIST, `there is no field ${id}`);
    }
    if (typeName(child.type) !== typeName(type)) {
      throw abortError(FIELD_TYPE_MISMATCH, `field ${id} is of another type`);
    }
    return child;
  }

  #load(parent: string, id: string, type: Type): Child {
    const object = this.#look(parent, id);
    if (object === undefined) throw abortError(FIELD_DOES_NOT_EXIST, `there is no field ${id}`);
    if (object.type !== typeName(type))
      throw abortError(FIELD_TYPE_MISMATCH, `field ${id} is of another type`);
    const { loaded } = this.#limits;
    if (this.children.size >= loaded)
      throw new VmError('limit', `more than ${loaded} fields in one transaction`);
    const value = deserializeValue(type, object.contents);
    const child: Child = { parent, type, cells: [value], mutablyBorrowed: false };
    this.children.set(id, child);
    this.before.set(id, object);
    return child;
  }

  #look(parent: string, id: string): MoveObject | undefined {
    const object = this.#stored(parent, id);
    if (object !== undefined) this.loaded.set(id, object);
    return object;
  }

  #stored(parent: string, id: string): MoveObject | undefined {
    const object = this.#read(id);
    return object?.owner.kind === 'object' && object.owner.address === parent ? object : undefined;
  }

  #bound({ size }: { size: number }, what: string): void {
    const { ids } = this.#limits;
    if (size > ids) throw new VmError('limit', `more than ${ids} ${what}`);
  }
}
