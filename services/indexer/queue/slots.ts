/** Maximum number of jobs of one group (a publisher, a host) that run at once. Users of the same `inUse` share it. */
interface GroupLimit {
  max: number;
  inUse: Map<string, number>;
}

export const createGroupLimit = (max: number): GroupLimit => ({ max, inUse: new Map() });

export interface Slot {
  /** `true` if other jobs wait for the slots, also once this one is free. */
  readonly isContended: boolean;
  free(): void;
  /** Takes a slot of `other` and frees this one. Returns `false` if `other` has none. */
  moveTo(other: Slots): boolean;
}

/**
 * Limits the running jobs: to `max` in all, and for each group to its bound. A job's groups are in the order of the
 * bounds. The semaphore of `lib/concurrency` has no groups, and cannot move a running job to other slots.
 */
export class Slots {
  readonly max: number;
  /** `true` if due jobs waited for a slot when the worker last looked. */
  isContended = false;
  readonly #bounds: readonly GroupLimit[];
  #used = 0;

  constructor(max: number, bounds: readonly GroupLimit[] = []) {
    this.max = max;
    this.#bounds = bounds;
  }

  get isFull(): boolean {
    return this.#used >= this.max;
  }

  fits(groups: readonly string[]): boolean {
    if (this.isFull) return false;
    return this.#bounds.every(({ max, inUse }, index) => (inUse.get(groups[index] ?? '') ?? 0) < max);
  }

  /** Takes a slot, which must fit. `onFreed` is called when the slot, or the one that the job moved to, is free. */
  take(groups: readonly string[], onFreed: () => void): Slot {
    let holder: Slots | undefined = this;
    let lastHolder: Slots = this;
    this.#count(groups, 1);
    return {
      get isContended() {
        return lastHolder.isContended;
      },
      free() {
        if (!holder) return;
        holder.#count(groups, -1);
        holder = undefined;
        onFreed();
      },
      moveTo(other) {
        if (!holder) return false;
        const from: Slots = holder;
        // The slot is released first, since both may count the same group.
        from.#count(groups, -1);
        const moves = other.fits(groups);
        holder = moves ? other : from;
        holder.#count(groups, 1);
        lastHolder = holder;
        if (moves) onFreed();
        return moves;
      },
    };
  }

  #count(groups: readonly string[], by: 1 | -1): void {
    this.#used += by;
    for (const [index, { inUse }] of this.#bounds.entries()) {
      const group = groups[index] ?? '';
      const count = (inUse.get(group) ?? 0) + by;
      if (count > 0) inUse.set(group, count);
      else inUse.delete(group);
    }
  }
}

/** Maximum number of cached groups. A group that is not cached counts as one that never had a slot. */
const rememberedMax = 10_000;

export interface QueueCandidate {
  /** Lower values go first, before any other rule. */
  precedence: number;
  /** Groups that the job counts towards: its publisher, its host. */
  groups: readonly string[];
}

/**
 * Picks the next job: of equal precedence, the one whose groups have waited longest since one of their jobs was last
 * taken. However many jobs a group brings, it delays another group by one job at a time.
 */
export class FairPicker {
  readonly #last = new Map<string, number>();
  #taken = 0;

  /** Takes the next job out of `waiting`, of those that fit. Returns `undefined` if none fits. */
  take<T extends QueueCandidate>(waiting: T[], fits: (job: T) => boolean): T | undefined {
    let best: { index: number; precedence: number; last: number } | undefined;
    for (const [index, job] of waiting.entries()) {
      if (!fits(job)) continue;
      const { precedence } = job;
      const last = Math.max(0, ...job.groups.map((group) => this.#last.get(group) ?? 0));
      const isBefore =
        !best || precedence < best.precedence || (precedence === best.precedence && last < best.last);
      if (isBefore) best = { index, precedence, last };
    }
    if (!best) return undefined;
    const [job] = waiting.splice(best.index, 1);
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
