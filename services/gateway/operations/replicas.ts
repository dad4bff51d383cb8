import { Gauge, type Registry } from '@prometheus-io/client';
import { z } from 'zod';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';

const share = z.number().min(0).max(1).describe('Share of the reads of this gateway since its start.');

export const readsStatus = z.object({
  primaryShare: share,
  replicas: z.array(
    z.object({
      replica: z.int().min(1).describe('Number in the order of READ_DATABASE_URLS.'),
      state: z
        .enum(['ready', 'behind', 'lagging', 'failing'])
        .describe(
          'Only a `ready` one answers: it has replayed everything that was announced to this gateway.',
        ),
      lagMs: z
        .int()
        .min(0)
        .describe('Time since the announcement of the first change that it has not replayed.'),
      share,
    }),
  ),
});

/** Returns where this gateway reads, as `/status` shows it. */
export function describeReads(pools: ReadPools): z.infer<typeof readsStatus> {
  const { primaryReads, replicas } = pools.conditions();
  const all = replicas.reduce((sum, { reads }) => sum + reads, primaryReads);
  const toShare = (reads: number) => (all === 0 ? 0 : Number((reads / all).toFixed(3)));
  return {
    primaryShare: toShare(primaryReads),
    replicas: replicas.map(({ reads, ...replica }) => ({ ...replica, share: toShare(reads) })),
  };
}

/** Exposes the reads of each server, and the lag of each replica, as metrics. */
export function showReads(pools: ReadPools, metrics: Registry): void {
  new Gauge({
    name: 'database_reads',
    help: 'Reads that may go to a replica, since the start, by server: primary, or the number of the replica.',
    labelNames: ['server'],
    registers: [metrics],
    collect() {
      const { primaryReads, replicas } = pools.conditions();
      this.set({ server: 'primary' }, primaryReads);
      for (const { replica, reads } of replicas) this.set({ server: String(replica) }, reads);
    },
  });
  new Gauge({
    name: 'read_replica_lag_seconds',
    help: 'Seconds since the announcement of the first change that a read replica has not replayed.',
    labelNames: ['server'],
    registers: [metrics],
    collect() {
      for (const { replica, lagMs } of pools.conditions().replicas)
        this.set({ server: String(replica) }, lagMs / 1000);
    },
  });
  new Gauge({
    name: 'read_replica_ready',
    help: '1 while a read replica answers, 0 otherwise.',
    labelNames: ['server'],
    registers: [metrics],
    collect() {
      for (const { replica, state } of pools.conditions().replicas)
        this.set({ server: String(replica) }, state === 'ready' ? 1 : 0);
    },
  });
}
