import { FrameQueue, type FrameSink } from './frames.ts';
import type { LedgerRange, LedgerReader } from './reader.ts';

/** Stretches read at the same time. Their pages hide the distance to the node. */
const stretchesMax = 8;
/** Frames of a stretch that may wait for those before it. */
const roomFor = 1_000;
/** Checkpoints in the first stretches, whose matches are not known yet. */
const firstLengthDefault = 1_000;
/** Parts of a range at least, so that the last stretches, which few others are read beside, are short. */
const partsMin = 32;
/** Matches that a stretch should have: two pages of a full node. */
const matchesAim = 1_000;

interface Stretch {
  range: LedgerRange;
  queue: FrameQueue;
}

/**
 * Reads a range as stretches of checkpoints in parallel, each for about two pages of matches, and sends their frames in
 * order. Memory is bounded by the room of eight queues. @throws the error of a stretch, after the frames before it
 */
export async function readStretches(
  reader: LedgerReader,
  range: LedgerRange,
  sink: FrameSink,
  signal: AbortSignal,
  firstLength = firstLengthDefault,
): Promise<void> {
  const stop = new AbortController();
  const stretchSignal = AbortSignal.any([signal, stop.signal]);
  const running: Stretch[] = [];
  const longest = Math.max(firstLength, Math.ceil((range.to - range.from) / partsMin));
  let length = firstLength;
  let next = range;
  const openNext = () => {
    const to = Math.min(range.to, next.from + length);
    const stretch = { range: { ...next, to }, queue: new FrameQueue(roomFor, Number.POSITIVE_INFINITY) };
    next = { from: to, to: range.to };
    reader.history(stretch.range, stretch.queue, stretchSignal).then(
      () => stretch.queue.end(),
      (error) => stretch.queue.end(error),
    );
    running.push(stretch);
  };
  try {
    while (next.from < range.to || running.length > 0) {
      while (next.from < range.to && running.length < stretchesMax) openNext();
      const { queue, range: done } = running.shift()!;
      const matches = await pass(queue, sink);
      sink.push({ covered: done.to - 1 });
      length = Math.min(longest, suggestLength(done.to - done.from, matches));
    }
  } finally {
    stop.abort();
  }
}

/** Sends the frames of a queue on, and returns the number of matches. */
async function pass(queue: FrameQueue, sink: FrameSink): Promise<number> {
  let matches = 0;
  for (;;) {
    await sink.ready();
    const frames = await queue.take();
    if (!frames) return matches;
    for (const frame of frames) {
      if (frame.transaction) matches += 1;
      sink.push(frame);
    }
  }
}

/** Checkpoints for two pages of matches, at most four times those of the stretch before. */
function suggestLength(checkpoints: number, matches: number): number {
  const aim = Math.ceil((checkpoints * matchesAim) / Math.max(1, matches));
  return Math.max(1, Math.min(aim, 4 * checkpoints));
}
