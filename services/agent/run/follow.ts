import { once } from 'node:events';
import type { Response } from 'express';
import type { Pool } from 'pg';
import { readLines } from '../../../db/queries/agent/steps.ts';
import type { Wakers } from './wakers.ts';

export interface FollowHost {
  db: Pool;
  wakers: Wakers;
  /** Aborted when the service closes: streams end then, and the runs go on at their next start. */
  signal: AbortSignal;
}

/**
 * Writes a run's lines as newline-delimited JSON, those that are recorded and those to come, until it has ended. The
 * same for a run that is under way, wherever it is driven, and for one that ended long ago.
 */
export async function followRun(
  { db, wakers, signal }: FollowHost,
  run: number,
  res: Response,
): Promise<void> {
  res.writeHead(200, {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-run-id': String(run),
  });
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const over = AbortSignal.any([signal, gone.signal]);
  // Before the first read, so that nothing comes between.
  using waker = wakers.of(run);
  for (let place = 0; !over.aborted; ) {
    const { ended, lines } = await readLines(db, run, place);
    place += lines.length;
    if (over.aborted) break;
    if (lines.length > 0 && !res.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))) {
      await once(res, 'drain', { signal: over }).catch(() => undefined);
    }
    if (ended) break;
    await waker.woken(over);
  }
  res.end();
}
