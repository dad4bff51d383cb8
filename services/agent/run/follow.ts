import { once } from 'node:events';
import type { Pool } from 'pg';
import { readLines } from '../../../db/queries/agent/runs.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import type { Wakers } from './wakers.ts';

/**
 * Milliseconds between heartbeats: a space, which JSON allows before the next line. If a stream is silent for longer, a client
 * can assume that it is lost.
 */
const heartbeatMs = 15_000;

interface FollowDependencies {
  db: Pool;
  wakers: Wakers;
  /** Aborted when the service closes. */
  signal: AbortSignal;
}

/** Sets the headers of every response about a run. */
export function identifyRun({ res }: Exchange, { run, attempt }: { run: number; attempt: number }): void {
  res.setHeader('x-run-id', String(run));
  res.setHeader('x-run-attempt', String(attempt));
}

/**
 * Writes the recorded and the new lines of a run as newline-delimited JSON, until it has ended or waits for an
 * operator. Sends a space every 15 s. It works for a run that any process drives, and for one that ended long ago.
 */
export async function followRun(
  { db, wakers, signal }: FollowDependencies,
  exchange: Exchange,
  followed: { run: number; attempt: number },
  from = 0,
): Promise<void> {
  const { res } = exchange;
  const { run } = followed;
  identifyRun(exchange, followed);
  res.writeHead(200, {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // The next line may take long, and the caller waits for the headers.
  res.flushHeaders();
  const gone = new AbortController();
  const heartbeat = setInterval(() => {
    if (!res.writableNeedDrain) res.write(' ');
  }, heartbeatMs);
  res.once('close', () => {
    clearInterval(heartbeat);
    gone.abort();
  });
  const stop = AbortSignal.any([signal, gone.signal]);
  // Subscribes before the first read, so that no line is missed.
  using follower = wakers.follow(run);
  for (let position = from; !stop.aborted; ) {
    const { ended, lines, next } = follower.next(position) ?? (await readLines(db, run, position));
    position = next;
    if (stop.aborted) break;
    if (lines.length > 0 && !res.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))) {
      await once(res, 'drain', { signal: stop }).catch(() => undefined);
    }
    if (ended) break;
    await follower.waitForLines(position, stop);
  }
  clearInterval(heartbeat);
  res.end();
}
