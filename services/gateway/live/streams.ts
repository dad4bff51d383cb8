import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Gauge, type Registry } from '@prometheus-io/client';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { callerOf } from '../access/caller.ts';

const readersMax = 2_000;
/** Of one API key or address, so that no caller can take all of them. */
const readersPerCallerMax = 100;
/** Bytes that are buffered for a reader. What comes beyond them is read again once it has received these. */
export const waitingBytesMax = 64 * 1024;
/** How long a reader that is behind may take to receive what is written. */
const drainMsMax = 30_000;
const heartbeatMs = 15_000;
export const reconnectMs = 2_000;

/** All streams of server-sent events of this process, bounded together. */
export interface Streams {
  /**
   * Begins a stream. False: it has ended already, because its caller wants the head alone or the streams are closed.
   * @param from the id where a reader continues that is disconnected before its first event
   * @throws ProblemError 429 or 503 `too_many_streams`
   */
  open(exchange: Exchange, from?: string): boolean;
  /** Ends all streams. Their readers reconnect, to another process. */
  close(): void;
}

export function openStreams(metrics: Registry): Streams {
  /** By response: the owner of each, where it is known. */
  const readers = new Map<ServerResponse, string | undefined>();
  let closed = false;
  new Gauge({
    name: 'event_stream_readers',
    help: 'Open streams of server-sent events, those of the graph included.',
    registers: [metrics],
    collect() {
      this.set(readers.size);
    },
  });
  const heartbeat = setInterval(() => {
    for (const res of readers.keys()) if (!res.writableNeedDrain) res.write(':\n\n');
  }, heartbeatMs);
  heartbeat.unref();

  function refuseTooMany(whose: string | undefined): void {
    if (readers.size >= readersMax) throw tooMany(503, 'This service has its highest number of open streams');
    if (whose === undefined) return;
    const same = [...readers.values()].filter((other) => other === whose).length;
    if (same < readersPerCallerMax) return;
    throw tooMany(429, `An API key or an address may have ${readersPerCallerMax} open streams`);
  }

  return {
    open(exchange, from) {
      const { req, res } = exchange;
      const whose = ownerOf(exchange);
      refuseTooMany(whose);
      res.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      if (req.method === 'HEAD' || closed) {
        res.end();
        return false;
      }
      readers.set(res, whose);
      res.on('close', () => readers.delete(res));
      res.write(`retry: ${reconnectMs}\n${from === undefined ? '' : `id: ${from}\n`}\n`);
      return true;
    },
    close() {
      closed = true;
      clearInterval(heartbeat);
      for (const res of readers.keys()) {
        // Its end would wait behind what its reader does not read.
        if (res.writableNeedDrain) res.destroy();
        else res.end();
      }
    },
  };
}

/** API key or address; unknown where the host has no limits, or cannot count. */
function ownerOf(exchange: Exchange): string | undefined {
  const caller = callerOf(exchange);
  if (caller?.kind === 'key') return caller.keyId;
  return caller?.kind === 'anonymous' ? caller.address : undefined;
}

/** Resolves when the reader has read, or is gone. Rejects where it does neither for too long. */
export async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(drainMsMax)]);
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    over.abort();
  }
}

/** Ends a response whose reader does not receive what is written: what waits for it would stay in memory. */
export function dropStalled(res: ServerResponse, readMsMax = drainMsMax): void {
  // It has emitted its close already.
  if (res.destroyed) return;
  let behindSinceMs: number | undefined;
  const forget = () => {
    behindSinceMs = undefined;
  };
  const watch = setInterval(() => {
    if (!res.writableNeedDrain) return forget();
    behindSinceMs ??= performance.now();
    if (performance.now() - behindSinceMs > readMsMax) res.destroy();
  }, readMsMax / 6);
  res.on('drain', forget);
  res.once('close', () => clearInterval(watch));
}

function tooMany(status: 429 | 503, reason: string): ProblemError {
  const detail = `${reason}. Try again shortly, or read by query.`;
  return problem('too_many_streams', detail, { status });
}
