import type { TokenJson } from '@adaptor-marketplace/move-bytecode';
import { brokenInvariant, entry } from '../errors.ts';
import type { FunctionBody, Instruction } from './body.ts';
import type { BorrowState, Tracked } from './borrow-state.ts';
import { calleeOf, variantOf } from './effects.ts';

/** Throws a status of the pass, at the instruction in question. */
export type Refuse = (status: string, detail: string) => never;

function popReference(state: BorrowState): number {
  const id = state.stack.pop();
  if (id === undefined) throw brokenInvariant('an instruction on a reference was let pass without one');
  return id;
}

/** Copying, moving and storing locals, references or other values. */
export function stepLocal(state: BorrowState, name: string, local: number, refuse: Refuse): void {
  const { locals, stack } = state;
  const held = locals[local];
  if (name === 'CopyLoc') {
    if (held !== undefined) {
      stack.push(state.alias(held, state.graph.isMutable(held)));
      return;
    }
    if (state.isLocalMutablyBorrowed(local))
      refuse('COPYLOC_EXISTS_BORROW_ERROR', `local ${local} is mutably borrowed`);
    stack.push(undefined);
    return;
  }
  if (held === undefined && state.isLocalBorrowed(local)) {
    const status = name === 'MoveLoc' ? 'MOVELOC_EXISTS_BORROW_ERROR' : 'STLOC_UNSAFE_TO_DESTROY_ERROR';
    refuse(status, `local ${local} is borrowed`);
  }
  if (name === 'MoveLoc') {
    locals[local] = undefined;
    stack.push(held);
  } else {
    locals[local] = stack.pop();
    state.release(held);
  }
}

/** References to fields of a struct, one at a time, or to all fields of a variant at once. */
export function stepFields(
  body: FunctionBody,
  state: BorrowState,
  { name, operand }: Instruction,
  refuse: Refuse,
): void {
  const id = popReference(state);
  const mutable = name.includes('Mut');
  const isVariant = name.startsWith('Unpack');
  const paths = isVariant ? variantPaths(body, name, Number(operand)) : [fieldPath(body, name, operand)];
  // Of a variant all fields must be free; of a struct the one.
  const readAt = isVariant ? undefined : paths[0];
  if (mutable ? state.graph.hasFullBorrow(id) : !state.isReadable(id, readAt)) {
    refuse('FIELD_EXISTS_MUTABLE_BORROW_ERROR', 'a field is borrowed that may be borrowed already');
  }
  const fields = paths.map((path) => state.borrowField(id, path, mutable));
  state.release(id);
  state.stack.push(...fields);
}

function fieldPath(body: FunctionBody, name: string, operand: unknown): string {
  const index = Number(operand);
  const { field_instantiations } = body.module.json;
  return `f${name.endsWith('Generic') ? entry(field_instantiations, index, 'field').handle : index}/`;
}

function variantPaths(body: FunctionBody, name: string, index: number): string[] {
  const { definition, variant, fields } = variantOf(body.module.json, name, index);
  return Array.from({ length: fields }, (_, i) => `v${definition}.${variant}.${i}/`);
}

/** Reading, writing, freezing and comparing through references. */
export function stepThrough(state: BorrowState, name: string, refuse: Refuse): void {
  const { stack } = state;
  switch (name) {
    case 'FreezeRef': {
      const id = popReference(state);
      if (!state.isReadable(id)) refuse('FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR', 'it is mutably borrowed');
      stack.push(state.alias(id, false));
      state.release(id);
      return;
    }
    case 'WriteRef': {
      const id = popReference(state);
      stack.pop();
      if (!state.isWritable(id)) refuse('WRITEREF_EXISTS_BORROW_ERROR', 'it is borrowed');
      state.release(id);
      return;
    }
    default: {
      const operands: Tracked[] = name === 'ReadRef' ? [popReference(state)] : [stack.pop(), stack.pop()];
      if (operands.some((id) => id !== undefined && !state.isReadable(id))) {
        refuse('READREF_EXISTS_MUTABLE_BORROW_ERROR', 'it is mutably borrowed');
      }
      for (const id of operands) state.release(id);
      stack.push(undefined);
    }
  }
}

/** Looking into a vector, and changing it. */
export function stepVector(state: BorrowState, name: string, refuse: Refuse): void {
  const { stack } = state;
  // The index, the element or two indices lie above the vector's reference.
  const above: Record<string, number> = { VecImmBorrow: 1, VecMutBorrow: 1, VecPushBack: 1, VecSwap: 2 };
  stack.length -= above[name] ?? 0;
  const id = popReference(state);
  const borrows = name === 'VecImmBorrow' || name === 'VecMutBorrow';
  const changes = name !== 'VecLen' && name !== 'VecImmBorrow';
  if (changes && !state.isWritable(id)) {
    const status = borrows
      ? 'VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR'
      : 'VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR';
    refuse(status, 'the vector is borrowed from');
  }
  if (borrows) {
    const element = state.fresh(name === 'VecMutBorrow');
    state.graph.borrowSomewhere(id, element);
    stack.push(element);
  }
  state.release(id);
  if (name === 'VecLen' || name === 'VecPopBack') stack.push(undefined);
}

/** What a call returns may be made from any reference that it took, a mutable one from the mutable ones. */
export function stepCall(
  body: FunctionBody,
  state: BorrowState,
  instruction: Instruction,
  refuse: Refuse,
): void {
  const { json } = body.module;
  const { parameters, return_ } = calleeOf(json, instruction.name, Number(instruction.operand));
  const count = json.signatures[parameters]!.length;
  const references = state.stack.splice(state.stack.length - count, count).filter((id) => id !== undefined);
  body.meter.charge(1 + count);
  const mutable = references.filter((id) => state.graph.isMutable(id));
  if (!mutable.every((id) => state.isWritable(id))) {
    refuse('CALL_BORROWED_MUTABLE_REFERENCE_ERROR', 'a mutable argument is borrowed');
  }
  for (const token of json.signatures[return_]!) {
    const returned = referenceKind(token);
    if (returned === undefined) {
      state.stack.push(undefined);
      continue;
    }
    const id = state.fresh(returned === 'mutable');
    for (const parent of returned === 'mutable' ? mutable : references)
      state.graph.borrowSomewhere(parent, id);
    state.stack.push(id);
  }
  for (const id of references) state.release(id);
}

function referenceKind(token: TokenJson): 'mutable' | 'immutable' | undefined {
  if (typeof token === 'string') return undefined;
  if ('MutableReference' in token) return 'mutable';
  return 'Reference' in token ? 'immutable' : undefined;
}

/** Lets go of all locals; what is returned must not depend on them. */
export function stepReturn(body: FunctionBody, state: BorrowState, refuse: Refuse): void {
  const { stack, locals } = state;
  const count = body.fn.returns.length;
  const returned = stack.splice(stack.length - count, count);
  for (const [local, id] of locals.entries()) {
    state.release(id);
    locals[local] = undefined;
  }
  if (state.isAnyLocalBorrowed()) {
    refuse('UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED', 'a reference to a local is returned');
  }
  const isFree = (id: Tracked) => id === undefined || !state.graph.isMutable(id) || state.isWritable(id);
  if (!returned.every(isFree))
    refuse('RET_BORROWED_MUTABLE_REFERENCE_ERROR', 'a returned reference is borrowed');
}
