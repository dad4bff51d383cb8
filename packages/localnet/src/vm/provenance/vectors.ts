import { ByteVector, type Ref, VectorValue } from '../values.ts';
import { all, type CarryTable, type MakeCarry, top } from './carry.ts';
import { findPart } from './memory.ts';
import { type Label, noAtoms, union } from './place.ts';
import { siteAt } from './trace.ts';

const vectorPack: MakeCarry = (operand) => {
  const count = Number((operand as unknown[])[1]);
  return ({ memory }, machine, frame, step) => {
    step(machine, frame);
    const value = top(machine);
    const labels = memory.popMany(count);
    if (value instanceof VectorValue) memory.setLabels(value.items, labels);
    if (value instanceof ByteVector) memory.setWhole(value, labels.reduce(union, noAtoms));
    memory.push(noAtoms);
  };
};

const vectorUnpack: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    const value = top(machine) as VectorValue | ByteVector;
    const { length } = value;
    step(machine, frame);
    memory.pop();
    for (let i = 0; i < length; i += 1) {
      memory.push(value instanceof ByteVector ? memory.whole(value) : memory.cell(value.items, i));
    }
  };

const vectorLength: MakeCarry = () => (trace, machine, frame, step) => {
  const { memory } = trace;
  const ref = top(machine) as Ref;
  trace.read(memory.place(ref), siteAt(frame));
  step(machine, frame);
  memory.pop();
  memory.push(memory.whole(ref.read() as VectorValue));
};

const vectorBorrow: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    const ref = top(machine, 1) as Ref;
    const vector = ref.read();
    step(machine, frame);
    memory.popMany(2);
    const item = top(machine) as Ref;
    if (vector instanceof ByteVector) memory.rememberBytes(vector);
    const place = memory.place(ref);
    if (place) memory.setPlace(item, findPart(place, vector, item.index));
    memory.push(noAtoms);
  };

const vectorPush: MakeCarry = () => (trace, machine, frame, step) => {
  const { memory } = trace;
  const ref = top(machine, 1) as Ref;
  step(machine, frame);
  trace.write(memory.place(ref), siteAt(frame));
  const [, label] = memory.popMany(2) as [Label, Label];
  const vector = ref.read();
  if (vector instanceof ByteVector) memory.setWhole(vector, union(memory.whole(vector), label));
  if (vector instanceof VectorValue) memory.setCell(vector.items, vector.length - 1, label);
};

const vectorPop: MakeCarry = () => (trace, machine, frame, step) => {
  const { memory } = trace;
  const ref = top(machine) as Ref;
  const vector = ref.read() as VectorValue | ByteVector;
  step(machine, frame);
  trace.write(memory.place(ref), siteAt(frame));
  memory.pop();
  memory.push(vector instanceof ByteVector ? memory.whole(vector) : memory.cell(vector.items, vector.length));
};

const vectorSwap: MakeCarry = () => (trace, machine, frame, step) => {
  const { memory } = trace;
  const ref = top(machine, 2) as Ref;
  const [left, right] = [Number(top(machine, 1)), Number(top(machine))];
  step(machine, frame);
  trace.write(memory.place(ref), siteAt(frame));
  memory.popMany(3);
  const vector = ref.read();
  if (!(vector instanceof VectorValue)) return;
  const kept = memory.cell(vector.items, left);
  memory.setCell(vector.items, left, memory.cell(vector.items, right));
  memory.setCell(vector.items, right, kept);
};

/** Instructions of vectors. */
export const vectors: CarryTable = [
  ['VecPack', vectorPack],
  ['VecUnpack', vectorUnpack],
  ['VecLen', vectorLength],
  ...all(['VecImmBorrow', 'VecMutBorrow'], vectorBorrow),
  ['VecPushBack', vectorPush],
  ['VecPopBack', vectorPop],
  ['VecSwap', vectorSwap],
];
