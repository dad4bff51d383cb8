import type { FinishedAttempt, PassedStretch } from '../../db/queries/webhooks/attempts.ts';
import type { Recorder } from './outcome.ts';

/** Maximum unstored results of a worker. Their deliveries are repeated if the process is killed or cannot store them. */
const unstoredMax = 50;
/** Number of unstored results from which a worker waits: its other exchange may still add one. */
const waitingFrom = unstoredMax - 1;

export class UnstoredResults {
  readonly #recorder: Recorder;
  /** Number of results in each batch that is not stored yet, oldest first. */
  readonly #batches = new Map<Promise<void>, number>();
  #count = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /**
   * Adds a result. Waits if too many results are not stored. Returns no promise if there is nothing to wait for: it is
   * called for every delivery.
   */
  add(passed: PassedStretch | undefined, attempt?: FinishedAttempt): Promise<void> | undefined {
    const stored = this.#recorder.add(passed, attempt);
    const together = (this.#batches.get(stored) ?? 0) + 1;
    this.#batches.set(stored, together);
    this.#count += 1;
    // The batch that is being stored does not count, or a small batch would follow each large one.
    if (together >= unstoredMax / 2) this.#recorder.hurry();
    return this.#count < waitingFrom ? undefined : this.#storeUntilRoom();
  }

  async storeAll(): Promise<void> {
    this.#recorder.hurry();
    while (this.#batches.size > 0) await this.#storeOldest();
  }

  async #storeUntilRoom(): Promise<void> {
    while (this.#count >= waitingFrom) await this.#storeOldest();
  }

  async #storeOldest(): Promise<void> {
    const [oldest] = this.#batches.keys();
    await oldest;
    this.#count -= this.#batches.get(oldest!) ?? 0;
    this.#batches.delete(oldest!);
  }
}
