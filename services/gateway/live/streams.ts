import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Gauge, type Registry } from '@prometheus-io/client';
import { createShares } from '../../../lib/concurrency/shares.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import type { IdentifyCaller } from '../access/caller.ts';

const readersMax = { all: 2_000, caller: 100 };
/** Maximum number of bytes that are buffered for a reader. Items beyond it are read again once these have drained. */
export const waitingBytesMax = 64 * 1024;
/** Time in which a reader that is behind must receive the buffered bytes. */
const drainMsMax = 30_000;
const heartbeatMs = 15_000;
export const reconnectMs = 2_000;

/** All streams of server-sent events of this process, bounded together. */
export interface Streams {
  /**
   * Begins a stream. Returns `false` if it has ended already, because the request is a HEAD or the streams are closed.
   * @param from id from which a reader resumes that is disconnected before its first event
   * @throws ProblemError 429 or 503 `too_many_streams`
   */
  open(exchange: Exchange, from?: string): boolean;
  /** Counts a stream that its part sends itself, and ends by `end`. Returns and throws as `open` does. */
  admit(exchange: Exchange, end: () => void): boolean;
  /** Ends all streams. Their readers reconnect, to another process. */
  close(): void;
}

export function openStreams(metrics: Registry, identifyCaller: IdentifyCaller): Streams {
  /** Ends of the streams, by their responses. */
  const readers = new Map<ServerResponse, () => void>();
  const shares = createShares(readersMax);
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
    for (const res of readers.keys())
      if (res.headersSent && !res.writableEnded && !res.writableNeedDrain) res.write(':\n\n');
  }, heartbeatMs);
  heartbeat.unref();

  function admit(exchange: Exchange, end: () => void): boolean {
    const { req, res } = exchange;
    const leave = shares.take({ caller: identifyCaller(exchange) }, tooMany);
    if (req.method === 'HEAD' || closed) {
      leave();
      return false;
    }
    readers.set(res, end);
    res.on('close', () => {
      readers.delete(res);
      leave();
    });
    return true;
  }

  return {
    admit,
    open(exchange, from) {
      const { res } = exchange;
      const isOpen = admit(exchange, () => res.end());
      res.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      if (isOpen) res.write(formatStart(from));
      else res.end();
      return isOpen;
    },
    close() {
      closed = true;
      clearInterval(heartbeat);
      for (const [res, end] of readers) {
        // The end would wait behind bytes that the reader does not receive.
        if (res.writableNeedDrain) res.destroy();
        else end();
      }
    },
  };
}

/** Formats the start of a stream: the time before a reconnect, and the id from which a reader resumes that has none. */
export const formatStart = (from?: string): string =>
  `retry: ${reconnectMs}\n${from === undefined ? '' : `id: ${from}\n`}\n`;

/** Resolves when the reader has received the buffered bytes or has disconnected. Rejects after `drainMsMax`. */
export async function waitForDrain(res: ServerResponse): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(drainMsMax)]);
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    ended.abort();
  }
}

/** Destroys a response if its buffer does not drain within `readMsMax`. The buffered bytes would stay in memory. */
export function dropStalled(res: ServerResponse, readMsMax = drainMsMax): void {
  // The response has emitted `close` already.
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

function tooMany(kind: keyof typeof readersMax, max: number): ProblemError {
  const whose = kind === 'all' ? 'This service has' : 'Your API key or address has';
  const detail = `${whose} ${max} open streams, the maximum. Try again shortly, or read by query.`;
  return problem('too_many_streams', detail, { status: kind === 'all' ? 503 : 429 });
}
