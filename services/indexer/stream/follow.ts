import { FatalError } from '../../../lib/errors/index.ts';
import { type Endpoint, toHistory } from './endpoint.ts';
import { type Frame, FrameQueue, listWrittenPackages, moveCursor } from './frames.ts';
import { createPrunedError, isPruned } from './node.ts';
import type { LedgerHistory, LedgerReader } from './reader.ts';

export interface FollowOptions {
  network: string;
  main: Endpoint;
  /** Opened when the main node has pruned what is needed, or would have to be scanned for it. */
  openArchive: (() => Promise<LedgerHistory>) | undefined;
  /** Stored progress: everything up to `checkpoint`, and on the node `cursorProvider` everything up to `cursor`. */
  resume: { checkpoint: number; cursor: Uint8Array | null; cursorProvider: string | null };
  /**
   * Throws if the filter lacks event types that the followed packages have by this checkpoint. Called before any frame
   * after the checkpoint, or of a package that was `written`, is passed on.
   */
  requireCovers(checkpoint: number, written: readonly string[]): Promise<void>;
  /** Milliseconds of silence after a match until the node is asked whether the match's checkpoint is complete. */
  settleMs?: number;
  /** Checkpoints in the first stretches of history that are read side by side. */
  stretchLength?: number | undefined;
  signal: AbortSignal;
}

/** Frames in order, and the url of the node that their cursors belong to. */
export interface Chunk {
  provider: string;
  frames: Frame[];
  /** `true` once history has been read up to the tip. */
  live: boolean;
}

/** Newest checkpoints, some 20 minutes, that are scanned on a node without list indexes though an archive has them. */
const scanMax = 5_000;
/** Listed frames that may wait for the decoder before the next page is requested. */
const historyRoom = 2_000;
/** Live frames that may wait while history is read. */
const liveMax = 20_000;
/** A chain makes a checkpoint every 200 to 250 ms: a busy filter brings its next match within this time. */
const settleMsDefault = 300;

/**
 * Everything from the resume point on, without a gap:
 *
 * 1. The subscription is opened, and its frames wait in a queue.
 * 2. History is read up to the tip.
 * 3. The first live frame that names a checkpoint, C0, closes the gap: history is read up to C0. Then the
 *    subscription's frames follow, without those at or below C0. The first frame of a stream names no checkpoint.
 *
 * The three steps are correct even if each call reaches another node behind one address, some seconds ahead or behind.
 * A frame can then come twice; the caller drops it by its position. Ends when the node ends the subscription.
 *
 * The filter names the event types of the package versions that exist. They are read again once the subscription is
 * open, and at C0. From then on the subscription itself shows each package that is written, in order with the events.
 * @throws FatalError `pruned_cursor`; whatever the node fails with
 */
export async function* follow(options: FollowOptions): AsyncGenerator<Chunk> {
  const { main, requireCovers } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const live = openLive(main.reader, signal);
  const history = new HistoryReader({ ...options, signal });
  const caughtUp: Chunk = { provider: main.node.url, frames: [], live: true };
  try {
    await live.opened;
    const { tip, lowestAvailable } = await main.node.info(signal);
    await requireCovers(tip, []);
    yield* history.readTo(tip, lowestAvailable);
    // On a chain that stands still, no frame may name a checkpoint for long.
    if (!live.hasBegun()) yield caughtUp;
    const begin = await live.begin;
    if (begin === undefined) return;
    await requireCovers(begin, []);
    yield* history.readTo(begin);
    yield caughtUp;
    yield* followLive(live.queue, begin, { ...options, signal });
  } finally {
    stop.abort();
  }
}

interface LiveSubscription {
  queue: FrameQueue;
  /** Resolves when the node has registered the subscription. */
  opened: Promise<void>;
  /** C0: the first checkpoint that a frame names; undefined if the stream ends before. */
  begin: Promise<number | undefined>;
  hasBegun(): boolean;
}

function openLive(reader: LedgerReader, signal: AbortSignal): LiveSubscription {
  const queue = new FrameQueue(liveMax, liveMax);
  const opened = Promise.withResolvers<void>();
  const begin = Promise.withResolvers<number | undefined>();
  let hasBegun = false;
  const sink = {
    push(frame: Frame) {
      const checkpoint = readCheckpoint(frame);
      if (checkpoint !== undefined) {
        hasBegun = true;
        begin.resolve(checkpoint);
      }
      queue.push(frame);
    },
    ready: () => queue.ready(),
  };
  reader.subscribe(sink, signal, opened.resolve).then(
    () => {
      queue.end();
      opened.resolve();
      begin.resolve(undefined);
    },
    (error) => {
      queue.end(error);
      opened.reject(error);
      begin.reject(error);
    },
  );
  // The failure may come while history is read. It is handled after that.
  opened.promise.catch(() => undefined);
  begin.promise.catch(() => undefined);
  return { queue, opened: opened.promise, begin: begin.promise, hasBegun: () => hasBegun };
}

/** The checkpoint up to which history must be read, for this frame to continue it. */
function readCheckpoint({ transaction, covered }: Frame): number | undefined {
  return transaction?.checkpoint === undefined ? covered : Number(transaction.checkpoint);
}

async function* followLive(
  queue: FrameQueue,
  begin: number,
  { main, requireCovers, settleMs = settleMsDefault, signal }: FollowOptions,
): AsyncGenerator<Chunk> {
  const { node, reader } = main;
  /** The last match whose checkpoint may not be complete. */
  let openMatch: Match | undefined;
  for (;;) {
    if (openMatch && !(await queue.fillsWithin(settleMs))) {
      const { checkpoint, cursor } = openMatch;
      openMatch = undefined;
      if (await reader.isComplete(checkpoint, cursor, signal)) {
        yield { provider: node.url, frames: [{ covered: checkpoint }], live: true };
      }
    }
    const taken = await queue.take();
    if (!taken) return;
    const frames = taken.filter((frame) => (readCheckpoint(frame) ?? -1) > begin);
    await requireWrittenCovered(frames, requireCovers);
    yield { provider: node.url, frames, live: true };
    openMatch = findOpenMatch(openMatch, frames);
  }
}

interface Match {
  checkpoint: number;
  cursor: Uint8Array | undefined;
}

/** The last match among the frames, or the former one, if no frame covers its checkpoint. */
function findOpenMatch(former: Match | undefined, frames: readonly Frame[]): Match | undefined {
  let open = former;
  for (const { transaction, covered, cursor } of frames) {
    if (transaction?.checkpoint !== undefined) open = { checkpoint: Number(transaction.checkpoint), cursor };
    else if (open && covered !== undefined && covered >= open.checkpoint) open = undefined;
  }
  return open;
}

async function requireWrittenCovered(
  frames: readonly Frame[],
  requireCovers: FollowOptions['requireCovers'],
): Promise<void> {
  const writing = frames.flatMap(({ transaction }) => {
    const written = transaction ? listWrittenPackages(transaction) : [];
    return transaction && written.length > 0 ? [{ checkpoint: transaction.checkpoint, written }] : [];
  });
  const last = writing.at(-1);
  if (!last) return;
  const written = writing.flatMap((each) => each.written);
  await requireCovers(Number(last.checkpoint), written);
}

/** Reads history in stretches, each from where the one before ended. */
class HistoryReader {
  readonly #options: FollowOptions;
  /** First checkpoint that is not complete. */
  #from: number;
  /** Resume point behind `#from`, and the url of the node that it belongs to. */
  #cursor: Uint8Array | null;
  #cursorProvider: string | null;

  constructor(options: FollowOptions) {
    const { checkpoint, cursor, cursorProvider } = options.resume;
    this.#options = options;
    this.#from = checkpoint + 1;
    this.#cursor = cursor;
    this.#cursorProvider = cursorProvider;
  }

  /**
   * @param known lowest checkpoint that the main node keeps, if it has just said so
   * @throws FatalError `pruned_cursor` if neither the node nor the archive has the next checkpoint, `archive_disagrees`
   * if they have different ones
   */
  async *readTo(last: number, known?: number): AsyncGenerator<Chunk> {
    const { main, openArchive, network, stretchLength, signal } = this.#options;
    const to = last + 1;
    let knownLowest = known;
    while (this.#from < to) {
      const lowestAvailable = knownLowest ?? (await main.node.info(signal)).lowestAvailable;
      knownLowest = undefined;
      const isKept = this.#from >= lowestAvailable;
      // A cursor at the end of the checkpoint before is pruned with that checkpoint.
      if (this.#from === lowestAvailable) this.#cursor = null;
      const archive = isKept ? await this.#openListingArchive(to) : await openArchive?.();
      if (!archive) {
        if (isKept) return yield* this.#read(toHistory(main, stretchLength), to);
        throw createPrunedError(network, main.node.url, this.#from, lowestAvailable);
      }
      // The newest checkpoints come from the main node, as an archive may be behind. What it prunes meanwhile does not.
      const handover = isKept
        ? to - scanMax
        : Math.min(to, lowestAvailable + Math.ceil((to - lowestAvailable) / 10));
      const lastDigest = await main.node.readDigest(handover - 1, signal);
      // Before anything is read, as the archive may be of another chain.
      requireSameDigest(handover - 1, lastDigest, await archive.readDigest(handover - 1, signal), archive);
      yield* this.#read(archive, handover, lastDigest);
    }
  }

  /** Opens the archive if it lists by filter, and the main node would have to be scanned for many checkpoints. */
  async #openListingArchive(to: number): Promise<LedgerHistory | undefined> {
    const { main, openArchive } = this.#options;
    if (main.reader.indexed || to - this.#from <= scanMax) return undefined;
    const archive = await openArchive?.();
    return archive?.indexed ? archive : undefined;
  }

  async *#read(history: LedgerHistory, to: number, lastDigest?: string): AsyncGenerator<Chunk> {
    const { main, openArchive, network, requireCovers, signal } = this.#options;
    const { url } = history;
    // A node may prune after it said what it keeps. The next attempt then reads from the archive.
    const hasOther = url === main.node.url && openArchive !== undefined;
    const queue = new FrameQueue(historyRoom, Number.POSITIVE_INFINITY);
    const from = this.#from;
    const after = this.#cursorProvider === url ? (this.#cursor ?? undefined) : undefined;
    history.sendHistory({ after, from, to, lastDigest }, queue, signal).then(
      () => {
        queue.push({ covered: to - 1 });
        queue.end();
      },
      (error) =>
        queue.end(isPruned(error) && !hasOther ? createPrunedError(network, url, from, undefined) : error),
    );
    for (;;) {
      const frames = await queue.take();
      if (!frames) return;
      await requireWrittenCovered(frames, requireCovers);
      this.#advance(frames, url);
      yield { provider: url, frames, live: false };
    }
  }

  #advance(frames: readonly Frame[], provider: string): void {
    for (const frame of frames) {
      if (frame.covered !== undefined) this.#from = Math.max(this.#from, frame.covered + 1);
      this.#cursor = moveCursor(this.#cursorProvider === provider ? this.#cursor : null, frame);
      this.#cursorProvider = provider;
    }
  }
}

function requireSameDigest(
  checkpoint: number,
  nodeDigest: string,
  archiveDigest: string,
  { url }: LedgerHistory,
): void {
  if (nodeDigest === archiveDigest) return;
  throw new FatalError(
    'archive_disagrees',
    `${url} has digest ${archiveDigest} for checkpoint ${checkpoint}, and the node gives ${nodeDigest}. The archive is of another chain: ` +
      'set another one.',
  );
}
