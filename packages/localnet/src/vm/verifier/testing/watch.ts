import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { LoadedFunction } from '../../loader/module.ts';
import type { Frame, Machine } from '../../runtime/machine.ts';
import { Ref, StructValue, type Value, VariantValue } from '../../values.ts';
import { calleeOf } from '../effects.ts';

type Cells = Ref['cells'];

/**
 * Makes a function look, before each of its instructions, at the references that wait on the operand stack: what
 * the borrow checker promises of them must be so. `outside` names the containers behind the references that the
 * call was given.
 */
export function watch(fn: LoadedFunction, outside: () => Cells[]): void {
  const code = fn.code!;
  for (const [pc, step] of code.entries()) {
    code[pc] = (machine, frame) => {
      const references = machine.stack.filter((value) => value instanceof Ref);
      if (references.length > 0) {
        checkAlive(references, [...outside(), ...frames(frame)]);
        checkApart(fn, pc, machine);
      }
      step(machine, frame);
    };
  }
}

function frames(frame: Frame): Cells[] {
  const locals: Cells[] = [];
  for (let each: Frame | undefined = frame; each !== undefined; each = each.caller) locals.push(each.locals);
  return locals;
}

/** No reference dangles: what it points at lies in a local of some call or came from outside. */
export function checkAlive(references: Ref[], roots: Cells[]): void {
  const reachable = new Set<Cells>();
  for (const root of roots) collect(root, reachable);
  for (const { cells, index } of references) {
    if (!reachable.has(cells) || cells[index] === undefined) throw new Error('a reference dangles');
  }
}

function collect(cells: Cells, into: Set<Cells>): void {
  if (into.has(cells)) return;
  into.add(cells);
  if (cells instanceof Uint8Array) return;
  for (const value of cells) if (value !== undefined) collectValue(value, into);
}

function collectValue(value: Value, into: Set<Cells>): void {
  if (value instanceof StructValue || value instanceof VariantValue) collect(value.fields, into);
  else if (typeof value === 'object' && !(value instanceof Ref)) collect(value.cells, into);
}

/** A call's mutable arguments share nothing with its other references. */
function checkApart(fn: LoadedFunction, pc: number, machine: Machine): void {
  const [name, operand] = instructionParts(fn.definition.code!.code[pc]!);
  if (name !== 'Call' && name !== 'CallGeneric') return;
  const { json } = fn.module;
  const parameters = json.signatures[calleeOf(json, name, Number(operand)).parameters]!;
  const args = parameters.length === 0 ? [] : machine.stack.slice(-parameters.length);
  for (const [i, token] of parameters.entries()) {
    if (typeof token === 'string' || !('MutableReference' in token)) continue;
    const own = args[i] as Ref;
    for (const [j, other] of args.entries()) {
      if (j === i || !(other instanceof Ref)) continue;
      if (contains(own, other) || contains(other, own))
        throw new Error('a mutable argument is not the only reference');
    }
  }
}

/** Whether `inner` points at what `outer` points at, or into it. */
function contains(outer: Ref, inner: Ref): boolean {
  if (outer.cells === inner.cells && outer.index === inner.index) return true;
  const within = new Set<Cells>();
  collectValue(outer.read(), within);
  return within.has(inner.cells);
}
