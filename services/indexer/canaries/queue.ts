import { setTimeout as delay } from 'node:timers/promises';
import { packageVersions, unwrapAnswer } from '@adaptor-marketplace/adaptor/chain';
import {
  type DueCanary,
  readDueCanaries,
  readDueCanary,
  readSimulatedEntry,
  reserveSimulation,
} from '../../../db/queries/canaries/due.ts';
import { pruneCanaries, recordCanary } from '../../../db/queries/canaries/record.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { createGroupLimit, Slots } from '../queue/slots.ts';
import type { CheckDependencies, DueJobs, WorkQueue } from '../queue/work-queue.ts';
import { runCanary } from './canary.ts';
import { computeRate } from './rate.ts';

/** Entries that are simulated at once, each of another publisher: one may wait for a slow node. */
const slotsMax = 4;
const intervalSeconds = 600;
/** Time between two removals of old counts. */
const pruneMs = 3_600_000;

interface CanaryOptions {
  /** Default: ten minutes. Entries wait longer if the rate does not suffice for all. */
  intervalSeconds?: number;
}

/**
 * Simulates the ops of entries in turns, to show which of them work. Undefined if the network has no wallet package, or
 * the settings allow no simulations.
 */
export function createCanaryQueue(
  { db: { pool }, settings, metrics, providers }: CheckDependencies,
  signal: AbortSignal,
  { intervalSeconds: seconds = intervalSeconds }: CanaryOptions = {},
): (WorkQueue<DueCanary> & { close(): void }) | undefined {
  const { network, walletPackageId } = settings;
  const perSecond = computeRate(settings);
  if (walletPackageId === undefined || perSecond <= 0) return undefined;
  const client = providers.client('canary');
  const versions = packageVersions(client);
  const turns = beginTurns();
  let pruneAtMs = 0;

  async function due(limit: number): Promise<DueJobs<DueCanary>> {
    if (performance.now() >= pruneAtMs && !(await pruneCanaries(pool, network))) {
      pruneAtMs = performance.now() + pruneMs;
    }
    const { rows, nextMs } = await readDueCanaries(pool, { network, limit, turns });
    const waiting = rows.map((job) => ({
      key: `canary ${network} ${job.serviceType} ${job.publisher}`,
      precedence: 0,
      groups: [job.publisher],
      job,
    }));
    return { waiting, nextMs };
  }

  const simulator = {
    client,
    packages: settings,
    signal,
    waitForTurn: async () => {
      await delay(await reserveSimulation(pool, network, perSecond), undefined, { signal });
    },
  };

  return {
    name: `${network}/canaries`,
    partitions: [{ slots: new Slots(slotsMax, [createGroupLimit(1)]), due }],
    close() {
      client.close();
    },
    current: (key) => readDueCanary(pool, { network, ...key }),
    async work(job) {
      const key = { network, ...job };
      const entry = await readSimulatedEntry(pool, key);
      // The entry changes with the row that made it due: the job is no longer current.
      if (entry?.version !== job.version) return;
      const context = {
        network,
        db: pool,
        simulator,
        walletPackageId: unwrapAnswer(await versions.newest(walletPackageId)) ?? walletPackageId,
        readCheckpoint: () => providers.pick().health.tip?.checkpoint,
      };
      const results = await runCanary(context, job.serviceType, entry);
      for (const { untried, state } of results) {
        metrics.checks.inc({ network, check: 'canary', state: untried === null ? state : 'untried' });
      }
      // A tenth more or less keeps entries apart that became due together.
      const nextSeconds = seconds * (0.9 + 0.2 * Math.random());
      await recordCanary(pool, key, results, nextSeconds);
    },
  };
}
