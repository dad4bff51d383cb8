/** The end of year 9999: later times have no text form. */
const lastMs = 253_402_300_799_999;

/** The time of a network: the machine's, moved ahead for good or set off for a while. */
export class NetworkClock {
  #aheadMs = 0;
  /** Added for as long as it is set; may be negative. */
  offsetMs = 0;

  /** Milliseconds since the epoch. */
  readonly now = (): number => Math.min(Date.now() + this.#aheadMs + this.offsetMs, lastMs);

  /** Moves it ahead for good. @throws RangeError beyond the year 9999. */
  advance(durationMs: number): void {
    if (this.now() + durationMs > lastMs) throw new RangeError('beyond the year 9999');
    this.#aheadMs += durationMs;
  }
}
