import { isFrameworkType } from '../framework.ts';
import { hasAbility, KEY, type Type } from '../types.ts';
import { Ref, StructValue, type Value, VariantValue, VectorValue } from '../values.ts';
import {
  findPart,
  idIn,
  innerTypes,
  isBalance,
  isUid,
  listCells,
  type Memory,
  type Share,
  type Site,
} from './memory.ts';
import { type Atom, type Label, noAtoms, type Place } from './place.ts';

/** The place where money or an object is when the call ends. */
export type End =
  | { kind: 'kept'; place: Place }
  | { kind: 'sent'; to: Label; address: string }
  | { kind: 'returned'; index: number }
  | { kind: 'burned' }
  | { kind: 'shared' | 'frozen'; type: Type };

/** Money or an object that came from one place and is in another when the call ends. */
export interface Flow {
  source: Atom;
  end: End;
  /** Type of the object, or of the balance. */
  type: Type;
  /** Types of the values that it is in where it ends. */
  within: readonly Type[];
  isMoney: boolean;
  /** Origins of the amount that was split off, for money. */
  amount: Label;
  /** True if it may be the whole of what was there. */
  all: boolean;
  site: Site;
}

/** A dynamic field or child object that the call added or looked at. */
export interface Child {
  parent: string;
  key: Type | undefined;
  type: Type;
  cells: readonly (Value | undefined)[];
}

/** A place, which may be where the money came from, or an end outside of all parameters. */
type Where = Place | Exclude<End, { kind: 'kept' }>;

/** Finds where money and objects are when a call ends. */
export class Ends {
  readonly flows: Flow[] = [];
  readonly #memory: Memory;
  readonly #seen = new Set<string>();
  readonly #numbers = new Map<object, number>();
  /** Owners by the id of the object, or of another value with a `UID`. */
  readonly #owners = new Map<string, { where: Where; site: Site; within: readonly Type[] }>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  walk(type: Type, value: Value | undefined, where: Where, site: Site, within: readonly Type[] = []): void {
    if (typeof value !== 'object' || value instanceof Ref) return;
    if (!(value instanceof StructValue || value instanceof VariantValue || value instanceof VectorValue))
      return;
    if (value instanceof StructValue) {
      if (isUid(type)) this.#owners.set(idIn(value), { where, site, within });
      if (isBalance(type)) {
        if (value.fields[0] !== 0n) this.money(type, this.#memory.shares(value) ?? [], where, site, within);
        return;
      }
      const source = this.#memory.object(value);
      if (source && hasAbility(type, KEY) && !isWrapping(type)) {
        this.#add({ source, type, within, isMoney: false, amount: noAtoms, all: true, site }, where);
      }
    }
    const types = innerTypes(type, value);
    const isPlace = 'parameter' in where;
    const inside = [...within, type];
    for (const [i, inner] of listCells(value).entries()) {
      this.walk(types(i), inner, isPlace ? findPart(where, value, i) : where, site, inside);
    }
  }

  money(type: Type, shares: readonly Share[], where: Where, site: Site, within: readonly Type[] = []): void {
    for (const { source, amount, all, taken } of shares) {
      this.#add({ source, type, within, isMoney: true, amount, all, site: taken ?? site }, where);
    }
  }

  /** Walks the dynamic fields of everything that was walked before. */
  walkChildren(children: ReadonlyMap<string, Child>): void {
    const waiting = new Map(children);
    for (let found = true; found; ) {
      found = false;
      for (const [id, { parent, key, type, cells }] of waiting) {
        const owner = this.#owners.get(parent);
        if (!owner) continue;
        found = true;
        waiting.delete(id);
        const where = 'parameter' in owner.where ? owner.where.dynamic(key, type) : owner.where;
        this.walk(type, cells[0], where, owner.site, owner.within);
      }
    }
  }

  #add(flow: Omit<Flow, 'end'>, where: Where): void {
    const isPlace = 'parameter' in where;
    if (isPlace && flow.source.kind === 'initial' && flow.source.place === where) return;
    const end: End = isPlace ? { kind: 'kept', place: where } : where;
    const key = [flow.source, flow.amount, where, flow.type, flow.site]
      .map((part) => this.#number(part))
      .join();
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.flows.push({ ...flow, end });
  }

  #number(part: object): number {
    const known = this.#numbers.get(part) ?? this.#numbers.size;
    this.#numbers.set(part, known);
    return known;
  }
}

/** Objects that only hold something else: what they hold is followed, not they. */
function isWrapping(type: Type): boolean {
  return (
    isFrameworkType(type, 'sui', 'coin', 'Coin') || isFrameworkType(type, 'sui', 'dynamic_field', 'Field')
  );
}
