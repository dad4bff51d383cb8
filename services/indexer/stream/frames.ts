import { GrpcTypes } from '@mysten/sui/grpc';

/** What a node says in one step of following it, whichever of its services it comes from. */
export interface Frame {
  /** A transaction that passed the filter, with all its events; or one that wrote a package, whoever's. */
  transaction?: GrpcTypes.ExecutedTransaction | undefined;
  /** Opaque resume point of this node, where it gives any. */
  cursor?: Uint8Array | undefined;
  /** Every matching transaction of this checkpoint and those before it has been brought. */
  covered?: number | undefined;
}

/** A stretch of the ledger: after `after` where given, else from checkpoint `from`; below checkpoint `to`. */
export interface LedgerRange {
  after?: Uint8Array | undefined;
  from: number;
  to: number;
}

/** Where a reader puts its frames. */
export interface FrameSink {
  push(frame: Frame): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
}

/** The two ways to follow a filter on one node. Both show each package that is written while they follow it live. */
export interface LedgerReader {
  /** `true` where it gives cursors. */
  indexed: boolean;
  /** Brings what is new from the moment of the call on, whether or not the sink is ready; ends when the node ends it. */
  subscribe(sink: FrameSink, signal: AbortSignal): Promise<void>;
  /** Brings all of the range, in order, waiting for the sink; returns when the range is covered. */
  history(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<void>;
}

/** The parts of a transaction that the indexer uses, as a read mask below `prefix`. */
export const transactionPaths = (prefix = '') =>
  [
    'digest',
    'checkpoint',
    'timestamp',
    'transaction_index',
    'transaction.sender',
    'effects.status',
    'events.events.event_type',
    'events.events.contents',
  ].map((path) => prefix + path);

/** What shows the packages that a transaction wrote, beside `transactionPaths`. */
export const writtenPath = 'effects.changed_objects';

/** Ids of the packages that a transaction published, or upgraded another to. */
export function packagesWritten({ effects }: GrpcTypes.ExecutedTransaction): string[] {
  const { PACKAGE_WRITE } = GrpcTypes.ChangedObject_OutputObjectState;
  return (effects?.changedObjects ?? []).flatMap(({ outputState, objectId }) =>
    outputState === PACKAGE_WRITE && objectId ? [objectId] : [],
  );
}

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
