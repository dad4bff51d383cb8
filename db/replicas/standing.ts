/** Maximum number of cached requirements. Beyond it, every second one is dropped. */
const unmetMax = 256;

/** Progress of a replica against what the primary announced. Positions are WAL positions in bytes; times come from the caller. */
export class Standing {
  #replayed = -1n;
  #required = 0n;
  /** Requirements that the replica has not replayed, in order, each with the time of its announcement. */
  #unmet: { position: bigint; atMs: number }[] = [];
  /** `true` until the first successful probe, so that an unreachable replica gets no read. */
  #failing = true;

  /** The replica answers no read before it has replayed `position`. A lower one than before follows a restored primary. */
  require(position: bigint, atMs: number): void {
    this.#required = position;
    this.#unmet = this.#unmet.filter((one) => one.position < position);
    if (position <= this.#replayed) return;
    this.#unmet.push({ position, atMs });
    if (this.#unmet.length > unmetMax) this.#unmet = this.#unmet.filter((_, at) => at % 2 === 0);
  }

  /** Records the position of a successful probe. */
  observe(replayed: bigint): void {
    this.#failing = false;
    this.#replayed = replayed;
    this.#unmet = this.#unmet.filter(({ position }) => position > replayed);
  }

  /** Takes the replica out until the next `observe`. */
  fail(): void {
    this.#failing = true;
  }

  /** Time since the announcement of the first position that is not replayed; 0 if there is none. */
  lagMs(nowMs: number): number {
    const [first] = this.#unmet;
    return first ? Math.max(0, nowMs - first.atMs) : 0;
  }

  /** `behind`: waits for a position. `lagging`: waits for longer than `lagMsMax`. Only `ready` ones answer reads. */
  state(nowMs: number, lagMsMax: number): 'ready' | 'behind' | 'lagging' | 'failing' {
    if (this.#failing) return 'failing';
    if (this.#replayed >= this.#required) return 'ready';
    return this.lagMs(nowMs) > lagMsMax ? 'lagging' : 'behind';
  }
}
