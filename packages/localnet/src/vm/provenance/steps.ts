import { type CodeJson, instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { LoadedFunction } from '../loader/module.ts';
import { Ref, type VariantValue } from '../values.ts';
import { all, type Carry, type MakeCarry, top } from './carry.ts';
import { findReturning, targetsAt } from './control.ts';
import { datatypes } from './datatypes.ts';
import { findPart } from './memory.ts';
import { type Label, labelWith, noAtoms, plainAtoms, union } from './place.ts';
import { siteAt } from './trace.ts';
import { vectors } from './vectors.ts';

/** The result is calculated from the operands. */
const combine =
  (operands: number): MakeCarry =>
  () =>
  (trace, machine, frame, step) => {
    const { memory } = trace;
    let label = noAtoms;
    const labels = memory.popMany(operands);
    for (const [i, each] of labels.entries()) {
      const value = top(machine, operands - 1 - i);
      label = union(label, memory.deep(value, each));
      if (value instanceof Ref) trace.read(memory.place(value), siteAt(frame));
    }
    step(machine, frame);
    memory.push(label);
  };

const constant =
  (value: (operand: unknown) => string): MakeCarry =>
  (operand) => {
    const label = labelWith({ kind: 'constant', value: value(operand) });
    return ({ memory }, machine, frame, step) => {
      step(machine, frame);
      memory.push(label);
    };
  };

const integer = constant((operand) => {
  if (!Array.isArray(operand)) return String(operand);
  return String((operand as number[]).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n));
});

/** The label of the constant needs its value, which the first run shows. */
const pooledConstant: MakeCarry = (operand, { fn }) => {
  const { type_, data } = fn.module.json.constant_pool[Number(operand)]!;
  const type = fn.module.type(type_, []);
  const hex = Buffer.from(data).toString('hex');
  let label: Label | undefined;
  return ({ memory }, machine, frame, step) => {
    step(machine, frame);
    const value = top(machine);
    label ??= labelWith({ kind: 'constant', value: typeof value === 'object' ? `0x${hex}` : String(value) });
    memory.fill(type, value, label, plainAtoms.made);
    memory.push(typeof value === 'object' ? noAtoms : label);
  };
};

const copyLocal: MakeCarry = (operand) => {
  const index = Number(operand);
  return ({ memory }, machine, frame, step) => {
    step(machine, frame);
    memory.copy(frame.locals[index], top(machine));
    memory.push(memory.cell(frame.locals, index));
  };
};

const moveLocal: MakeCarry = (operand) => {
  const index = Number(operand);
  return ({ memory }, machine, frame, step) => {
    step(machine, frame);
    memory.push(memory.cell(frame.locals, index));
  };
};

const storeLocal: MakeCarry = (operand) => {
  const index = Number(operand);
  return ({ memory }, machine, frame, step) => {
    step(machine, frame);
    memory.setCell(frame.locals, index, memory.pop());
  };
};

/** Steps that push a value without a label, such as a reference. */
const pushPlain: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    step(machine, frame);
    memory.push(noAtoms);
  };

const keep: MakeCarry = () => (_, machine, frame, step) => step(machine, frame);

const drop: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    step(machine, frame);
    memory.pop();
  };

const borrowField: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    const from = top(machine) as Ref;
    step(machine, frame);
    const place = memory.place(from);
    const to = top(machine) as Ref;
    if (place) memory.setPlace(to, findPart(place, from.read(), to.index));
  };

const readRef: MakeCarry = () => (trace, machine, frame, step) => {
  const { memory } = trace;
  const ref = top(machine) as Ref;
  const original = ref.read();
  step(machine, frame);
  trace.read(memory.place(ref), siteAt(frame));
  memory.pop();
  const copy = top(machine);
  memory.copy(original, copy);
  memory.push(typeof copy === 'object' ? noAtoms : memory.behind(ref));
};

const writeRef: MakeCarry = () => (trace, machine, frame, step) => {
  const { memory } = trace;
  const ref = top(machine) as Ref;
  step(machine, frame);
  trace.write(memory.place(ref), siteAt(frame));
  const [label] = memory.popMany(2) as [Label, Label];
  const bytes = memory.byteVector(ref.cells);
  if (bytes) memory.setWhole(bytes, union(memory.whole(bytes), label));
  else memory.setCell(ref.cells, ref.index, label);
};

/** Notes what decided if the way not taken could have returned. */
const branch: MakeCarry = (_, { code, pc }) => {
  const returning = findReturning(code);
  const targets = targetsAt(code, pc);
  return (trace, machine, frame, step) => {
    const { memory } = trace;
    const value = top(machine);
    const label = memory.pop();
    const on = value instanceof Ref ? memory.whole(value.read() as VariantValue) : label;
    if (value instanceof Ref) trace.read(memory.place(value), siteAt(frame));
    step(machine, frame);
    if (targets.some((target) => target !== frame.pc && returning[target])) trace.decide(frame, on);
  };
};

const abort: MakeCarry = () => (trace, machine, frame, step) => {
  trace.abort(frame);
  step(machine, frame);
};

const call =
  (isGeneric: boolean): MakeCarry =>
  (operand, { fn: { module } }) => {
    const index = Number(operand);
    const handle = isGeneric ? module.json.function_instantiations[index]!.handle : index;
    return (trace, machine, frame, step) => {
      trace.site = siteAt(frame);
      const { fn } = frame.callee.linked.callee(handle);
      if (!fn.isNative) trace.pending = trace.memory.popMany(fn.parameters.length);
      step(machine, frame);
    };
  };

const binary = [
  'Add',
  'Sub',
  'Mul',
  'Div',
  'Mod',
  'BitAnd',
  'BitOr',
  'Xor',
  'Shl',
  'Shr',
  'Lt',
  'Le',
  'Gt',
  'Ge',
];
const casts = ['CastU8', 'CastU16', 'CastU32', 'CastU64', 'CastU128', 'CastU256'];
const literals = ['LdU8', 'LdU16', 'LdU32', 'LdU64', 'LdU128', 'LdU256'];

const carries = new Map<string, MakeCarry>([
  ...all([...binary, 'Eq', 'Neq', 'And', 'Or'], combine(2)),
  ...all([...casts, 'Not'], combine(1)),
  ...all(literals, integer),
  ['LdTrue', constant(() => 'true')],
  ['LdFalse', constant(() => 'false')],
  ['LdConst', pooledConstant],
  ['CopyLoc', copyLocal],
  ['MoveLoc', moveLocal],
  ['StLoc', storeLocal],
  ...all(['ImmBorrowLoc', 'MutBorrowLoc'], pushPlain),
  ...all(['ImmBorrowField', 'MutBorrowField', 'ImmBorrowFieldGeneric', 'MutBorrowFieldGeneric'], borrowField),
  ...all(['FreezeRef', 'Nop', 'Branch', 'Ret'], keep),
  ['Pop', drop],
  ['ReadRef', readRef],
  ['WriteRef', writeRef],
  ...datatypes,
  ...all(['BrTrue', 'BrFalse', 'VariantSwitch'], branch),
  ['Abort', abort],
  ['Call', call(false)],
  ['CallGeneric', call(true)],
  ...vectors,
]);

/** Makes the function that carries labels through one instruction. */
export function makeCarry(fn: LoadedFunction, code: CodeJson, pc: number): Carry {
  const [name, operand] = instructionParts(code.code[pc]!);
  const make = carries.get(name);
  if (make === undefined) throw new Error(`no rule carries labels through ${name}`);
  return make(operand, { fn, code, pc });
}
