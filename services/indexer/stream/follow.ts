import { type Frame, FrameQueue, type LedgerRange, type LedgerReader, packagesWritten } from './frames.ts';
import { isPruned, type LedgerNode, prunedError } from './node.ts';

/** A node, and how it is followed. */
export interface Endpoint {
  node: LedgerNode;
  reader: LedgerReader;
}

export interface FollowOptions {
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

/** Frames in order, and the url of the node whose cursors they bear. */
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
