interface Sample {
  atMs: number;
  checkpoint: number;
  events: number;
}

/** Share of the time so far whose moves count. Sparse and dense parts of a chain are read at very different paces. */
const latestShare = 1 / 4;
/** Shorter times have too few moves. */
const latestMsMin = 10_000;
/** Samples of the whole time, so that some twenty of them lie in the latest part. */
const samplesOfTime = 64;
const sampleMsMin = 250;
/** Largest estimate, which a column of 32 bits holds: 68 years. */
const secondsMax = 2 ** 31 - 1;

/** Latest pace of a source that reads its history. Memory is bounded, however long it takes. */
export class Pace {
  readonly from: number;
  readonly #begunMs: number;
  /** The newest one that is older than the latest part, and those in it. */
  readonly #samples: [Sample, ...Sample[]];
  #checkpoint: number;
  #events: number;

  /** @param events those of the first move, whose time is not known */
  constructor(checkpoint: number, events: number, nowMs: number) {
    this.from = checkpoint;
    this.#checkpoint = checkpoint;
    this.#events = events;
    this.#begunMs = nowMs;
    this.#samples = [{ atMs: nowMs, checkpoint, events }];
  }

  get checkpoint(): number {
    return this.#checkpoint;
  }

  /** All events so far. */
  get events(): number {
    return this.#events;
  }

  move(checkpoint: number, events: number, nowMs: number): void {
    this.#checkpoint = checkpoint;
    this.#events += events;
    const sampleMs = Math.max(sampleMsMin, (nowMs - this.#begunMs) / samplesOfTime);
    if (nowMs - this.#samples.at(-1)!.atMs < sampleMs) return;
    this.#samples.push({ atMs: nowMs, checkpoint, events: this.#events });
    this.#forget(nowMs);
  }

  /** Returns the pace of the latest part. `secondsLeft` is undefined if no checkpoint was covered in it. */
  measure(tip: number, nowMs: number): { eventsPerSecond: number; secondsLeft: number | undefined } {
    this.#forget(nowMs);
    const [since] = this.#samples;
    const seconds = Math.max(0.001, (nowMs - since.atMs) / 1000);
    const perSecond = (this.#checkpoint - since.checkpoint) / seconds;
    const secondsLeft = Math.min(secondsMax, Math.round((tip - this.#checkpoint) / perSecond));
    return {
      eventsPerSecond: Math.round((this.#events - since.events) / seconds),
      secondsLeft: perSecond > 0 ? Math.max(0, secondsLeft) : undefined,
    };
  }

  #forget(nowMs: number): void {
    const latestMs = Math.max(latestMsMin, (nowMs - this.#begunMs) * latestShare);
    while (this.#samples.length > 1 && this.#samples[1]!.atMs <= nowMs - latestMs) this.#samples.shift();
  }
}
