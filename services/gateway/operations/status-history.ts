import type { Pool } from 'pg';
import { readIndexState, type SourceState } from '../../../db/queries/state.ts';
import type { SourceHistory, SourceQuarter } from '../../../web/pages/status.ts';

export interface StatusHistory {
  read(): SourceHistory[];
  close(): void;
}

const sampleMs = 30_000;
const quarterMs = 15 * 60_000;
const quartersMax = 96;

/**
 * Records for a day how each source fares. The record is in memory: it begins when the gateway starts. While the database
 * cannot be read, samples are missing.
 */
export function openStatusHistory(db: Pool, maxLagSeconds: number): StatusHistory {
  const record = createRecord(maxLagSeconds);
  const sample = async () => {
    const state = await readIndexState(db).catch(() => undefined);
    if (state) record.add(state.sources, Date.now());
  };
  sample();
  const timer = setInterval(sample, sampleMs).unref();
  return { read: record.read, close: () => clearInterval(timer) };
}

interface RecordedSource extends SourceHistory {
  quarters: SourceQuarter[];
  eventsBefore: number;
  sampledMs: number;
}

type Sampled = Pick<
  SourceState,
  'network' | 'name' | 'checkpointAtMs' | 'lastErrorAtMs' | 'eventCount' | 'removedAtMs'
>;

/** The record, without the clock that samples. */
export function createRecord(maxLagSeconds: number) {
  const recorded = new Map<string, RecordedSource>();

  function add(state: Sampled, nowMs: number): void {
    const { network, name, checkpointAtMs, lastErrorAtMs, eventCount } = state;
    const key = `${network} ${name}`;
    const begun = { network, name, quarters: [], eventsBefore: eventCount, sampledMs: nowMs };
    const source: RecordedSource = recorded.get(key) ?? begun;
    recorded.set(key, source);
    const quarter = findQuarter(source.quarters, nowMs);
    const lag = checkpointAtMs === null ? 0 : Math.max(0, Math.round((nowMs - checkpointAtMs) / 1_000));
    quarter.samples += 1;
    if (checkpointAtMs === null || lag > maxLagSeconds) quarter.late += 1;
    if (lastErrorAtMs !== null && lastErrorAtMs > source.sampledMs) quarter.failed += 1;
    quarter.lagSecondsMax = Math.max(quarter.lagSecondsMax, lag);
    quarter.events += Math.max(0, eventCount - source.eventsBefore);
    source.eventsBefore = eventCount;
    source.sampledMs = nowMs;
  }

  return {
    read: (): SourceHistory[] =>
      [...recorded.values()].map(({ network, name, quarters }) => ({ network, name, quarters })),
    add(sources: readonly Sampled[], nowMs: number): void {
      for (const source of sources) if (source.removedAtMs === null) add(source, nowMs);
    },
  };
}

/** Returns the quarter of a time, which it adds if it is missing. The oldest ones beyond a day go. */
function findQuarter(quarters: SourceQuarter[], nowMs: number): SourceQuarter {
  const fromMs = nowMs - (nowMs % quarterMs);
  const last = quarters.at(-1);
  if (last && last.fromMs === fromMs) return last;
  const added = { fromMs, samples: 0, late: 0, failed: 0, lagSecondsMax: 0, events: 0 };
  quarters.push(added);
  while (quarters[0]!.fromMs <= fromMs - quartersMax * quarterMs) quarters.shift();
  return added;
}
