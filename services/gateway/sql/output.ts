import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type pg from 'pg';
import { type SqlBounds, tooLarge } from './bounds.ts';
import { type ResultFormat, toColumns } from './values.ts';

export interface Output {
  abort(reason: unknown): void;
  write(result: pg.QueryArrayResult<(string | null)[]>): Promise<void>;
  end(): Promise<void>;
}

/** Bytes that are buffered before the status is sent. Until then, an error can still have a status of its own. */
const headBytes = 64 * 1024;

/** Writes a result in a format. Refuses it beyond the bounds on rows and bytes. */
export function openOutput(
  res: ServerResponse,
  format: ResultFormat,
  bounds: SqlBounds,
  { abort, signal }: { abort(reason: unknown): void; signal: AbortSignal },
): Output {
  let writeRow: ReturnType<ResultFormat['rows']> | undefined;
  let rows = 0;
  let bytes = 0;
  let waiting: string[] = [];
  let waitingBytes = 0;

  function add(text: string): void {
    waiting.push(text);
    waitingBytes += Buffer.byteLength(text);
  }

  const headers = { 'content-type': format.contentType, 'cache-control': 'no-store' };

  async function flush(): Promise<void> {
    if (!res.headersSent) res.writeHead(200, headers);
    const drained = res.write(waiting.join(''));
    waiting = [];
    waitingBytes = 0;
    if (!drained) await whenDrained();
  }

  async function whenDrained(): Promise<void> {
    // The close of the response ends the statement.
    const timer = setTimeout(() => res.destroy(), bounds.drainMs);
    try {
      await once(res, 'drain', { signal });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    abort,
    async write(result) {
      if (!writeRow) {
        const columns = toColumns(result.fields);
        add(format.head(columns));
        writeRow = format.rows(columns);
      }
      for (const row of result.rows) {
        rows += 1;
        const text = writeRow(row, rows === 1);
        bytes += Buffer.byteLength(text);
        if (rows > bounds.rows || bytes > bounds.bytes) throw tooLarge(bounds);
        add(text);
        if (waitingBytes >= headBytes) await flush();
      }
    },
    async end() {
      add(format.end(rows));
      if (!res.headersSent) res.writeHead(200, { ...headers, 'content-length': waitingBytes });
      res.end(waiting.join(''));
    },
  };
}
