import type { Frame, FrameSink } from './frame.ts';

/** The reader of a subscription fell so far behind that its queue would grow without bound. */
export class OverflowError extends Error {}

/**
 * Frames between whoever reads the node and whoever decodes them. `push` never waits: a slow reader loses its
 * subscription at once. A reader of history asks `ready` first.
 */
export class FrameQueue implements FrameSink {
  readonly #roomFor: number;
  readonly #max: number;
  #frames: Frame[] = [];
  #ended = false;
  #error: unknown;
  #changed = Promise.withResolvers<void>();

  /**
   * @param roomFor frames below which there is room for another page
   * @param max frames above which the queue fails instead of growing
   */
  constructor(roomFor: number, max: number) {
    this.#roomFor = roomFor;
    this.#max = max;
  }

  push(frame: Frame): void {
    if (this.#ended) return;
    const last = this.#frames.at(-1);
    // Progress alone is only worth its latest: a quiet filter must not fill the queue.
    if (last && !frame.transaction && !last.transaction) this.#frames[this.#frames.length - 1] = frame;
    else this.#frames.push(frame);
    if (this.#frames.length <= this.#max) this.#signal();
    else this.end(new OverflowError(`more than ${this.#max} frames waited to be stored`));
  }

  async ready(): Promise<void> {
    while (this.#frames.length > this.#roomFor && !this.#ended) await this.#changed.promise;
  }

  /** No more frames come: the range is covered, or reading failed with `error`. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    // What overflowed is read again from the stored cursor.
    if (error instanceof OverflowError) this.#frames = [];
    this.#signal();
  }

  /** The first frame, left in its place; undefined when the queue ended without one. */
  async peek(): Promise<Frame | undefined> {
    await this.#filled();
    return this.#frames[0];
  }

  /**
   * All frames so far, at least one; undefined when the queue has ended.
   * @throws what the queue ended with, after the frames that came before it
   */
  async take(): Promise<Frame[] | undefined> {
    await this.#filled();
    if (this.#frames.length === 0) return undefined;
    const frames = this.#frames;
    this.#frames = [];
    this.#signal();
    return frames;
  }

  async #filled(): Promise<void> {
    while (this.#frames.length === 0) {
      if (this.#ended && this.#error !== undefined) throw this.#error;
      if (this.#ended) return;
      await this.#changed.promise;
    }
  }

  #signal(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
