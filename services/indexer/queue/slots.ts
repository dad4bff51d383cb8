/** How many jobs of one group (a publisher, a host) may be under way; shared by those who give the same `inUse`. */
interface Bound {
  max: number;
  inUse: Map<string, number>;
}

export const bound = (max: number): Bound => ({ max, inUse: new Map() });

export interface Slot {
  free(): void;
  /** Takes a slot there and frees this one; false where there is none. */
  moveTo(other: Slots): boolean;
}

/**
 * Bounds the jobs under way: `max` in all, and of each group no more than its bound. A job's groups are in the order of the
 * bounds. The semaphore of `lib/concurrency` knows no groups, and moves no running job to other slots.
 */
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

/** Groups remembered; of those before, none is known to have had its turn. */
const rememberedMax = 10_000;

export interface Contender {
  /** Lower goes first, whatever else. */
  precedence: number;
  /** Whose share it counts against: its publisher, its host. */
  groups: readonly string[];
}

/**
 * Whose turn it is: of equal precedence, the job whose groups have waited longest since one of theirs was last
 * taken. However many jobs a group brings, it delays another by one at a time.
 */
export class Turns {
  readonly #last = new Map<string, number>();
  #taken = 0;

  /** Takes the next out of `waiting`, of those that fit; undefined where none does. */
  take<T extends Contender>(waiting: T[], fits: (job: T) => boolean): T | undefined {
    let best: { at: number; precedence: number; last: number } | undefined;
    for (const [at, job] of waiting.entries()) {
      if (!fits(job)) continue;
      const { precedence } = job;
      const last = Math.max(0, ...job.groups.map((group) => this.#last.get(group) ?? 0));
      const isBefore =
        !best || precedence < best.precedence || (precedence === best.precedence && last < best.last);
      if (isBefore) best = { at, precedence, last };
    }
    if (!best) return undefined;
    const [job] = waiting.splice(best.at, 1);
    this.#taken++;
    for (const group of job!.groups) this.#remember(group);
    return job;
  }

  #remember(group: string): void {
    this.#last.delete(group);
    this.#last.set(group, this.#taken);
    if (this.#last.size <= rememberedMax) return;
    const [oldest] = this.#last.keys();
    this.#last.delete(oldest!);
  }
}
