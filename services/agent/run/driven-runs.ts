import type { RunLease } from '../../../db/queries/agent/runs.ts';

/** The runs that this process drives, each under the worker number that it began with. */
export interface RunTracker {
  /** Calls `open`, which opens a run and calls `drive` for it before it resolves. */
  opening<T>(open: () => Promise<T>): Promise<T>;
  /** Counts the run as driven until `work` has ended. `work` never rejects. */
  drive(driven: RunLease, work: Promise<void>): void;
  /**
   * Resolves to those of the open runs of `worker` that nothing here drives. `openRuns` reads the ids; it is called
   * again, so that a run which ends meanwhile is not among them.
   */
  undriven(worker: number, openRuns: () => Promise<readonly number[]>): Promise<number[]>;
  ended(): Promise<void>;
}

export function createRunTracker(): RunTracker {
  const opens = new Set<Promise<unknown>>();
  const driving = new Map<string, Promise<void>>();
  const buildKey = ({ run, worker }: RunLease) => `${worker} ${run}`;
  return {
    async opening(open) {
      const opened = open();
      opens.add(opened);
      try {
        return await opened;
      } finally {
        opens.delete(opened);
      }
    },
    drive(driven, work) {
      const name = buildKey(driven);
      driving.set(name, work);
      void work.finally(() => driving.delete(name));
    },
    async undriven(worker, openRuns) {
      const candidates = await openRuns();
      if (candidates.length === 0) return [];
      // A run that is stored already may be about to be driven.
      await Promise.allSettled(opens);
      const left = candidates.filter((run) => !driving.has(buildKey({ run, worker })));
      if (left.length === 0) return [];
      // Driving may have ended after the first read, and with it the run.
      const open = new Set(await openRuns());
      return left.filter((run) => open.has(run));
    },
    async ended() {
      await Promise.allSettled(driving.values());
    },
  };
}
