import { type Frame, FrameQueue, type FrameSink } from './frames.ts';
import type { LedgerRange, LedgerReader } from './reader.ts';

/** Stretches read at the same time. Their lists hide the distance to the node. */
const stretchesMax = 16;
/** Matches of all stretches that may wait for those before them when a list is requested. */
const roomForAll = 4_000;
/** Frames of the first stretch that may wait, whatever the others hold. */
const roomForFirst = 500;
/** Checkpoints in the first stretches, whose matches are not known yet. */
const firstLengthDefault = 1_000;
/** Parts of a range at least, so that the last stretches, which few others are read beside, are short. */
const partsMin = 64;
/** Matches that a stretch should have: a node lists 500 in one page, and a second page costs another round trip. */
const matchesAim = 400;
/** Most times that a stretch is as long as the one before it. */
const growthMax = 16;

/**
 * Reads a range as stretches of checkpoints in parallel, each for about one page of matches, and sends their frames in
 * order. At most 12,500 matches wait: `roomForAll`, a page of each stretch, and one more of the first.
 * @throws the error of a stretch, after the frames before it
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
  const running = new RunningStretches();
  const longest = Math.max(firstLength, Math.ceil((range.to - range.from) / partsMin));
  let length = firstLength;
  let next = range;
  const openNext = () => {
    const to = Math.min(range.to, next.from + length);
    const stretch = running.open({ ...next, to });
    next = { from: to, to: range.to };
    reader.history(stretch.range, stretch, stretchSignal).then(
      () => stretch.queue.end(),
      (error) => stretch.queue.end(error),
    );
  };
  try {
    while (next.from < range.to || running.count > 0) {
      while (next.from < range.to && running.count < stretchesMax) openNext();
      const { range: done, matches } = await running.passFirst(sink);
      sink.push({ covered: done.to - 1 });
      length = Math.min(longest, suggestLength(done.to - done.from, matches));
    }
  } finally {
    stop.abort();
  }
}

interface Stretch extends FrameSink {
  range: LedgerRange;
  queue: FrameQueue;
}

/** The stretches that are read, in order. They share the room for what waits, as one alone may be dense. */
class RunningStretches {
  readonly #stretches: Stretch[] = [];
  /** Matches in all queues. */
  #waiting = 0;
  #changed = Promise.withResolvers<void>();

  get count(): number {
    return this.#stretches.length;
  }

  open(range: LedgerRange): Stretch {
    const queue = new FrameQueue(roomForFirst, Number.POSITIVE_INFINITY);
    const stretch: Stretch = {
      range,
      queue,
      push: (frame) => {
        if (frame.transaction) this.#waiting += 1;
        queue.push(frame);
      },
      ready: () => this.#hasRoom(stretch),
    };
    this.#stretches.push(stretch);
    return stretch;
  }

  /** Sends all frames of the first stretch on, and drops it. @throws the error of its reader, after the frames */
  async passFirst(sink: FrameSink): Promise<{ range: LedgerRange; matches: number }> {
    const { range, queue } = this.#stretches[0]!;
    let matches = 0;
    for (;;) {
      await sink.ready();
      const frames = await queue.take();
      if (!frames) break;
      const taken = countMatches(frames);
      matches += taken;
      for (const frame of frames) sink.push(frame);
      this.#release(taken);
    }
    this.#stretches.shift();
    this.#release(0);
    return { range, matches };
  }

  async #hasRoom(stretch: Stretch): Promise<void> {
    while (this.#waiting > roomForAll) {
      // All others wait for the first one.
      if (stretch === this.#stretches[0]) return stretch.queue.ready();
      await this.#changed.promise;
    }
  }

  #release(taken: number): void {
    this.#waiting -= taken;
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}

const countMatches = (frames: readonly Frame[]) =>
  frames.reduce((count, { transaction }) => count + (transaction ? 1 : 0), 0);

/** Checkpoints for one page of matches, in proportion to those of the stretch before. */
function suggestLength(checkpoints: number, matches: number): number {
  const aim = Math.ceil((checkpoints * matchesAim) / Math.max(1, matches));
  return Math.max(1, Math.min(aim, growthMax * checkpoints));
}
