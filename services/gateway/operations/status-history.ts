import type { Pool } from 'pg';
import { type GasQuarter, readGasQuarters, recordGas } from '../../../db/queries/agent/gas-quarters.ts';
import {
  readQuarters,
  recordSamples,
  type SourceQuarter,
  type SourceSample,
} from '../../../db/queries/source-quarters.ts';
import { readIndexState, type SourceState } from '../../../db/queries/state.ts';
import { createSingleFlight } from '../../../lib/concurrency/single-flight.ts';

export interface StatusHistory {
  readSources(): Promise<SourceQuarter[]>;
  /** Balances of the addresses that pay the gas of the agent's runs. */
  readGas(): Promise<GasQuarter[]>;
  close(): void;
}

const sampleMs = 30_000;
const quarterMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;

/**
 * Records for a day how each source fares, and what the agent has for gas. All gateways of a database add their samples
 * to the same quarters, which outlast restarts. While the database cannot be reached, samples are missing.
 */
export function openStatusHistory(db: Pool, maxLagSeconds: number): StatusHistory {
  let sampledMs = Date.now();
  const sample = async () => {
    const nowMs = Date.now();
    const { sources } = await readIndexState(db);
    await recordSamplesAt(db, nowMs, takeSamples(sources, { nowMs, sampledMs, maxLagSeconds }));
    sampledMs = nowMs;
  };
  // A sample can take longer than the time between two. Those that overlap would count one time twice.
  const sampling = createSingleFlight(sample);
  const trySample = () => void sampling.run().catch(() => undefined);
  trySample();
  const timer = setInterval(trySample, sampleMs).unref();
  return {
    readSources: () => readQuarters(db),
    readGas: () => readGasQuarters(db),
    close: () => clearInterval(timer),
  };
}

/** Adds samples and balances to the quarter of a time, and removes what is older than a day. */
export async function recordSamplesAt(
  db: Pool,
  nowMs: number,
  samples: readonly SourceSample[],
): Promise<void> {
  const fromMs = nowMs - (nowMs % quarterMs);
  const times = { fromMs, keepFromMs: fromMs + quarterMs - dayMs };
  await recordGas(db, times);
  if (samples.length > 0) await recordSamples(db, times, samples);
}

type Sampled = Pick<
  SourceState,
  'network' | 'name' | 'checkpointAtMs' | 'lastErrorAtMs' | 'eventCount' | 'removedAtMs' | 'followedSinceMs'
>;

interface Times {
  nowMs: number;
  /** Time of the sample before, or of the start. */
  sampledMs: number;
  maxLagSeconds: number;
}

/** Takes a sample of each source that is followed. */
export function takeSamples(sources: readonly Sampled[], times: Times): SourceSample[] {
  const { nowMs, sampledMs, maxLagSeconds } = times;
  return sources
    .filter(({ removedAtMs }) => removedAtMs === null)
    .map(({ network, name, checkpointAtMs, lastErrorAtMs, eventCount, followedSinceMs }) => {
      // A source that has covered no checkpoint yet has been behind since it is followed.
      const behindMs = nowMs - (checkpointAtMs ?? followedSinceMs);
      const lagSeconds = Math.max(0, Math.round(behindMs / 1_000));
      return {
        network,
        source: name,
        isLate: lagSeconds > maxLagSeconds,
        hasFailed: lastErrorAtMs !== null && lastErrorAtMs > sampledMs,
        lagSeconds,
        events: eventCount,
      };
    });
}
