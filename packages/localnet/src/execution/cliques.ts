import { DROP, hasAbility, STORE, type Type } from '../vm/types.ts';

/**
 * Values that took part in one command depend on each other: they form a clique. While a clique holds a hot
 * potato (a value that can neither be dropped nor stored), none of its values may enter an `entry` function that
 * is not public, so that no promise to give the potato back can be used against that function (the chain's rule).
 */
export class Clique {
  #parent: Clique | undefined;
  #hot = 0;

  get root(): Clique {
    return this.#parent === undefined ? this : this.#parent.root;
  }

  get isHot(): boolean {
    return this.root.#hot > 0;
  }

  /** Adds or takes away hot potatoes. */
  heat(change: number): void {
    this.root.#hot += change;
  }

  /** For good: a shared object that was taken by value binds its clique as no type can tell. */
  heatForever(): void {
    this.root.#hot = Number.POSITIVE_INFINITY;
  }

  join(other: Clique): void {
    const [mine, theirs] = [this.root, other.root];
    if (mine === theirs) return;
    theirs.#parent = mine;
    mine.#hot += theirs.#hot;
  }
}

export function isHotPotato(type: Type): boolean {
  return !hasAbility(type, DROP) && !hasAbility(type, STORE);
}
