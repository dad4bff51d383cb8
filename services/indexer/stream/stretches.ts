import { type Frame, FrameQueue, type FrameSink } from './frames.ts';
import type { LedgerRange, LedgerReader } from './reader.ts';

/** Stretches that are open at the same time: their lists hide the distance to the node. */
const stretchesMax = 24;
/** Matches of all stretches that wait, or that their running lists may still bring. */
const roomForAll = 12_000;
/** Matches of the first stretch that may wait, whatever the others hold. */
const roomForFirst = 500;
/** Matches that a node lists in one page. */
const pageMatches = 500;
/** Checkpoints in the first stretches, whose matches are not known yet. */
const firstLengthDefault = 1_000;
/** Parts of a range at least, so that the last stretches, which few others are read beside, are short. */
const partsMin = 64;
/** Matches that a stretch should have, so that few have a second page, which costs another round trip. */
const matchesAim = 400;
/** Maximum length of a stretch, as a multiple of the one before it. */
const growthMax = 16;

/**
 * Reads a range as stretches of checkpoints in parallel, each for about one page of matches, and sends their frames in
 * order. At most 13,000 matches wait: `roomForAll`, and two pages of the first.
 *
 * Lists that start together end together, as they share one connection, and nothing arrives for a round trip after them.
 * So the first stretches whose length follows from matches get longer one by one: lists then end at different times.
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
  /** Stretches whose length followed from matches. */
  let sizedCount = 0;
  let next = range;
  const openNext = () => {
    const to = Math.min(range.to, next.from + length);
    const stretch = running.open({ ...next, to });
    next = { from: to, to: range.to };
    reader
      .sendHistory(stretch.range, stretch, stretchSignal)
      .then(
        () => stretch.queue.end(),
        (error) => stretch.queue.end(error),
      )
      .finally(() => running.endList(stretch));
  };
  try {
    while (next.from < range.to || running.count > 0) {
      while (next.from < range.to && running.count < stretchesMax) openNext();
      const { range: done, matches } = await running.passFirst(sink);
      sink.push({ covered: done.to - 1 });
      const checkpoints = done.to - done.from;
      const onePage = (checkpoints * matchesAim) / Math.max(1, matches);
      if (onePage > growthMax * checkpoints) length = Math.min(longest, growthMax * checkpoints);
      else {
        sizedCount = Math.min(stretchesMax, sizedCount + 1);
        length = Math.min(longest, Math.ceil((onePage * sizedCount) / stretchesMax));
      }
    }
  } finally {
    stop.abort();
  }
}

interface Stretch extends FrameSink {
  range: LedgerRange;
  queue: FrameQueue;
  /** Matches in the queue. */
  waiting: number;
  /** Matches that its running list may still bring. */
  expected: number;
  /** Starts the next list, while it waits for room. */
  startList: (() => void) | undefined;
}

/** The stretches that are read, in order. They share the room for matches, as one alone may be dense. */
class RunningStretches {
  readonly #stretches: Stretch[] = [];
  /** Matches that wait in all queues, and those that all running lists may still bring. */
  #held = 0;

  get count(): number {
    return this.#stretches.length;
  }

  open(range: LedgerRange): Stretch {
    const queue = new FrameQueue(0, Number.POSITIVE_INFINITY);
    const stretch: Stretch = {
      range,
      queue,
      waiting: 0,
      expected: 0,
      startList: undefined,
      push: (frame) => {
        if (frame.transaction) {
          stretch.waiting += 1;
          if (stretch.expected > 0) stretch.expected -= 1;
          else this.#held += 1;
        }
        queue.push(frame);
      },
      ready: () => {
        this.endList(stretch);
        const { promise, resolve } = Promise.withResolvers<void>();
        stretch.startList = resolve;
        this.#startLists();
        return promise;
      },
    };
    this.#stretches.push(stretch);
    return stretch;
  }

  /** Sends all frames of the first stretch on, and drops it. @throws the error of its reader, after the frames */
  async passFirst(sink: FrameSink): Promise<{ range: LedgerRange; matches: number }> {
    const first = this.#stretches[0]!;
    let matches = 0;
    for (;;) {
      await sink.ready();
      const frames = await first.queue.take();
      if (!frames) break;
      const taken = countMatches(frames);
      matches += taken;
      for (const frame of frames) sink.push(frame);
      first.waiting -= taken;
      this.#held -= taken;
      this.#startLists();
    }
    this.#stretches.shift();
    this.#startLists();
    return { range: first.range, matches };
  }

  /** Gives back the room that a list did not need. */
  endList(stretch: Stretch): void {
    this.#held -= stretch.expected;
    stretch.expected = 0;
    this.#startLists();
  }

  /** Starts lists for which there is room, those of earlier stretches first: all others wait for them. */
  #startLists(): void {
    for (const [index, stretch] of this.#stretches.entries()) {
      if (!stretch.startList) continue;
      const hasRoom = this.#held + pageMatches <= roomForAll;
      if (!hasRoom && (index > 0 || stretch.waiting > roomForFirst)) return;
      stretch.startList();
      stretch.startList = undefined;
      stretch.expected = pageMatches;
      this.#held += pageMatches;
    }
  }
}

const countMatches = (frames: readonly Frame[]) =>
  frames.reduce((count, { transaction }) => count + (transaction ? 1 : 0), 0);
