import { onTestFinished } from 'vitest';
import type { Database } from '../../../../db/client.ts';
import { silentLogger } from '../../../../lib/log/index.ts';
import { openClaims } from '../claims.ts';
import type { WorkQueue } from '../work-queue.ts';
import { startWorker } from '../worker.ts';

/** Runs a worker on a queue, with its own claims as a process has them, until `end` or the end of the running test. */
export function workOn<Job>(db: Database, queue: WorkQueue<Job>): { end(): Promise<void> } {
  const claims = openClaims(db);
  const stop = new AbortController();
  const { signal } = stop;
  const worker = startWorker(queue, { claims, log: silentLogger, signal, sleepMaxMs: 50 });
  const end = async () => {
    stop.abort();
    await worker.stopped;
    await claims.close();
  };
  onTestFinished(end);
  return { end };
}
