import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { storeProviders } from '../../../db/queries/providers.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { budgetWindowMs } from '../../../lib/chain/providers/budget.ts';
import type { Providers } from '../../../lib/chain/providers/providers.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { DigestComparison } from './digests.ts';

const storeEveryMs = 5_000;
/** Rounds of `storeEveryMs` between two comparisons: one comparison in the window of a budget. */
const roundsPerComparison = budgetWindowMs / storeEveryMs;

interface WatchOptions {
  db: Queryable;
  providers: Providers;
  log: Logger;
  signal: AbortSignal;
}

interface ProviderWatch {
  digests: DigestComparison;
  /** Resolves after the signal has aborted. */
  ended: Promise<void>;
}

/** Stores the condition of a network's providers for `/status`, and compares their digests, until the signal aborts. */
export function watchProviders(options: WatchOptions): ProviderWatch {
  const digests = new DigestComparison(options.providers);
  return { digests, ended: watch(options, digests) };
}

async function watch({ db, providers, log, signal }: WatchOptions, digests: DigestComparison): Promise<void> {
  let isFailing = false;
  for (let round = 0; !signal.aborted; round += 1) {
    try {
      if (round % roundsPerComparison === 1 && providers.list.length > 1) await digests.compareAll(signal);
      await storeProviders(db, providers.network, listConditions(providers));
      isFailing = false;
    } catch (error) {
      // Logged once for each outage of the database.
      if (!isFailing && !signal.aborted) {
        log.warn({ network: providers.network }, `could not store the providers: ${getErrorMessage(error)}`);
      }
      isFailing = true;
    }
    await delay(storeEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

function listConditions(providers: Providers) {
  const inUse = providers.pick();
  return providers.list.map((provider) => {
    const { health, host, budget } = provider;
    const { state, reason, lagMs } = providers.assess(provider);
    return {
      host,
      inUse: provider === inUse,
      state,
      reason,
      tip: health.tip?.checkpoint ?? null,
      lagMs: lagMs === undefined ? null : Math.round(lagMs),
      latencyMs: health.latencyMs === undefined ? null : Math.round(health.latencyMs),
      budget: budget?.requests ?? null,
      budgetLeft: budget?.left ?? null,
    };
  });
}
