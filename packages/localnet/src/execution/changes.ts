import type { Owner } from '../state/objects.ts';
import { serializeValue } from '../vm/bcs.ts';
import { typeName } from '../vm/type-names.ts';
import { hasAbility, STORE, type Type } from '../vm/types.ts';
import type { Value } from '../vm/values.ts';
import { CommandFailure } from './failures.ts';
import type { Program } from './program.ts';
import { ObjectSlot } from './slots.ts';
import type { ObjectWrite } from './types.ts';

/** The chain's bound on one object, in bytes. */
const MAX_OBJECT_BYTES = 250 * 1024;

/** The chain's bound on all objects that one transaction writes, in bytes. */
const MAX_WRITTEN_BYTES = 5_000_000;

/**
 * What a transaction that succeeded did to objects. Objects that the code still holds (inputs, fields) are
 * compared with what they were; those that it gave away have a new owner; those that vanished were deleted, or
 * wrapped into another object. Throws CommandFailure for what the chain refuses only at the end.
 */
export function objectChanges(program: Program): ObjectWrite[] {
  const { objects } = program.session;
  const writes = new Map<string, ObjectWrite>();
  const held = new Set<string>();

  for (const slot of [...program.inputs, program.gas]) {
    if (!(slot instanceof ObjectSlot)) continue;
    const { object, type, mutable, loaded } = slot;
    const [value] = slot.cells;
    if (loaded && value === undefined) continue;
    held.add(object.id);
    if (!mutable) continue;
    const contents = value === undefined ? object.contents : contentsOf(type, value);
    writes.set(object.id, write(object.id, 'mutated', type, contents, object.owner));
  }

  for (const [id, { type, value, owner }] of objects.transfers) {
    writes.set(id, write(id, arrival(program, id), type, contentsOf(type, value), owner));
  }

  for (const [id, { parent, type, cells, mutablyBorrowed }] of objects.children) {
    const [value] = cells;
    if (value === undefined) continue;
    held.add(id);
    const before = objects.before.get(id);
    const moved = before?.owner.kind !== 'object' || before.owner.address !== parent;
    if (!moved && !mutablyBorrowed) continue;
    const contents = contentsOf(type, value);
    if (!moved && Buffer.compare(contents, before.contents) === 0) continue;
    writes.set(id, write(id, arrival(program, id), type, contents, { kind: 'object', address: parent }));
  }

  for (const [id, { owner }] of objects.before) {
    if (held.has(id) || writes.has(id)) continue;
    const deleted = objects.deleted.has(id);
    if (!deleted && owner.kind === 'shared')
      throw new CommandFailure({ kind: 'SharedObjectOperationNotAllowed' });
    writes.set(id, { change: deleted ? 'deleted' : 'wrapped', id });
  }
  for (const { id, owner } of objects.before.values()) {
    const after = writes.get(id);
    if (owner.kind === 'shared' && after !== undefined && 'owner' in after && after.owner.kind !== 'shared') {
      throw new CommandFailure({ kind: 'SharedObjectOperationNotAllowed' });
    }
  }
  for (const id of objects.deleted) {
    const unknown = !objects.before.has(id) && !objects.madeHere.has(id);
    if (unknown && !writes.has(id)) writes.set(id, { change: 'unwrappedThenDeleted', id });
  }
  checkWritten(program, [...writes.values()]);
  return [...writes.values()];
}

function checkWritten({ published }: Program, writes: ObjectWrite[]): void {
  const objects = writes.map((each) => ('contents' in each ? each.contents : new Uint8Array()));
  const modules = published.flatMap((each) => [...each.modules.values()]);
  const size = [...objects, ...modules].reduce((sum, { length }) => sum + length, 0);
  if (size > MAX_WRITTEN_BYTES) {
    throw new CommandFailure({ kind: 'WrittenObjectsTooLarge', size, maxSize: MAX_WRITTEN_BYTES });
  }
}

/** How an object came to be where it is now. */
function arrival(program: Program, id: string): 'created' | 'mutated' | 'unwrapped' {
  const { before, created } = program.session.objects;
  if (before.has(id)) return 'mutated';
  return created.has(id) ? 'created' : 'unwrapped';
}

function contentsOf(type: Type, value: Value): Uint8Array {
  const contents = serializeValue(type, value);
  if (contents.length > MAX_OBJECT_BYTES) {
    throw new CommandFailure({ kind: 'MoveObjectTooBig', size: contents.length, maxSize: MAX_OBJECT_BYTES });
  }
  return contents;
}

function write(
  id: string,
  change: 'created' | 'mutated' | 'unwrapped',
  type: Type,
  contents: Uint8Array,
  owner: Owner,
): ObjectWrite {
  return { change, id, type: typeName(type), contents, hasPublicTransfer: hasAbility(type, STORE), owner };
}
