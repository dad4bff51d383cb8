import type { SourceName } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { openClaims } from '../queue/claims.ts';
import type { CheckDependencies } from '../queue/work-queue.ts';
import { watchJudgement } from './judgement.ts';
import { createCatalogUpkeep } from './upkeep.ts';
import { createCheckWorkers } from './workers.ts';

interface ChecksOptions extends CheckDependencies {
  outbound: Outbound;
  log: Logger;
  /** Resolves when a fetch has used its fast slot long enough; see `ManifestOptions`. */
  fastFor?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Interval at which a check looks for due work without a notification. Default: 15 s. */
  lookAgainMs?: number | undefined;
}

const lookAgainMsDefault = 15_000;

/** Background work of a network: checks its events against the chain, and fetches their manifests and coins. */
export function createChecks(options: ChecksOptions) {
  const { db, settings, log, fastFor, lookAgainMs = lookAgainMsDefault } = options;
  const { network } = settings;
  const stop = new AbortController();
  const { signal } = stop;
  const claims = openClaims(db);
  const judgement = watchJudgement(db, network, log, (source) => {
    if (!signal.aborted) workers.startLater(source);
  });
  const upkeep = createCatalogUpkeep({
    pool: db.pool,
    network,
    payees: settings.rankingPayees ?? [],
    log,
    removeMs: lookAgainMs,
    signal,
  });
  const workers = createCheckWorkers({
    ...options,
    claims,
    fastFor,
    lookAgainMs,
    onDone: judgement.look,
    signal,
  });
  return {
    /** Call it when a history has been read: later events would replace most of the due work. */
    start(source: SourceName): void {
      if (signal.aborted) return;
      if (source === 'registry') upkeep.start();
      workers.start(source);
      judgement.start(source);
    },
    /** Reports a commit that may have made work due. */
    wake: workers.wake,
    async close(): Promise<void> {
      stop.abort();
      await workers.waitForJobs();
      await upkeep.close();
      await judgement.close();
      await claims.close();
      await workers.close();
    },
  };
}
