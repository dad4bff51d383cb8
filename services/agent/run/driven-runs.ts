import type { RunLease } from '../../../db/queries/agent/runs.ts';

/** The runs that this process drives, each under the worker number that it began with. */
export interface RunTracker {
  /** Calls `open`, which opens a run and calls `drive` for it before it resolves. */
  trackOpening<T>(open: () => Promise<T>): Promise<T>;
  /** Counts the run as driven until `work` has ended. `work` never rejects. */
  drive(driven: RunLease, work: Promise<void>): void;
  /**
   * Resolves to those of the open runs of `worker` that nothing here drives. `openRuns` reads the ids; it is called
   * again, so that a run which ends meanwhile is not among them.
   */
  findUndriven(worker: number, openRuns: () => Promise<readonly number[]>): Promise<number[]>;
  /** Resolves when the work of all driven runs has ended. */
  waitForAll(): Promise<void>;
}

export function createRunTracker(): RunTracker {
  const opens = new Set<Promise<unknown>>();
  const driving = new Map<string, Promise<void>>();
  const buildKey = ({ run, worker }: RunLease) => `${worker} ${run}`;
  return {
    async trackOpening(open) {
      const opened = open();
      opens.add(opened);
      try {
        return await opened;
      } finally {
        opens.delete(opened);
      }
    },
    drive(driven, work) {
      const key = buildKey(driven);
      driving.set(key, work);
      void work.finally(() => driving.delete(key));
    },
    async findUndriven(worker, openRuns) {
      const candidates = await openRuns();
      if (candidates.length === 0) return [];
      // A run that is stored already may be about to be driven.
      await Promise.allSettled(opens);
      const undriven = candidates.filter((run) => !driving.has(buildKey({ run, worker })));
      if (undriven.length === 0) return [];
      // Driving may have ended after the first read, and with it the run.
      const open = new Set(await openRuns());
      return undriven.filter((run) => open.has(run));
    },
    async waitForAll() {
      await Promise.allSettled(driving.values());
    },
  };
}
