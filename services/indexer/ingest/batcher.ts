import { setTimeout as delay } from 'node:timers/promises';
import type { ChainEvent, EventData } from '../sources/source.ts';

/** What one database transaction brings: events in chain order, and how far the source then is. */
export interface Batch<Data extends EventData> {
  events: ChainEvent<Data>[];
  /** Highest checkpoint covered in full, where the frames said so. */
  covered: number | undefined;
  cursor: Uint8Array | undefined;
  /** Url of the node that the cursor is of; empty while nothing was added. */
  provider: string;
  /** History ends with this batch; once only. */
  live: boolean;
}

const newBatch = () => ({ events: [], covered: undefined, cursor: undefined, provider: '', live: false });

const isPressing = ({ events, live }: Batch<EventData>) => events.length > 0 || live;

/**
 * Collects what is decoded while the database commits, so that neither waits for the other: the writer takes
 * whatever is there, and the decoder stops only when a full batch waits.
 */
export class Batcher<Data extends EventData> {
  readonly #max: number;
  readonly #quietMs: number;
  #batch: Batch<Data> = newBatch();
  #changed = Promise.withResolvers<void>();
  #ended = false;
  #toldLive = false;
  #error: unknown;

  /**
   * @param max events in a batch, give or take one transaction's
   * @param quietMs how long mere progress waits for events to go with it
   */
  constructor(max: number, quietMs: number) {
    this.#max = max;
    this.#quietMs = quietMs;
  }

  add(events: ChainEvent<Data>[], progress: Omit<Batch<Data>, 'events'>): void {
    const batch = this.#batch;
    const wasPressing = isPressing(batch);
    for (const event of events) batch.events.push(event);
    batch.covered = progress.covered ?? batch.covered;
    batch.cursor = progress.cursor ?? (progress.provider === batch.provider ? batch.cursor : undefined);
    batch.provider = progress.provider;
    // Whoever waits for the end of history is told at once, the first time.
    batch.live ||= progress.live && !this.#toldLive;
    if (!wasPressing && isPressing(batch)) this.#signal();
  }

  /** Resolves when a batch has room. */
  async room(): Promise<void> {
    while (this.#batch.events.length >= this.#max && !this.#ended) await this.#changed.promise;
  }

  /** No more is added; the writer gets what is there and then `error`, if any. */
  end(error?: unknown): void {
    this.#ended = true;
    this.#error = error;
    this.#signal();
  }

  /** Events as soon as there are any, mere progress after the quiet time; undefined at the end. */
  async take(): Promise<Batch<Data> | undefined> {
    for (;;) {
      if (!isPressing(this.#batch) && !this.#ended) await this.#quietOrChanged();
      const batch = this.#batch;
      if (batch.provider !== '') {
        this.#batch = newBatch();
        this.#toldLive ||= batch.live;
        this.#signal();
        return batch;
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return undefined;
    }
  }

  async #quietOrChanged(): Promise<void> {
    const stop = new AbortController();
    const quiet = delay(this.#quietMs, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([quiet, this.#changed.promise]);
    stop.abort();
  }

  #signal(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
