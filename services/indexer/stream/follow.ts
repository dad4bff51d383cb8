import { GrpcTypes } from '@mysten/sui/grpc';
import { isPruned, type LedgerNode, prunedError } from './node.ts';

/** A node, and how it is followed. */
export interface Endpoint {
  node: LedgerNode;
  reader: LedgerReader;
}

interface FollowOptions {
  network: string;
  main: Endpoint;
  /** Opened only when the main node has pruned what is needed. */
  openArchive: (() => Promise<Endpoint>) | undefined;
  /** What is stored: everything up to `checkpoint`, and by `cursorProvider`'s count up to `cursor`. */
  resume: { checkpoint: number; cursor: Uint8Array | null; cursorProvider: string | null };
  /**
   * Throws where the filter lacks event types that the followed packages have by this checkpoint. Asked before anything
   * of a package that was `written` is handed on.
   */
  requireCovers(checkpoint: number, written: readonly string[]): Promise<void>;
  signal: AbortSignal;
}

/** Frames in order, and the url of the node whose cursors they carry. */
export interface Chunk {
  provider: string;
  frames: Frame[];
  /** History has been read. */
  live: boolean;
}

/** Listed frames that may wait for the decoder before the next page is asked for. */
const historyRoom = 2_000;
/** Live frames that may wait while history is read. */
const liveMax = 20_000;

/**
 * Everything from the resume point on, without a gap: the subscription is opened first, history is read up to
 * the checkpoint C0 at which it began, and only then is the subscription's own part taken, without what is at
 * or below C0. Ends when the node ends the subscription; what is brought twice over restarts is for the
 * caller to drop.
 *
 * The filter names the event types of the package versions that there are. By C0 they are asked for once more; from
 * then on the subscription itself shows each package that is written, in its place among the events, so that none of
 * a new version's events can have been passed over.
 * @throws FatalError `pruned_cursor`; whatever the node fails with
 */
export async function* follow(options: FollowOptions): AsyncGenerator<Chunk> {
  const { main, resume } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const live = new FrameQueue(liveMax, liveMax);
  main.reader.subscribe(live, signal).then(
    () => live.end(),
    (error) => live.end(error),
  );
  try {
    const begin = startOf(await live.peek());
    if (begin === undefined) return;
    await options.requireCovers(begin, []);
    yield* history({ ...options, signal }, begin);
    yield { provider: main.node.url, frames: [], live: true };
    const done = Math.max(begin, resume.checkpoint);
    for (;;) {
      const frames = await live.take();
      if (!frames) return;
      const fresh = frames.filter((frame) => isBeyond(frame, done));
      await requireCovered(fresh, options);
      yield { provider: main.node.url, frames: fresh, live: true };
    }
  } finally {
    stop.abort();
  }
}

/** C0: the last checkpoint that the subscription leaves to history. */
function startOf(first: Frame | undefined): number | undefined {
  // Only a subscription from genesis begins without a frame of mere progress.
  if (first?.transaction?.checkpoint !== undefined) return Number(first.transaction.checkpoint) - 1;
  return first?.covered;
}

async function requireCovered(frames: readonly Frame[], { requireCovers }: FollowOptions): Promise<void> {
  const writing = frames.flatMap(({ transaction }) => {
    const written = transaction ? packagesWritten(transaction) : [];
    return transaction && written.length > 0 ? [{ checkpoint: transaction.checkpoint, written }] : [];
  });
  const last = writing.at(-1);
  if (last) {
    await requireCovers(
      Number(last.checkpoint),
      writing.flatMap(({ written }) => written),
    );
  }
}

function isBeyond({ transaction, covered }: Frame, checkpoint: number): boolean {
  return transaction ? Number(transaction.checkpoint) > checkpoint : (covered ?? -1) > checkpoint;
}

async function* history(options: FollowOptions, begin: number): AsyncGenerator<Chunk> {
  const { main, resume, network, signal } = options;
  const to = begin + 1;
  const cursorOf = (endpoint: Endpoint) =>
    endpoint.reader.indexed && endpoint.node.url === resume.cursorProvider ? resume.cursor : null;
  let from = resume.checkpoint + 1;
  let after = cursorOf(main);
  while (from < to) {
    const { lowestAvailable } = await main.node.info(signal);
    if (from >= lowestAvailable) return yield* read(main, { after: after ?? undefined, from, to }, options);
    if (!options.openArchive) throw prunedError(network, main.node.url, from, lowestAvailable);
    const archive = await options.openArchive();
    // Well above what the main node keeps, which moves on while the archive is read.
    const handover = Math.min(to, lowestAvailable + Math.ceil((to - lowestAvailable) / 10));
    yield* read(archive, { after: cursorOf(archive) ?? undefined, from, to: handover }, options);
    from = handover;
    after = null;
  }
}

async function* read(
  { node, reader }: Endpoint,
  range: LedgerRange,
  options: FollowOptions,
): AsyncGenerator<Chunk> {
  const { network, signal } = options;
  const queue = new FrameQueue(historyRoom, Number.POSITIVE_INFINITY);
  reader.history(range, queue, signal).then(
    () => {
      queue.push({ covered: range.to - 1 });
      queue.end();
    },
    (error) => queue.end(isPruned(error) ? prunedError(network, node.url, range.from, undefined) : error),
  );
  for (;;) {
    const frames = await queue.take();
    if (!frames) return;
    await requireCovered(frames, options);
    yield { provider: node.url, frames, live: false };
  }
}

/** What a node says in one step of following it, whichever of its services it comes from. */
export interface Frame {
  /** A transaction that passed the filter, with all its events; or one that wrote any package. */
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
 * Frames between the reader of the node and their decoder. `push` never waits: a slow reader loses its
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
