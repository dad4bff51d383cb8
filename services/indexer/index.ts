import { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import { type NetworkProviders, openProviders } from '../../lib/chain/providers/providers.ts';
import { listFollowedSources, type NetworkSettings, type SourceName } from '../../lib/config/networks.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import { openBucket } from './checkpoints/bucket.ts';
import { shareBucket } from './checkpoints/shared-bucket.ts';
import { createChecks } from './checks/index.ts';
import { runSource } from './ingest/run-source.ts';
import { watchProviders } from './providers/watch.ts';
import { createIndexerMetrics } from './reporting/metrics.ts';
import { createProgress } from './reporting/progress.ts';
import { agentsSource } from './sources/agents.ts';
import { escrowSource } from './sources/escrow.ts';
import { registrySource } from './sources/registry.ts';
import { rulesSource } from './sources/rules.ts';
import type { EventData, Source } from './sources/source.ts';
import { statementsSource } from './sources/statements.ts';
import { walletSource } from './sources/wallet.ts';

export interface IndexerOptions {
  /** Each source keeps one connection of the pool for itself, and the checks of each network one. */
  db: Database;
  networks: NetworkSettings[];
  log: Logger;
  /** Fetches manifests from strangers' urls. The caller closes it. */
  outbound: Outbound;
  /** Reads checkpoint files. Default: `outbound`, with its few connections. The caller closes it. */
  bucketOutbound?: Outbound | undefined;
  /** Providers that the roles of the process share. Absent: opened here. */
  providers?: NetworkProviders | undefined;
  /** Registry for the indexer's metrics. They can be registered once per registry. */
  metrics?: Registry;
  /** Milliseconds without a message after which a stream is opened again. */
  idleMs?: number;
  /** See `ChecksOptions`. */
  lookAgainMs?: number | undefined;
  fastFor?: (signal: AbortSignal) => Promise<void>;
  /** Maximum number of events in one database transaction, give or take those of one chain transaction. */
  batchMax?: number;
}

export interface Indexer {
  /** Ends after the transaction in progress, if any. */
  close(): Promise<void>;
}

/** A node sends a frame at least every 25 checkpoints, some 5 seconds. */
const idleMsDefault = 30_000;
const batchMaxDefault = 20_000;

/** Follows every source of every network into the migrated database; `sources` has their state. Returns at once. */
export function startIndexer(options: IndexerOptions): Indexer {
  const { db, log, networks } = options;
  const metrics = createIndexerMetrics(options.metrics ?? new Registry());
  const progress = createProgress(log);
  const stop = new AbortController();
  const closing = new AsyncDisposableStack();
  const opened = options.providers ?? openProviders(networks, closing, { log });
  const parts = networks.map((settings) => {
    const providers = opened.get(settings.network)!;
    const watch = watchProviders({ db: db.pool, providers, log, signal: stop.signal });
    const { outbound, lookAgainMs, fastFor } = options;
    const { checkpointsUrl: url } = settings;
    const bucket = url
      ? shareBucket(openBucket({ url, outbound: options.bucketOutbound ?? outbound }))
      : undefined;
    const checks = createChecks({ db, settings, outbound, log, metrics, providers, lookAgainMs, fastFor });
    const run = <Data extends EventData>(source: Source<Data>) =>
      runSource({
        db,
        settings,
        source,
        providers,
        digests: watch.digests,
        bucket,
        log,
        metrics,
        progress,
        idleMs: options.idleMs ?? idleMsDefault,
        batchMax: options.batchMax ?? batchMaxDefault,
        signal: stop.signal,
        onCommitted: () => checks.wake(source.name),
        onCaughtUp() {
          progress.caughtUp(`${settings.network}/${source.name}`);
          checks.start(source.name);
        },
      });
    const start: Record<SourceName, () => Promise<void>> = {
      registry: () => run(registrySource),
      wallet: () => run(walletSource),
      rules: () => run(rulesSource),
      agents: () => run(agentsSource),
      escrow: () => run(escrowSource),
      statements: () => run(statementsSource),
    };
    const running = listFollowedSources(settings).map((name) => start[name]());
    return { checks, running: [watch.ended, ...running] };
  });
  return {
    async close() {
      stop.abort();
      await Promise.all(parts.flatMap(({ checks, running }) => [checks.close(), ...running]));
      progress.close();
      await closing.disposeAsync();
    },
  };
}
