import {
  type Datatype,
  hasAbility,
  isSystemType,
  type MoveType,
  substitute,
} from '../../introspect/code/move-type.ts';
import type { LinkedCode } from '../code/program.ts';
import type { Atom } from './atom.ts';
import { type AtomSet, noAtoms, union } from './atom-set.ts';
import { type Step, typeText } from './path.ts';
import { identities, type Value } from './value.ts';

/** Bound on the depth of types within types. What is deeper may hold money. */
const depthMax = 16;

const holding = new Set<Atom['kind']>(['initial', 'made', 'received', 'funds', 'unread']);

/** Finds the money and the objects in values, by their types. */
export class Assets {
  readonly #code: LinkedCode;
  readonly #known = new Map<string, boolean>();

  constructor(code: LinkedCode) {
    this.#code = code;
  }

  /**
   * Returns `true` if a value of the type may be or contain money, the right to withdraw it, or an object. A value that
   * can be copied cannot. `constraints` are those of the type parameters in scope.
   */
  mayHold(type: MoveType | undefined, constraints: readonly number[], depth = 0): boolean {
    if (!type || depth > depthMax) return true;
    switch (type.kind) {
      case 'primitive':
      case 'reference':
        return false;
      case 'vector':
        return this.mayHold(type.item, constraints, depth + 1);
      case 'parameter':
        return !hasAbility(type, 'drop', constraints) && !hasAbility(type, 'copy', constraints);
      case 'datatype': {
        const key = `${typeText(type)} ${constraints.join()}`;
        const known = this.#known.get(key);
        if (known !== undefined) return known;
        const holds = this.#datatypeMayHold(type, constraints, depth);
        if (depth === 0) this.#known.set(key, holds);
        return holds;
      }
    }
  }

  #datatypeMayHold(type: Datatype, constraints: readonly number[], depth: number): boolean {
    if (hasAbility(type, 'copy', constraints)) return false;
    if (isMoney(type) || isUid(type) || isWithdrawal(type) || hasAbility(type, 'key', constraints))
      return true;
    const fields = this.#code.fields(type);
    if (!fields) return true;
    return [...fields.values()].some((field) =>
      this.mayHold(substitute(field.type, type.args), constraints, depth + 1),
    );
  }

  /** The sources of the money and the objects in a value. */
  sources(value: Value, type: MoveType | undefined, constraints: readonly number[], depth = 0): AtomSet {
    if (!this.mayHold(type, constraints)) return noAtoms;
    if (!type || depth > depthMax || type.kind === 'parameter') return ofAssets(identities(value));
    let found = ofAssets(value.is);
    for (const { step, value: part } of value.parts?.values() ?? []) {
      const inner = this.#partType(type, step);
      const sources =
        inner === 'unknown' ? ofAssets(identities(part)) : this.sources(part, inner, constraints, depth + 1);
      found = union(found, sources);
    }
    return found;
  }

  #partType(type: MoveType, step: Step): MoveType | 'unknown' {
    if (step.kind === 'dynamic') return step.value ?? 'unknown';
    if (step.kind === 'item' && type.kind === 'vector') return type.item;
    if (step.kind !== 'field' || type.kind !== 'datatype') return 'unknown';
    const field = this.#code.fields(type)?.get(step.name);
    return substitute(field?.type, type.args) ?? 'unknown';
  }
}

export const isMoney = (type: MoveType): boolean =>
  isSystemType(type, '0x2::balance::Balance') || isSystemType(type, '0x2::coin::Coin');

/** The right to withdraw from the balance of an address. It can be dropped, and anyone who has it can redeem it. */
const isWithdrawal = (type: MoveType): boolean => isSystemType(type, '0x2::funds_accumulator::Withdrawal');

const isUid = (type: MoveType): boolean => isSystemType(type, '0x2::object::UID');

const ofAssets = (atoms: AtomSet): AtomSet => atoms.filter(({ kind }) => holding.has(kind));
