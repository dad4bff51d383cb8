import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { ClientBase, PoolClient } from 'pg';
import { analyzeTables } from '../../../db/queries/analyze.ts';
import {
  appendEvents,
  findCheckpointAfter,
  moveSource,
  type SourceState,
} from '../../../db/queries/sources.ts';
import { transact } from '../../../db/transaction.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { toEpochMs } from '../../../lib/tracing/tracing.ts';
import type { IndexerMetrics } from '../reporting/metrics.ts';
import type { Progress } from '../reporting/progress.ts';
import { type ChainEvent, decodeEvents, type EventData, type Source } from '../sources/source.ts';
import type { Chunk } from '../stream/follow.ts';
import { type Frame, moveCursor } from '../stream/frames.ts';
import { traceBatch } from './trace-batch.ts';

const newBatch = () => ({
  events: [],
  sinceMs: undefined,
  covered: undefined,
  cursor: undefined,
  provider: '',
  live: false,
  completes: false,
});

const isPressing = ({ events, live, completes }: Batch<EventData>) => events.length > 0 || live || completes;

/**
 * Collects decoded events while the database commits, so that neither waits for the other. The writer takes what is
 * there. The decoder stops only when a full batch waits.
 */
export class Batcher<Data extends EventData> {
  readonly #max: number;
  readonly #quietMs: number;
  #batch: Batch<Data> = newBatch();
  #changed = Promise.withResolvers<void>();
  #ended = false;
  #sentLive = false;
  /** Checkpoint of the last event, until progress covers it. */
  #uncovered: number | undefined;
  #error: unknown;

  /**
   * @param max maximum number of events in a batch, give or take those of one transaction
   * @param quietMs time for which progress without events waits for events to go with it
   */
  constructor(max: number, quietMs: number) {
    this.#max = max;
    this.#quietMs = quietMs;
  }

  add(
    events: ChainEvent<Data>[],
    progress: Pick<Batch<Data>, 'covered' | 'provider' | 'live'> & Pick<Frame, 'cursor'>,
  ): void {
    const batch = this.#batch;
    const wasPressing = isPressing(batch);
    if (events.length > 0) batch.sinceMs ??= performance.now();
    for (const event of events) batch.events.push(event);
    batch.covered = progress.covered ?? batch.covered;
    this.#uncovered = events.at(-1)?.checkpoint ?? this.#uncovered;
    if (
      this.#uncovered !== undefined &&
      progress.covered !== undefined &&
      progress.covered >= this.#uncovered
    ) {
      batch.completes = true;
      this.#uncovered = undefined;
    }
    batch.cursor = moveCursor(progress.provider === batch.provider ? batch.cursor : undefined, progress);
    batch.provider = progress.provider;
    // The end of history is reported at once, and only once.
    batch.live ||= progress.live && !this.#sentLive;
    if (!wasPressing && isPressing(batch)) this.#signal();
  }

  /** Resolves when the batch has room for more events, or the input has ended. */
  async waitForRoom(): Promise<void> {
    while (this.#batch.events.length >= this.#max && !this.#ended) await this.#changed.promise;
  }

  /** Ends the input. The writer still gets what is there, and then `error`, if any. */
  end(error?: unknown): void {
    this.#ended = true;
    this.#error = error;
    this.#signal();
  }

  /**
   * Resolves as soon as there are events, or progress that completes the checkpoint of the last one. Other progress
   * waits for the quiet time. Resolves to `undefined` at the end.
   */
  async take(): Promise<Batch<Data> | undefined> {
    for (;;) {
      if (!isPressing(this.#batch) && !this.#ended) await this.#waitForQuietOrChange();
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

  async #waitForQuietOrChange(): Promise<void> {
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
  /** Called after each commit of live events, and of what history left to settle: it may have made checks due. */
  onCommitted(): void;
  /** Called once history is stored. */
  onCaughtUp(): void;
}

/**
 * The position of the last event that was taken. Events come in chain order, so an event that is not after it is stored
 * already: a node that sends a checkpoint again sends its first events again.
 */
class Position {
  #checkpoint: number;
  #txIndex: number;
  #eventIndex: number;

  constructor(stored: Pick<SourceState, 'lastCheckpoint' | 'lastTxIndex' | 'lastEventIndex'>) {
    this.#checkpoint = stored.lastCheckpoint ?? -1;
    this.#txIndex = stored.lastTxIndex ?? -1;
    this.#eventIndex = stored.lastEventIndex ?? -1;
  }

  /** Returns the events after the position, and moves the position to the last of them. */
  advance<Data extends EventData>(events: ChainEvent<Data>[]): ChainEvent<Data>[] {
    const fresh = events.filter((event) => this.#isBefore(event));
    const last = fresh.at(-1);
    if (last) {
      this.#checkpoint = last.checkpoint;
      this.#txIndex = last.txIndex;
      this.#eventIndex = last.eventIndex;
    }
    return fresh;
  }

  #isBefore({ checkpoint, txIndex, eventIndex }: ChainEvent<EventData>): boolean {
    if (checkpoint !== this.#checkpoint) return checkpoint > this.#checkpoint;
    if (txIndex !== this.#txIndex) return txIndex > this.#txIndex;
    return eventIndex > this.#eventIndex;
  }
}

const framesPerTurn = 50;

/** Decodes what the node sends, and leaves out what is stored already. */
export async function readChunks<Data extends EventData>(
  run: PipelineOptions<Data>,
  chunks: AsyncIterable<Chunk>,
  eventTypes: string[],
  state: SourceState,
  batcher: Batcher<Data>,
): Promise<void> {
  const { settings, source, metrics } = run;
  const labels = { network: settings.network, source: source.name };
  const received = metrics.steps.labels(settings.network, 'receive');
  const position = new Position(state);
  for await (const { provider, frames, live } of chunks) {
    for (const [index, { transaction, covered, cursor }] of frames.entries()) {
      const events = transaction ? position.advance(decodeEvents(transaction, source, eventTypes)) : [];
      if (live && events[0]) received.observe(Math.max(0, Date.now() - events[0].timestampMs) / 1000);
      batcher.add(events, { covered, cursor, provider, live: false });
      // Lets the database connection use the event loop.
      if (index % framesPerTurn === framesPerTurn - 1) await setImmediate();
    }
    if (live) batcher.add([], { covered: undefined, cursor: undefined, provider, live });
    const before = performance.now();
    await batcher.waitForRoom();
    metrics.waitSeconds.inc({ ...labels, for: 'database' }, (performance.now() - before) / 1000);
  }
}

/** Commits batch after batch until the batcher ends. */
export async function writeBatches<Data extends EventData>(
  run: PipelineOptions<Data> & { chainId: string },
  client: PoolClient,
  initial: SourceState,
  batcher: Batcher<Data>,
  findTime: (checkpoint: number) => Date | undefined,
  onProgress: () => void,
): Promise<void> {
  const { settings, source, metrics, progress } = run;
  const labels = { network: settings.network, source: source.name };
  const stored = metrics.steps.labels(settings.network, 'store');
  let state = initial;
  /** `true` once history has been read. Until then nothing is settled. */
  let live = false;
  for (;;) {
    const before = performance.now();
    const batch = await batcher.take();
    if (!batch) return;
    metrics.waitSeconds.inc({ ...labels, for: 'source' }, (performance.now() - before) / 1000);
    const covered = Math.max(state.checkpoint, batch.covered ?? -1);
    const last = batch.events.findLast((event) => event.checkpoint <= covered);
    const checkpointAt = findTime(covered) ?? (last && new Date(last.timestampMs));
    live ||= batch.live;
    const { network } = settings;
    const isSettling = live && state.unsettledFrom !== null;
    if (live) state = await settleHistory(client, { network, source, state, onProgress });
    const options = { network, source, state, batch, checkpointAt, settle: live };
    const beganMs = performance.now();
    state = await commitBatch(client, options);
    if (live && batch.sinceMs !== undefined) {
      const storedMs = performance.now();
      stored.observe((storedMs - batch.sinceMs) / 1000);
      traceBatch({
        network,
        source: source.name,
        chainId: run.chainId,
        events: batch.events,
        receivedMs: toEpochMs(batch.sinceMs),
        beganMs: toEpochMs(beganMs),
        storedMs: toEpochMs(storedMs),
      });
    }
    onProgress();
    metrics.batches.inc(labels);
    metrics.events.inc(labels, batch.events.length);
    metrics.undecoded.inc(labels, batch.events.filter((event) => event.decodeError !== null).length);
    metrics.checkpoint.set(labels, state.checkpoint);
    progress.moved(`${settings.network}/${source.name}`, state.checkpoint, batch.events.length);
    if (batch.live) run.onCaughtUp();
    if (isSettling || (live && batch.events.length > 0)) run.onCommitted();
  }
}

/** Contents of one database transaction: events in chain order, and the source's progress after them. */
interface Batch<Data extends EventData> {
  events: ChainEvent<Data>[];
  /** `performance.now()` when the first of them was decoded. */
  sinceMs: number | undefined;
  /** Highest checkpoint that is covered in full, if a frame said so. */
  covered: number | undefined;
  /** Resume point; null if only `covered` is one. Undefined if the former one of this node holds. */
  cursor: Uint8Array | null | undefined;
  /** Url of the node that the cursor belongs to; empty while nothing was added. */
  provider: string;
  /** `true` if history ends with this batch. It is set only once. */
  live: boolean;
  /** `true` if the checkpoint of an event is complete. Readers may wait for that. */
  completes: boolean;
}

interface CommitOptions<Data extends EventData> {
  network: Network;
  source: Source<Data>;
  state: SourceState;
  batch: Batch<Data>;
  /** Timestamp of the covered checkpoint, if known. */
  checkpointAt: Date | undefined;
  /** Settles this batch, and what earlier batches left unsettled. */
  settle: boolean;
}

/**
 * Moves the source's row from `state` by compare-and-swap, stores the events and what follows from them, and notifies,
 * in one transaction. @returns the row as it is now @throws SourceMovedError
 */
export async function commitBatch<Data extends EventData>(
  client: ClientBase,
  options: CommitOptions<Data>,
): Promise<SourceState> {
  const { network, source, state, batch, checkpointAt, settle } = options;
  const { events } = batch;
  const unsettledFrom = state.unsettledFrom ?? toPosition(events[0]);
  const next = { ...advance(state, batch), unsettledFrom: settle ? null : unsettledFrom };
  const undecoded = events.filter((event) => event.decodeError !== null).length;
  const key = { network, name: source.name };
  const work = async () => {
    await moveSource(client, key, { from: state, to: next, checkpointAt, undecoded });
    if (events.length > 0) {
      await appendEvents(client, key, events);
      await source.append(client, network, events);
    }
    if (settle && unsettledFrom !== null) await source.settle?.(client, network, unsettledFrom);
    return next;
  };
  return transact(client, work, settle ? undefined : beginHistory);
}

/**
 * Rows of each table of a history that one transaction settles, beside those of one checkpoint, and of the batch that is
 * live.
 */
const settledMax = 250_000;

interface HistoryOptions<Data extends EventData>
  extends Pick<CommitOptions<Data>, 'network' | 'source' | 'state'> {
  /** Called after each transaction. */
  onProgress(): void;
}

/**
 * Settles a long history in parts, each in a transaction that moves `unsettledFrom` behind it. Other changes of the
 * catalog come between them, and a process that dies leaves only the other parts. The last part is left for the next
 * batch.
 * @returns the row as it is now @throws SourceMovedError
 */
export async function settleHistory<Data extends EventData>(
  client: ClientBase,
  { network, source, state, onProgress }: HistoryOptions<Data>,
  max = settledMax,
): Promise<SourceState> {
  const key = { network, name: source.name };
  const { settledTables } = source;
  let current = state;
  if (current.unsettledFrom !== null && settledTables) await analyzeTables(client, settledTables);
  for (;;) {
    const from = current.unsettledFrom;
    if (from === null || settledTables === undefined) return current;
    const before = await findCheckpointAfter(client, network, settledTables, from, max);
    if (before === undefined) return current;
    const next = { ...current, unsettledFrom: { checkpoint: before, txIndex: 0 } };
    const move = { from: current, to: next, checkpointAt: undefined, undecoded: 0 };
    await transact(client, async () => {
      await moveSource(client, key, move);
      await source.settle?.(client, network, from, before);
    });
    current = next;
    onProgress();
  }
}

/**
 * While history is read, a commit does not wait for the disk. A power cut may lose the last commits, each with its rows
 * and its position. Their events are then read again.
 */
const beginHistory = 'begin; set local synchronous_commit = off';

const toPosition = (event: ChainEvent<EventData> | undefined) =>
  event ? { checkpoint: event.checkpoint, txIndex: event.txIndex } : null;

function advance<Data extends EventData>(
  state: SourceState,
  batch: Batch<Data>,
): Omit<SourceState, 'unsettledFrom'> {
  const last = batch.events.at(-1);
  // A cursor that is behind brings events again, which `Position` drops. A cursor of another node cannot be used.
  const former = state.cursorProvider === batch.provider ? state.cursor : null;
  const cursor = batch.cursor === undefined ? former : batch.cursor;
  return {
    cursor: cursor && Buffer.from(cursor),
    cursorProvider: batch.provider,
    checkpoint: Math.max(state.checkpoint, batch.covered ?? -1),
    eventCount: state.eventCount + batch.events.length,
    lastCheckpoint: last?.checkpoint ?? state.lastCheckpoint,
    lastTxIndex: last?.txIndex ?? state.lastTxIndex,
    lastEventIndex: last?.eventIndex ?? state.lastEventIndex,
  };
}
