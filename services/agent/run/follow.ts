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

/** Headers of every answer about a run. */
export function identifyRun(res: Response, { run, attempt }: { run: number; attempt: number }): void {
  res.setHeader('x-run-id', String(run));
  res.setHeader('x-run-attempt', String(attempt));
}

/**
 * Writes a run's lines as newline-delimited JSON, those that are recorded and those to come, until it has ended or
 * waits for an operator. The same for a run that is under way, wherever it is driven, and for one that ended long ago.
 */
export async function followRun(
  { db, wakers, signal }: FollowHost,
  followed: { run: number; attempt: number },
  res: Response,
  from = 0,
): Promise<void> {
  const { run } = followed;
  identifyRun(res, followed);
  res.writeHead(200, {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // There may be no line to come for long, and who asks waits for the head.
  res.flushHeaders();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const over = AbortSignal.any([signal, gone.signal]);
  // Before the first read, so that nothing comes between.
  using waker = wakers.of(run);
  for (let place = from; !over.aborted; ) {
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
