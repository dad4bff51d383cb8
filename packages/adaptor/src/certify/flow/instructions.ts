import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { hasAbility, type MoveType } from '../../introspect/code/move-type.ts';
import type { Instruction } from '../../introspect/flow/blocks.ts';
import { isMoney } from './assets.ts';
import { noAtoms, plainSets } from './atom-set.ts';
import { dereference, type Frame, type Operand } from './frame.ts';
import { item } from './path.ts';
import { type ReadShape, readField, shapes } from './shapes.ts';
import { noFacts } from './summary.ts';
import {
  closed,
  influences,
  join,
  makeComputed,
  nothing,
  type Part,
  place,
  reference,
  scalar,
  select,
  unread,
  type Value,
  withInfluence,
} from './value.ts';

type Run = (frame: Frame, operand: unknown) => void;

const primitive = (name: string): MoveType => ({ kind: 'primitive', name });
const bool = primitive('bool');
const u64 = primitive('u64');

const pushConstant =
  (type: string): Run =>
  (frame, operand) =>
    frame.push(
      frame.constant(Array.isArray(operand) ? littleEndian(operand) : String(operand)),
      primitive(type),
    );

const arithmetic: Run = (frame) => {
  const [left, right] = frame.popMany(2);
  frame.push(makeComputed([left!.value, right!.value]), left!.type);
};

const compare: Run = (frame) => {
  const [left, right] = frame.popMany(2).map(({ value }) => frame.content(value));
  frame.push({ ...makeComputed([left!, right!]), check: frame.fn.key }, bool);
};

const equality =
  (when: boolean): Run =>
  (frame) => {
    const operands = frame.popMany(2);
    for (const { value } of operands) frame.read(value);
    const [left, right] = operands.map(({ value }) => frame.content(value));
    frame.push(
      { ...makeComputed([left!, right!]), test: { left: left!, right: right!, when }, check: frame.fn.key },
      bool,
    );
  };

const cast =
  (type: string): Run =>
  (frame) => {
    const { test: _, ...value } = frame.pop().value;
    frame.push(value, primitive(type));
  };

const copy: Run = (frame, operand) => {
  const index = Number(operand);
  frame.push(frame.locals[index] ?? unread, frame.localTypes[index]);
};

const borrowLocal =
  (mutable: boolean): Run =>
  (frame, operand) => {
    const index = Number(operand);
    const to = frame.localTypes[index];
    frame.push(reference([place(index, frame.origins.root)]), to && { kind: 'reference', mutable, to });
  };

const borrowField =
  (read: typeof readField.plain, mutable: boolean): Run =>
  (frame, operand) => {
    const { step, type: to } = read(frame.module, Number(operand));
    frame.push(frame.part(frame.pop().value, step), to && { kind: 'reference', mutable, to });
  };

const pack =
  (read: ReadShape): Run =>
  (frame, operand) => {
    const { type, fields } = read(frame.module, Number(operand));
    const values = frame.popMany(fields.length);
    const parts = fields.map(({ step }, i): Part => ({ step, value: values[i]!.value }));
    frame.push(closed(parts, isMade(frame, type) ? plainSets.made : noAtoms), type);
    if (type.kind !== 'datatype' || !frame.effects) return;
    const name = `${type.address}::${type.module}::${type.name}`;
    const { block } = frame;
    frame.effects.add('packs', { ...frame.here('pack'), datatype: name, facts: noFacts, block });
  };

/** A coin is money that was there before, and everything else with an id is a new object. */
function isMade(frame: Frame, type: MoveType): boolean {
  if (type.kind !== 'datatype') return false;
  return isMoney(type) ? type.name === 'Balance' : hasAbility(type, 'key', frame.constraints);
}

const unpack =
  (read: ReadShape): Run =>
  (frame, operand) => {
    const { type, fields } = read(frame.module, Number(operand));
    const whole = frame.pop();
    // The framework destroys money by taking its number out.
    if (isMoney(type) && type.kind === 'datatype' && type.name === 'Balance')
      frame.consume('burn', { ...whole, type });
    else if (isMade(frame, type)) frame.destroy(whole.value, type);
    for (const { step, type: part } of fields) frame.push(select(whole.value, step), part);
  };

const unpackReference =
  (read: ReadShape, mutable: boolean): Run =>
  (frame, operand) => {
    const { fields } = read(frame.module, Number(operand));
    const { value } = frame.pop();
    for (const { step, type: to } of fields) {
      frame.push(frame.part(value, step), to && { kind: 'reference', mutable, to });
    }
  };

const itemType = (type: MoveType | undefined): MoveType | undefined => {
  const vector = dereference(type);
  return vector?.kind === 'vector' ? vector.item : undefined;
};

/** Bound on the items of one vector instruction. */
const itemsMax = 512;

function vectorOperand(frame: Frame, operand: unknown): { count: number; type: MoveType | undefined } {
  const [signature, length] = Array.isArray(operand) ? operand : [0, 0];
  if (Number(length) > itemsMax) frame.fail('bound', 'items of a vector');
  return { count: Math.min(Number(length), itemsMax), type: frame.module.signature(Number(signature))[0] };
}

export const packVector = (items: readonly Value[]): Value =>
  closed(items.length === 0 ? [] : [{ step: item, value: items.reduce(join, nothing) }]);

const borrowItem =
  (mutable: boolean): Run =>
  (frame) => {
    const [vector, index] = frame.popMany(2);
    const to = itemType(vector!.type);
    const value = frame.part(vector!.value, item, influences(index!.value));
    frame.push(value, to && { kind: 'reference', mutable, to });
  };

const branch: Run = (frame) => {
  const { value } = frame.pop();
  frame.condition(value);
};

const drop: Run = (frame) => noteDropped(frame, frame.pop().value);

/** Records a check whose result is not used. */
export function noteDropped(frame: Frame, { check }: Value): void {
  if (check !== undefined) frame.effects?.add('dropped', { ...frame.here('dropped'), check });
}

const instructions: Record<string, Run> = {
  Nop: () => {},
  Branch: () => {},
  Pop: drop,
  BrTrue: branch,
  BrFalse: branch,
  Abort: (frame) => void frame.pop(),
  VariantSwitch: (frame) => {
    const { value } = frame.pop();
    frame.read(value);
    const { is, from } = frame.content(value);
    frame.condition(scalar(is, from));
  },
  Ret: (frame) => {
    const values = frame.popMany(frame.handle.returns.length);
    const guards = frame.guards();
    frame.returns = frame.returns.map((known, i) => join(known, withInfluence(values[i]!.value, guards)));
  },
  CopyLoc: copy,
  MoveLoc: copy,
  StLoc: (frame, operand) => {
    const { value } = frame.pop();
    if (!frame.isUsed(Number(operand))) noteDropped(frame, value);
    frame.locals[Number(operand)] = withInfluence(value, frame.guards());
  },
  MutBorrowLoc: borrowLocal(true),
  ImmBorrowLoc: borrowLocal(false),
  MutBorrowField: borrowField(readField.plain, true),
  ImmBorrowField: borrowField(readField.plain, false),
  MutBorrowFieldGeneric: borrowField(readField.instance, true),
  ImmBorrowFieldGeneric: borrowField(readField.instance, false),
  ReadRef: (frame) => {
    const { value, type } = frame.pop();
    frame.read(value);
    frame.push(frame.content(value), dereference(type));
  },
  FreezeRef: (frame) => {
    const { value, type } = frame.pop();
    frame.push(value, type?.kind === 'reference' ? { ...type, mutable: false } : type);
  },
  WriteRef: (frame) => {
    const [value, to] = frame.popMany(2);
    frame.write(to!.value, value!.value, dereference(to!.type));
  },
  Pack: pack(shapes.struct),
  PackGeneric: pack(shapes.structInstance),
  Unpack: unpack(shapes.struct),
  UnpackGeneric: unpack(shapes.structInstance),
  PackVariant: pack(shapes.variant),
  PackVariantGeneric: pack(shapes.variantInstance),
  UnpackVariant: unpack(shapes.variant),
  UnpackVariantGeneric: unpack(shapes.variantInstance),
  UnpackVariantImmRef: unpackReference(shapes.variant, false),
  UnpackVariantMutRef: unpackReference(shapes.variant, true),
  UnpackVariantGenericImmRef: unpackReference(shapes.variantInstance, false),
  UnpackVariantGenericMutRef: unpackReference(shapes.variantInstance, true),
  VecPack: (frame, operand) => {
    const { count, type } = vectorOperand(frame, operand);
    const values = frame.popMany(count).map(({ value }) => value);
    frame.push(packVector(values), type && { kind: 'vector', item: type });
  },
  VecUnpack: (frame, operand) => {
    const { count, type } = vectorOperand(frame, operand);
    const whole = frame.pop();
    for (let i = 0; i < count; i++) frame.push(select(whole.value, item), type);
  },
  VecLen: (frame) => {
    const { value } = frame.pop();
    frame.push(vectorLength(frame, value), u64);
  },
  VecImmBorrow: borrowItem(false),
  VecMutBorrow: borrowItem(true),
  VecPushBack: (frame) => {
    const [to, value] = frame.popMany(2);
    pushBack(frame, to!, value!.value);
  },
  VecPopBack: (frame) => {
    const from = frame.pop();
    frame.push(popBack(frame, from), itemType(from.type));
  },
  VecSwap: (frame) => {
    const [vector] = frame.popMany(3);
    frame.touch(vector!.value);
  },
  Not: (frame) => {
    const { value } = frame.pop();
    const { test } = value;
    frame.push(
      {
        ...makeComputed([value]),
        ...(test && { test: { ...test, when: !test.when } }),
        ...(value.check !== undefined && { check: value.check }),
      },
      bool,
    );
  },
  LdTrue: (frame) => frame.push(frame.constant('true'), bool),
  LdFalse: (frame) => frame.push(frame.constant('false'), bool),
  LdU8: pushConstant('u8'),
  LdU16: pushConstant('u16'),
  LdU32: pushConstant('u32'),
  LdU64: pushConstant('u64'),
  LdU128: pushConstant('u128'),
  LdU256: pushConstant('u256'),
  LdConst: (frame, operand) => {
    const { type_, data } = frame.module.json.constant_pool[Number(operand)]!;
    frame.push(readConstant(frame, type_, data), frame.module.type(type_));
  },
  Eq: equality(true),
  Neq: equality(false),
};
for (const name of ['Lt', 'Gt', 'Le', 'Ge']) instructions[name] = compare;
for (const name of 'Add Sub Mul Mod Div BitOr BitAnd Xor Shl Shr Or And'.split(' '))
  instructions[name] = arithmetic;
for (const size of [8, 16, 32, 64, 128, 256]) instructions[`CastU${size}`] = cast(`u${size}`);

export function vectorLength(frame: Frame, vector: Value): Value {
  frame.read(vector);
  // The number of items depends on all that decided about an item.
  return makeComputed([frame.content(vector)]);
}

export function pushBack(frame: Frame, to: Operand, value: Value): void {
  frame.write(frame.part(to.value, item), value, itemType(to.type));
}

export function popBack(frame: Frame, from: Operand): Value {
  frame.touch(from.value);
  frame.takeOut(frame.part(from.value, item), itemType(from.type));
  return select(frame.content(from.value), item);
}

/** Runs one instruction other than a call. Returns `false` for an instruction that the chain does not accept. */
export function runInstruction(frame: Frame, { name, operand }: Instruction): boolean {
  const run = Object.hasOwn(instructions, name) ? instructions[name] : undefined;
  run?.(frame, operand);
  return run !== undefined;
}

const littleEndian = (bytes: readonly number[]): string =>
  bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n).toString();

type ConstantType = ModuleJson['constant_pool'][number]['type_'];

const sizes = new Map([
  ['Bool', 1],
  ['U16', 2],
  ['U32', 4],
  ['U64', 8],
  ['U128', 16],
  ['U256', 32],
  ['Address', 32],
]);

/** Bound on the items of a constant vector that are distinguished. */
const constantItemsMax = 64;

/** A vector of numbers or addresses has its items as parts. Bytes are one constant. */
function readConstant(frame: Frame, type: ConstantType, data: readonly number[]): Value {
  const inner = typeof type === 'object' && 'Vector' in type ? type.Vector : undefined;
  const size = typeof inner === 'string' ? sizes.get(inner) : undefined;
  const count = size === undefined ? 0 : Math.floor(data.length / size);
  if (inner === undefined || size === undefined || count === 0 || count > constantItemsMax) {
    return frame.constant(writeConstant(type, data));
  }
  // The length comes first. It has one byte, since the items are few.
  const items = Array.from({ length: count }, (_, i) => data.slice(1 + i * size, 1 + (i + 1) * size));
  return packVector(items.map((each) => frame.constant(writeConstant(inner, each))));
}

/** Bound on the bytes of a constant that is written out. */
const constantBytesMax = 64;

function writeConstant(type: ConstantType, data: readonly number[]): string {
  if (type === 'Bool') return data[0] === 1 ? 'true' : 'false';
  if (typeof type === 'string' && type.startsWith('U')) return littleEndian(data);
  const hex = data.slice(0, constantBytesMax).map((byte) => byte.toString(16).padStart(2, '0'));
  return `0x${hex.join('')}${data.length > constantBytesMax ? '…' : ''}`;
}
