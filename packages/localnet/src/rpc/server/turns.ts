/** How long calls begin one after another before the sockets are looked at again. */
const turnMs = 10;
/** How many calls begin in one turn at most: what they do after waiting for something counts for no time here. */
const callsPerTurn = 32;

/**
 * Lets calls begin in the order in which they came, a few in each turn of the event loop. Between turns the process
 * sees who went away and answers others, however many calls came at once.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  #scheduled = false;

  /** Calls `begin` when its turn has come. */
  take(begin: () => void): void {
    this.#waiting.push(begin);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    const begunMs = performance.now();
    let begun = 0;
    while (begun < this.#waiting.length && begun < callsPerTurn && performance.now() - begunMs < turnMs) {
      this.#waiting[begun]!();
      begun += 1;
    }
    this.#waiting.splice(0, begun);
    if (this.#waiting.length > 0) this.#schedule();
  }
}
