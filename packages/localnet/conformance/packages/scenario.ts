import { type MoveObject, type Owner, owningAddress } from '../../src/state/objects.ts';
import { serializeValue } from '../../src/vm/bcs.ts';
import { abortError } from '../../src/vm/errors.ts';
import { isFrameworkType } from '../../src/vm/framework.ts';
import { Meter } from '../../src/vm/meter.ts';
import { ObjectRuntime, systemLimits } from '../../src/vm/runtime/objects.ts';
import { Session } from '../../src/vm/runtime/session.ts';
import { TransactionContext, type TransactionFacts } from '../../src/vm/runtime/transaction-context.ts';
import { typeName } from '../../src/vm/type-names.ts';
import { fieldTypesOf, hasAbility, STORE, type Type } from '../../src/vm/types.ts';
import { copyValue, equalValues, StructValue, type Value, VectorValue } from '../../src/vm/values.ts';

/** Codes of `sui::test_scenario` that its natives abort with. */
const INVALID_SHARED_OR_IMMUTABLE_USAGE = 1;
const OBJECT_NOT_FOUND = 4;
const UNABLE_TO_ALLOCATE_RECEIVING_TICKET = 5;
const RECEIVING_TICKET_ALREADY_ALLOCATED = 6;
const UNABLE_TO_DEALLOCATE_RECEIVING_TICKET = 7;

/** More work than any unit test does that ends. */
const MAX_UNITS = 4_000_000_000;

/** What a unit test has before it makes a context of its own. */
const NO_TRANSACTION: TransactionFacts = {
  transactionDigest: '1'.repeat(32),
  sender: `0x${'0'.repeat(64)}`,
  sponsor: undefined,
  epoch: 0n,
  epochTimestampMs: 0n,
  referenceGasPrice: 0n,
  gasPrice: 0n,
  gasBudget: 0n,
};

/** An object that a transaction of the test left behind. */
interface Left {
  type: Type;
  value: Value;
  owner: Owner;
}

/** One unit test: transactions one after another, as `sui::test_scenario` runs them, in one session. */
export class TestSession extends Session {
  declare context: TransactionContext;
  /** Later ones were left later. */
  readonly #inventory = new Map<string, Left>();
  /** Objects that the code took, by the owner that they had. */
  readonly #taken = new Map<string, Left>();
  /** Objects that may be received. */
  readonly #tickets = new Set<string>();
  /** Settings as they were when the transaction began, which `sui::config` reads. */
  readonly #settings: Map<string, MoveObject>;

  constructor() {
    const settings = new Map<string, MoveObject>();
    const read = (id: string) => settings.get(id);
    const objects = new ObjectRuntime(read, systemLimits);
    super(NO_TRANSACTION, read, new Meter(MAX_UNITS), undefined, objects);
    this.#settings = settings;
  }

  /** Replaces what the test's context answers. */
  replaceContext(facts: TransactionFacts, idsCreated: bigint): void {
    this.context = new TransactionContext(facts);
    while (this.context.idsCreated < idsCreated) this.context.freshId();
  }

  take(id: string, type: Type, owned: (owner: Owner) => boolean): Value {
    const left = this.#inventory.get(id);
    if (
      left === undefined ||
      this.#taken.has(id) ||
      this.#tickets.has(id) ||
      !owned(left.owner) ||
      typeName(left.type) !== typeName(type)
    ) {
      throw abortError(OBJECT_NOT_FOUND, `there is no ${typeName(type)} ${id}, or it is taken`);
    }
    this.#taken.set(id, left);
    this.objects.addInput(storedObject(id, left));
    return copyValue(left.value, this.meter);
  }

  /** Ids of a type, the latest last. */
  ids(type: Type, owned: (owner: Owner) => boolean): string[] {
    const name = typeName(type);
    return [...this.#inventory]
      .filter(([, left]) => owned(left.owner) && typeName(left.type) === name)
      .map(([id]) => id);
  }

  mostRecent(type: Type, owned: (owner: Owner) => boolean): string | undefined {
    return this.ids(type, owned).findLast((id) => !this.#taken.has(id));
  }

  wasTaken(id: string, owned: (owner: Owner) => boolean): boolean {
    const left = this.#taken.get(id);
    return left !== undefined && owned(left.owner);
  }

  /** Lets an object be received; answers its version. */
  allocateTicket(id: string, type: Type): bigint {
    if (this.#tickets.has(id)) throw abortError(RECEIVING_TICKET_ALREADY_ALLOCATED, 'there is a ticket');
    const left = this.#inventory.get(id);
    if (left === undefined) throw abortError(UNABLE_TO_ALLOCATE_RECEIVING_TICKET, 'there is no object');
    if (left.owner.kind !== 'address') throw abortError(OBJECT_NOT_FOUND, 'no address owns the object');
    this.#tickets.add(id);
    const object = storedObject(id, { ...left, type });
    this.objects.addReceivable({ ...object, contents: serializeValue(left.type, left.value) });
    return object.version;
  }

  deallocateTicket(id: string): void {
    if (!this.#tickets.delete(id))
      throw abortError(UNABLE_TO_DEALLOCATE_RECEIVING_TICKET, 'there is no ticket');
  }

  /** Ends a transaction: what it did becomes what the next one finds. Returns `TransactionEffects`. */
  endTransaction(): Value {
    const { objects } = this;
    const takenBefore = new Map(
      [...this.#taken].filter(([, { owner }]) => owningAddress(owner) === undefined),
    );
    this.#tickets.clear();
    const deleted = [...objects.deleted].filter((id) => !objects.madeHere.has(id));
    const fields = new Map([...objects.children].filter(([, child]) => child.cells[0] !== undefined));
    for (const id of [...deleted, ...objects.transfers.keys(), ...fields.keys()]) {
      this.#inventory.delete(id);
      this.#taken.delete(id);
    }
    for (const [id, left] of objects.transfers) this.#inventory.set(id, left);

    const wrapped = wrappedIds(objects);
    const misused = [...takenBefore].some(([id, { type, value, owner }]) => {
      const after = objects.transfers.get(id);
      const changed = after !== undefined && after.owner.kind !== owner.kind;
      const gone = wrapped.has(id) || fields.has(id) || (owner.kind === 'immutable' && deleted.includes(id));
      const written =
        owner.kind === 'immutable' &&
        after !== undefined &&
        typeName(after.type) === typeName(type) &&
        !equalValues(value, after.value, this.meter);
      return changed || gone || written;
    });
    if (misused)
      throw abortError(INVALID_SHARED_OR_IMMUTABLE_USAGE, 'a shared or immutable object was not given back');

    for (const id of wrapped) this.#inventory.delete(id);
    const effects = this.#effects([...deleted, ...wrapped]);
    this.#rememberSettings();
    for (const each of [
      objects.created,
      objects.madeHere,
      objects.deleted,
      objects.transfers,
      objects.before,
    ]) {
      each.clear();
    }
    for (const [id, left] of this.#taken) objects.addInput(storedObject(id, left));
    this.events.length = 0;
    return effects;
  }

  #effects(deleted: string[]): Value {
    const { created, transfers } = this.objects;
    const ids = (which: Iterable<string>) => new VectorValue([...which].map(idValue));
    const kindOf = (owner: Owner) => (owningAddress(owner) === undefined ? owner.kind : 'address');
    const owned = (kind: Owner['kind']) => [...transfers].filter(([, { owner }]) => kindOf(owner) === kind);
    const entries = (kind: 'address' | 'object', key: (address: string) => Value) =>
      new StructValue([
        new VectorValue(
          owned(kind).map(
            ([id, { owner }]) => new StructValue([idValue(id), key('address' in owner ? owner.address : '')]),
          ),
        ),
      ]);
    const written = [...transfers.keys()];
    return new StructValue([
      ids(written.filter((id) => created.has(id))),
      ids(written.filter((id) => !created.has(id))),
      ids(deleted),
      entries('address', (address) => address),
      entries('object', idValue),
      ids(owned('shared').map(([id]) => id)),
      ids(owned('immutable').map(([id]) => id)),
      BigInt(this.events.length),
    ]);
  }

  #rememberSettings(): void {
    for (const [id, { parent, type, cells }] of this.objects.children) {
      const [value] = cells;
      if (!isFrameworkType(type, 'sui', 'dynamic_field', 'Field')) continue;
      if (!isFrameworkType(type.args[1], 'sui', 'config', 'Setting')) continue;
      if (value === undefined) this.#settings.delete(id);
      else {
        const stored = storedObject(id, { type, value, owner: { kind: 'object', address: parent } });
        this.#settings.set(id, { ...stored, contents: serializeValue(type, value) });
      }
    }
  }
}

export const idValue = (id: string) => new StructValue([id]);

function storedObject(id: string, { type, owner }: Left): MoveObject {
  return {
    kind: 'move',
    id,
    version: 0n,
    type: typeName(type),
    owner,
    contents: new Uint8Array(),
    hasPublicTransfer: hasAbility(type, STORE),
    previousTransaction: '',
  };
}

/** Ids within the values that the transaction left: of what other objects, and fields, contain. */
function wrappedIds({ transfers, children }: ObjectRuntime): Set<string> {
  const found = new Set<string>();
  const visit = (type: Type, value: Value, depth: number) => {
    if (type.kind === 'vector' && value instanceof VectorValue) {
      for (const item of value.items) visit(type.element, item, depth + 1);
    }
    if (type.kind !== 'datatype' || typeof value !== 'object' || !('fields' in value)) return;
    const types = fieldTypesOf(type)['tag' in value ? value.tag : 0]!;
    for (const [i, field] of value.fields.entries()) {
      if (!isFrameworkType(types[i], 'sui', 'object', 'UID')) visit(types[i]!, field, depth + 1);
      else if (depth > 0) found.add(((field as StructValue).fields[0] as StructValue).fields[0] as string);
    }
  };
  for (const { type, value } of transfers.values()) visit(type, value, 0);
  for (const { type, cells } of children.values()) if (cells[0] !== undefined) visit(type, cells[0], 0);
  return found;
}
