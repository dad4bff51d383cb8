import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionError, createMarketplace } from '@adaptor-marketplace/sdk';

/** A reader of the stream of events, through everything that happens to a gateway. */
export interface Reader {
  /** Times that each event came, by its id. */
  read: ReadonlyMap<string, number>;
  /** Ends it. */
  close(): Promise<void>;
}

const againMs = 200;

export function startReader(baseUrl: string): Reader {
  const read = new Map<string, number>();
  const stop = new AbortController();
  const { signal } = stop;
  const marketplace = createMarketplace({ baseUrl });
  async function readOn(): Promise<void> {
    for (let after = '0.0.0'; ; ) {
      try {
        for await (const { id, cursor } of marketplace.events({ after, signal })) {
          read.set(id, (read.get(id) ?? 0) + 1);
          after = cursor;
        }
      } catch (error) {
        if (signal.aborted) return;
        // A stream that was never open is given up by the client, and not by this reader.
        if (!(error instanceof ConnectionError)) throw error;
        await delay(againMs);
      }
    }
  }
  const ended = readOn();
  // A failure shows as events that are missing, and at the end.
  ended.catch(() => undefined);
  return {
    read,
    async close() {
      stop.abort();
      await ended;
    },
  };
}
