import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { SourceState } from '../../../db/queries/sources.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { IndexerMetrics, Progress } from '../reporting.ts';
import type { ChainEvent, EventData, Source } from '../sources/source.ts';
import type { Chunk } from '../stream/follow.ts';
import { type Batch, commitBatch } from './commit.ts';
import { eventsOf, Position } from './decode.ts';

const newBatch = () => ({ events: [], covered: undefined, cursor: undefined, provider: '', live: false });

const isPressing = ({ events, live }: Batch<EventData>) => events.length > 0 || live;

/**
 * Collects what is decoded while the database commits, so that neither waits for the other: the writer takes what is
 * there, and the decoder stops only when a full batch waits.
 */
export class Batcher<Data extends EventData> {
  readonly #max: number;
  readonly #quietMs: number;
  #batch: Batch<Data> = newBatch();
  #changed = Promise.withResolvers<void>();
  #ended = false;
  #sentLive = false;
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
    // The end of history is passed on at once, and only once.
    batch.live ||= progress.live && !this.#sentLive;
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
        this.#sentLive ||= batch.live;
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

export interface PipelineOptions<Data extends EventData> {
  settings: NetworkSettings;
  source: Source<Data>;
  metrics: IndexerMetrics;
  progress: Progress;
  /** After each commit of live events, which may have made checks due. */
  onCommitted(): void;
  /** Once history is stored. */
  onCaughtUp(): void;
}

const framesPerTurn = 50;

/** Decodes what the node sends, without what is stored already. */
export async function readChunks<Data extends EventData>(
  run: PipelineOptions<Data>,
  chunks: AsyncIterable<Chunk>,
  eventTypes: string[],
  state: SourceState,
  batcher: Batcher<Data>,
): Promise<void> {
  const { settings, source, metrics } = run;
  const labels = { network: settings.network, source: source.name };
  const position = new Position(state);
  for await (const { provider, frames, live } of chunks) {
    for (let i = 0; i < frames.length; i++) {
      const { transaction, covered, cursor } = frames[i]!;
      const events = transaction ? position.advance(eventsOf(transaction, source, eventTypes)) : [];
      batcher.add(events, { covered, cursor, provider, live: false });
      // Lets the database connection use the event loop.
      if (i % framesPerTurn === framesPerTurn - 1) await setImmediate();
    }
    if (live) batcher.add([], { covered: undefined, cursor: undefined, provider, live });
    const before = performance.now();
    await batcher.room();
    metrics.waitSeconds.inc({ ...labels, for: 'database' }, (performance.now() - before) / 1000);
  }
}

/** Commits batch after batch until the batcher ends. */
export async function writeBatches<Data extends EventData>(
  run: PipelineOptions<Data>,
  client: PoolClient,
  initial: SourceState,
  batcher: Batcher<Data>,
  timeOf: (checkpoint: number) => Date | undefined,
  onProgress: () => void,
): Promise<void> {
  const { settings, source, metrics, progress } = run;
  const labels = { network: settings.network, source: source.name };
  let state = initial;
  /** History has been read; until then nothing is settled. */
  let live = false;
  for (;;) {
    const before = performance.now();
    const batch = await batcher.take();
    if (!batch) return;
    metrics.waitSeconds.inc({ ...labels, for: 'source' }, (performance.now() - before) / 1000);
    const covered = Math.max(state.checkpoint, batch.covered ?? -1);
    const last = batch.events.findLast((event) => event.checkpoint <= covered);
    const checkpointAt = timeOf(covered) ?? (last && new Date(last.timestampMs));
    live ||= batch.live;
    const { network } = settings;
    const options = { network, source, state, batch, checkpointAt, settle: live };
    state = await commitBatch(client, options);
    onProgress();
    metrics.batches.inc(labels);
    metrics.events.inc(labels, batch.events.length);
    metrics.undecoded.inc(labels, batch.events.filter((event) => event.decodeError !== null).length);
    metrics.checkpoint.set(labels, state.checkpoint);
    progress.moved(`${settings.network}/${source.name}`, state.checkpoint, batch.events.length);
    if (batch.live) run.onCaughtUp();
    if (live && batch.events.length > 0) run.onCommitted();
  }
}
