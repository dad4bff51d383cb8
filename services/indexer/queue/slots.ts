/** How many jobs of one group (a publisher, a host) may be under way; shared by those who give the same `inUse`. */
export interface Bound {
  max: number;
  inUse: Map<string, number>;
}

export const bound = (max: number): Bound => ({ max, inUse: new Map() });

export interface Slot {
  free(): void;
  /** Takes a slot there and frees this one; false where there is none. */
  moveTo(other: Slots): boolean;
}

/** Places for jobs under way: so many, and of each group no more than its bound. A job's groups are in the order of the bounds. */
export class Slots {
  readonly max: number;
  readonly #bounds: readonly Bound[];
  #used = 0;

  constructor(max: number, bounds: readonly Bound[] = []) {
    this.max = max;
    this.#bounds = bounds;
  }

  get full(): boolean {
    return this.#used >= this.max;
  }

  fits(groups: readonly string[]): boolean {
    if (this.full) return false;
    return this.#bounds.every(({ max, inUse }, at) => (inUse.get(groups[at] ?? '') ?? 0) < max);
  }

  /** Takes a slot, which must fit. `onFreed` is called when it, or what it moved to, is free. */
  take(groups: readonly string[], onFreed: () => void): Slot {
    let place: Slots | undefined = this;
    this.#count(groups, 1);
    return {
      free() {
        if (!place) return;
        place.#count(groups, -1);
        place = undefined;
        onFreed();
      },
      moveTo(other) {
        if (!place) return false;
        const from: Slots = place;
        // First out, since both may count the same group.
        from.#count(groups, -1);
        const moves = other.fits(groups);
        place = moves ? other : from;
        place.#count(groups, 1);
        if (moves) onFreed();
        return moves;
      },
    };
  }

  #count(groups: readonly string[], by: 1 | -1): void {
    this.#used += by;
    for (const [at, { inUse }] of this.#bounds.entries()) {
      const group = groups[at] ?? '';
      const count = (inUse.get(group) ?? 0) + by;
      if (count > 0) inUse.set(group, count);
      else inUse.delete(group);
    }
  }
}
