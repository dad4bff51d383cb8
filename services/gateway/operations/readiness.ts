import type { Network } from '@adaptor-marketplace/adaptor';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import { readIndexState, type SourceState } from '../../../db/queries/state.ts';
import { createSingleFlight } from '../../../lib/concurrency/single-flight.ts';
import { listFollowedSources, type NetworkPackages, type SourceName } from '../../../lib/config/networks.ts';

interface ReadinessOptions {
  db: Pool;
  networks: readonly NetworkPackages[];
  /** Lag above which a source is not ready. */
  maxLagSeconds: number;
}

export interface FollowedSource {
  network: Network;
  name: SourceName;
  /** `null` before the first checkpoint. */
  lagSeconds: number | null;
  /** `undefined` if it is ready. */
  reasonNotReady: string | undefined;
}

/** Reads every source that the settings follow, also those that have not started. */
export async function readFollowed({
  db,
  networks,
  maxLagSeconds,
}: ReadinessOptions): Promise<FollowedSource[]> {
  const { sources } = await readIndexState(db);
  const nowMs = Date.now();
  return networks.flatMap((settings) =>
    listFollowedSources(settings).map((name) => {
      const { network } = settings;
      const source = sources.find((row) => row.network === network && row.name === name);
      const lagSeconds = source ? computeLag(source, nowMs) : null;
      return { network, name, lagSeconds, reasonNotReady: findReasonNotReady(source, maxLagSeconds, nowMs) };
    }),
  );
}

/** Seconds between now and the last checkpoint that the source covers; null before the first. */
export function computeLag(source: SourceState, nowMs: number): number | null {
  if (source.checkpointAtMs === null) return null;
  return Math.max(0, Math.round((nowMs - source.checkpointAtMs) / 1000));
}

/**
 * Returns the reason why a source is not ready, or undefined if it is ready. A source that has stopped for good or that
 * was removed is not ready. Nor is a source whose history waits for its first check, since the catalog is empty until
 * then. Any other source is judged by lag alone: streams end every few hours by design, and an error that has not cost
 * freshness must not take every gateway out of service at once.
 */
export function findReasonNotReady(
  source: SourceState | undefined,
  maxLagSeconds: number,
  nowMs: number,
): string | undefined {
  if (!source) return 'has not started';
  if (source.removedAtMs !== null) return 'is no longer followed';
  if (source.stoppedAtMs !== null) return `has stopped: ${source.lastError}`;
  const lag = computeLag(source, nowMs);
  const error = source.lastError === null ? '' : ` (${source.lastError})`;
  if (lag === null) return `has read no checkpoint yet${error}`;
  if (lag > maxLagSeconds) return `is ${lag} s behind, above ${maxLagSeconds} s${error}`;
  if (!source.judged) return 'has not judged yet what its history brought';
  return undefined;
}

/** Exposes readiness and lag as metrics, read from the database at each scrape. Without a database, sources have none. */
export function showReadiness(options: ReadinessOptions, metrics: Registry): void {
  // The gauges of a scrape are collected at the same time.
  const reading = createSingleFlight(() => readFollowed(options).catch(() => undefined));
  const registers = [metrics];
  const labelNames = ['network', 'source'];
  new Gauge({
    name: 'database_up',
    help: '1 if the gateway could read its database for this scrape, 0 otherwise.',
    registers,
    async collect() {
      this.set((await reading.run()) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'source_lag_seconds',
    help: 'Age of the last checkpoint that a source covers, also while nothing is indexed.',
    labelNames,
    registers,
    async collect() {
      this.reset();
      for (const { network, name, lagSeconds } of (await reading.run()) ?? [])
        if (lagSeconds !== null) this.set({ network, source: name }, lagSeconds);
    },
  });
  new Gauge({
    name: 'source_ready',
    help: '1 while a source is ready as for /readyz, 0 otherwise.',
    labelNames,
    registers,
    async collect() {
      this.reset();
      for (const { network, name, reasonNotReady } of (await reading.run()) ?? [])
        this.set({ network, source: name }, reasonNotReady === undefined ? 1 : 0);
    },
  });
}
