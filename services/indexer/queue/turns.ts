/** Groups remembered; of those before, none is known to have had its turn. */
const rememberedMax = 10_000;

export interface Contender {
  /** Lower goes first, whatever else. */
  precedence: number;
  /** Whoever it is fair to: its publisher, its host. */
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
