import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { SourceState } from '../../../db/queries/sources.ts';
import type { EventData } from '../sources/source.ts';
import type { Chunk } from '../stream/follow.ts';
import type { Batcher } from './batcher.ts';
import { commitBatch } from './commit.ts';
import { eventsOf } from './decode.ts';
import { Place } from './place.ts';
import type { SourceRun } from './run-source.ts';
import type { TipHistory } from './tip.ts';

const framesPerTurn = 50;

/** Decodes what the node brings, without what is stored already. */
export async function readChunks<Data extends EventData>(
  run: SourceRun<Data>,
  chunks: AsyncIterable<Chunk>,
  eventTypes: string[],
  state: SourceState,
  batcher: Batcher<Data>,
): Promise<void> {
  const { settings, source, metrics } = run;
  const labels = { network: settings.network, source: source.name };
  const place = new Place(state);
  for await (const { provider, frames, live } of chunks) {
    for (let i = 0; i < frames.length; i++) {
      const { transaction, covered, cursor } = frames[i]!;
      const events = transaction ? place.advance(eventsOf(transaction, source, eventTypes)) : [];
      batcher.add(events, { covered, cursor, provider, live: false });
      // The connection to the database, too, needs its turns of the event loop.
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
  run: SourceRun<Data>,
  client: PoolClient,
  initial: SourceState,
  batcher: Batcher<Data>,
  tips: TipHistory,
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
    const checkpointAt = tips.timeOf(covered) ?? (last && new Date(last.timestampMs));
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
