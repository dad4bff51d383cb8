import { setTimeout as delay } from 'node:timers/promises';
import { GrpcTypes } from '@mysten/sui/grpc';

/** One step of a node's ledger: a matching transaction, progress, or both. */
export interface Frame {
  /** A transaction that passed the filter, with all its events; or one that wrote any package. */
  transaction?: GrpcTypes.ExecutedTransaction | undefined;
  /** Resume point, opaque to all but the node that sent it. Only nodes with list indexes send one. */
  cursor?: Uint8Array | undefined;
  /** Last checkpoint that is complete: all its matches, and all matches before it, have been sent. */
  covered?: number | undefined;
}

/**
 * Returns the resume point after a frame; null if that is only the checkpoint which the frame covers. A scan covers
 * checkpoints without cursors: the node may have pruned what follows the cursor of an earlier list.
 * @param former the resume point before the frame
 */
export const moveCursor = <Former extends Uint8Array | null | undefined>(
  former: Former,
  { cursor, covered }: Frame,
): Uint8Array | null | Former => cursor ?? (covered === undefined ? former : null);

export interface FrameSink {
  push(frame: Frame): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
}

/** Lists the parts of a transaction that the indexer uses, as a read mask below `prefix`. */
export const listTransactionPaths = (prefix = '') =>
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

/** Read mask of the packages that a transaction wrote, in addition to `listTransactionPaths`. */
export const writtenPath = 'effects.changed_objects';

export function listWrittenPackages({ effects }: GrpcTypes.ExecutedTransaction): string[] {
  const { PACKAGE_WRITE } = GrpcTypes.ChangedObject_OutputObjectState;
  return (effects?.changedObjects ?? []).flatMap(({ outputState, objectId }) =>
    outputState === PACKAGE_WRITE && objectId ? [objectId] : [],
  );
}

/** The consumer of a subscription fell so far behind that its queue would grow without bound. */
export class QueueOverflowError extends Error {}

/** Frames between a reader and their decoder. `push` never waits: a slow reader loses its subscription at once. */
export class FrameQueue implements FrameSink {
  readonly #roomFor: number;
  readonly #max: number;
  #frames: Frame[] = [];
  #ended = false;
  #error: unknown;
  #changed = Promise.withResolvers<void>();

  /** `roomFor`: frames below which another page has room. `max`: frames above which the queue fails. */
  constructor(roomFor: number, max: number) {
    this.#roomFor = roomFor;
    this.#max = max;
  }

  push(frame: Frame): void {
    if (this.#ended) return;
    const last = this.#frames.at(-1);
    if (last && !frame.transaction && !last.transaction) {
      last.cursor = frame.cursor ?? last.cursor;
      last.covered = frame.covered ?? last.covered;
    } else this.#frames.push({ ...frame });
    if (this.#frames.length <= this.#max) this.#signal();
    else this.end(new QueueOverflowError(`more than ${this.#max} frames waited to be stored`));
  }

  async ready(): Promise<void> {
    while (this.#frames.length > this.#roomFor && !this.#ended) await this.#changed.promise;
  }

  /** Ends the queue: the range is covered, or reading failed with `error`. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    // The frames that overflowed are read again from the stored cursor.
    if (error instanceof QueueOverflowError) this.#frames = [];
    this.#signal();
  }

  /** Takes all frames so far, at least one; undefined at the end. @throws the error that ended the queue, after them */
  async take(): Promise<Frame[] | undefined> {
    while (this.#frames.length === 0) {
      if (this.#ended && this.#error !== undefined) throw this.#error;
      if (this.#ended) return undefined;
      await this.#changed.promise;
    }
    const frames = this.#frames;
    this.#frames = [];
    this.#signal();
    return frames;
  }

  /** Waits for a frame or the end. Returns `false` if neither came within `timeoutMs`. */
  async fillsWithin(timeoutMs: number): Promise<boolean> {
    const isFilled = () => this.#frames.length > 0 || this.#ended;
    if (isFilled()) return true;
    const stop = new AbortController();
    const timeout = delay(timeoutMs, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([timeout, this.#changed.promise]);
    stop.abort();
    return isFilled();
  }

  #signal(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
