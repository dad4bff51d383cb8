import { isFrameworkType, SUI } from '../framework.ts';
import { type DatatypeType, fieldTypesOf, hasAbility, KEY, type Type } from '../types.ts';
import { ByteVector, Ref, StructValue, type Value, VariantValue, VectorValue } from '../values.ts';
import { type Atom, type Label, labelWith, noAtoms, type Place, plainAtoms, union } from './place.ts';

/** An instruction of a function. */
export interface Site {
  /** `0x<original id>::module`. */
  module: string;
  function: string;
  offset: number;
}

/** A part of a balance: the place that it was taken from, and what its amount was calculated from. */
export interface Share {
  source: Atom;
  amount: Label;
  /** True if it may be the whole of what was there. */
  all: boolean;
  /** The instruction that split it off. */
  taken: Site | undefined;
}

/** The cells of a container, of a frame's locals, or of a slot of the transaction. */
type Cells = object;

/**
 * What the values of one observed call come from, beside the machine's own values. Scalars have a label for their cell
 * or their position on the stack. Containers have theirs by identity: each is in one cell, and moving it keeps it.
 */
export class Memory {
  /** One label for each value on the machine's stack; that of a container is empty. */
  readonly stack: Label[] = [];
  readonly #cells = new WeakMap<Cells, Label[]>();
  /** Vectors: what decides the length, for bytes also the content. Variants: what decides the tag. */
  readonly #whole = new WeakMap<Value & object, Label>();
  /** Structs with `key`: where the object comes from. */
  readonly #objects = new WeakMap<StructValue, Atom>();
  readonly #shares = new WeakMap<StructValue, readonly Share[]>();
  readonly #places = new WeakMap<Ref, Place>();
  readonly #byteVectors = new WeakMap<Uint8Array, ByteVector>();
  /** Places of the objects that the call was given, by id. */
  readonly owners = new Map<string, Place>();

  push(label: Label): void {
    this.stack.push(label);
  }

  pop(): Label {
    return this.stack.pop()!;
  }

  popMany(count: number): Label[] {
    return count === 0 ? [] : this.stack.splice(-count);
  }

  place(ref: Ref): Place | undefined {
    return this.#places.get(ref);
  }

  setPlace(ref: Ref, place: Place | undefined): void {
    if (place) this.#places.set(ref, place);
  }

  /** Labels of the scalars in some cells. */
  labels(cells: Cells): Label[] | undefined {
    return this.#cells.get(cells);
  }

  setLabels(cells: Cells, labels: Label[]): void {
    this.#cells.set(cells, labels);
  }

  cell(cells: Cells, index: number): Label {
    return this.#cells.get(cells)?.[index] ?? noAtoms;
  }

  setCell(cells: Cells, index: number, label: Label): void {
    let labels = this.#cells.get(cells);
    if (labels === undefined) {
      labels = [];
      this.#cells.set(cells, labels);
    }
    labels[index] = label;
  }

  whole(value: Value & object): Label {
    return this.#whole.get(value) ?? noAtoms;
  }

  setWhole(value: Value & object, label: Label): void {
    this.#whole.set(value, label);
  }

  object(value: StructValue): Atom | undefined {
    return this.#objects.get(value);
  }

  setObject(value: StructValue, source: Atom): void {
    this.#objects.set(value, source);
  }

  shares(balance: StructValue): readonly Share[] | undefined {
    return this.#shares.get(balance);
  }

  setShares(balance: StructValue, shares: readonly Share[]): void {
    this.#shares.set(balance, shares);
  }

  /** The vector whose bytes a reference leads to. */
  byteVector(cells: Ref['cells']): ByteVector | undefined {
    return cells instanceof Uint8Array ? this.#byteVectors.get(cells) : undefined;
  }

  rememberBytes(vector: ByteVector): void {
    this.#byteVectors.set(vector.cells, vector);
  }

  /** Everything that a value was calculated from, with all that is in it. */
  deep(value: Value | undefined, scalar: Label): Label {
    if (typeof value !== 'object') return scalar;
    if (value instanceof Ref) return this.behind(value);
    let label = this.whole(value);
    if (value instanceof ByteVector) return label;
    const cells = value instanceof VectorValue ? value.items : value.fields;
    for (const [i, inner] of cells.entries()) label = union(label, this.deep(inner, this.cell(cells, i)));
    return label;
  }

  behind(ref: Ref): Label {
    const bytes = this.byteVector(ref.cells);
    if (bytes) return this.whole(bytes);
    return this.deep(ref.read(), this.cell(ref.cells, ref.index));
  }

  /** Gives a copy the labels of its original. */
  copy(from: Value | undefined, to: Value | undefined): void {
    if (typeof from !== 'object' || typeof to !== 'object' || from === to) return;
    if (from instanceof Ref || to instanceof Ref) return;
    this.setWhole(to, this.whole(from));
    if (from instanceof ByteVector || to instanceof ByteVector) return;
    const [source, target] = [listCells(from), listCells(to)];
    const labels = this.#cells.get(source);
    if (labels) this.#cells.set(target, [...labels]);
    for (const [i, inner] of source.entries()) this.copy(inner, target[i]);
  }

  /** Labels a new value that holds no objects, and all that is in it, alike. */
  smear(value: Value, label: Label): void {
    if (typeof value !== 'object' || value instanceof Ref) return;
    this.setWhole(value, label);
    if (value instanceof ByteVector) return;
    const cells = listCells(value);
    this.setLabels(
      cells,
      cells.map(() => label),
    );
    for (const inner of cells) this.smear(inner, label);
  }

  /** Labels a new value of a type, and all that is in it, alike. */
  fill(type: Type, value: Value, label: Label, source: Atom): void {
    this.smear(value, label);
    this.#fillSources(type, value, label, source);
  }

  #fillSources(type: Type, value: Value, amount: Label, source: Atom): void {
    if (typeof value !== 'object' || value instanceof Ref || value instanceof ByteVector) return;
    if (value instanceof StructValue) {
      if (hasAbility(type, KEY)) this.setObject(value, source);
      if (isBalance(type)) this.setShares(value, [{ source, amount, all: false, taken: undefined }]);
    }
    const types = innerTypes(type, value);
    for (const [i, inner] of listCells(value).entries()) this.#fillSources(types(i), inner, amount, source);
  }

  /** Labels a value as what the place has when the function is called. Returns the label of a scalar. */
  begin(value: Value | undefined, place: Place): Label {
    if (typeof value !== 'object' || value instanceof Ref) return labelWith(place.initial);
    this.setWhole(value, labelWith(place.initial));
    if (value instanceof ByteVector) return noAtoms;
    const { type } = place;
    if (value instanceof StructValue && type.kind === 'datatype') {
      if (hasAbility(type, KEY)) this.setObject(value, place.initial);
      if (isBalance(type)) {
        const isEmpty = value.fields[0] === 0n;
        const share = { source: place.initial, amount: noAtoms, all: true, taken: undefined };
        this.setShares(value, isEmpty ? [] : [share]);
      }
      if (isUid(type)) this.owners.set(idIn(value), place);
      // A struct has no value of its own: only its fields are.
      this.setWhole(value, noAtoms);
    }
    const cells = listCells(value);
    const labels = cells.map((inner, i) => this.begin(inner, findPart(place, value, i)));
    this.setLabels(cells, labels);
    return noAtoms;
  }
}

export function listCells(value: StructValue | VariantValue | VectorValue): Value[] {
  return value instanceof VectorValue ? value.items : value.fields;
}

/** The place of a value's field or item. */
export function findPart(place: Place, value: Value | undefined, index: number): Place {
  const { type } = place;
  if (type.kind === 'vector') return place.item(type.element);
  if (type.kind !== 'datatype') throw new Error('a scalar has no parts');
  const { name, type: inner } = fieldAt(type, value instanceof VariantValue ? value.tag : 0, index);
  return place.field(type, name, inner);
}

function fieldAt(type: DatatypeType, tag: number, index: number): { name: string; type: Type } {
  const { body } = type.datatype;
  const inner = fieldTypesOf(type)[tag]![index]!;
  if (body.kind === 'struct') return { name: body.fields[index]!.name, type: inner };
  const variant = body.variants[tag]!;
  return { name: `${variant.name}.${variant.fields[index]!.name}`, type: inner };
}

/** Types of a value's fields or items. */
export function innerTypes(type: Type, value: Value): (index: number) => Type {
  if (type.kind === 'vector') return () => type.element;
  if (type.kind !== 'datatype') throw new Error('a scalar has no parts');
  const tag = value instanceof VariantValue ? value.tag : 0;
  return (index) => fieldAt(type, tag, index).type;
}

export const isBalance = (type: Type): type is DatatypeType =>
  isFrameworkType(type, 'sui', 'balance', 'Balance');
export const isUid = (type: Type): boolean => isFrameworkType(type, 'sui', 'object', 'UID');

/** The id in a `UID`, or in an `ID`. */
export function idIn(value: Value | undefined): string {
  let inner: Value | undefined = value;
  while (inner instanceof StructValue) inner = inner.fields[0];
  return inner as string;
}

/** Fields of the context that the network gives to functions. */
export const contextLabels: Label[] = [
  labelWith(plainAtoms.sender),
  labelWith(plainAtoms.transaction),
  labelWith(plainAtoms.transaction),
  labelWith(plainAtoms.time),
  labelWith(plainAtoms.transaction),
];

export const isContext = (type: Type): boolean =>
  type.kind === 'datatype' && type.datatype.definingId === SUI && type.datatype.name === 'TxContext';
