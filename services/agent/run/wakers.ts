import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import { runsChannel } from '../../../db/queries/agent/steps.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Tells who follows a run that there may be more of it. */
export interface Waker extends Disposable {
  /** Resolves at once if it was told since it last resolved, else with the next telling, or when the signal aborts. */
  woken(signal: AbortSignal): Promise<void>;
}

export interface Wakers {
  of(run: number): Waker;
  close(): Promise<void>;
}

interface Entry {
  told: boolean;
  resolve: (() => void) | undefined;
}

/** One connection that listens for what any process writes of any run. */
export function openWakers(db: Database, log: Logger): Wakers {
  const entries = new Map<number, Set<Entry>>();
  const tell = (entry: Entry) => {
    entry.told = true;
    entry.resolve?.();
  };
  const listener = listen({
    url: db.url,
    channels: [runsChannel],
    onNotification: (_channel, run) => entries.get(Number(run))?.forEach(tell),
    onConnected: () => {
      for (const waiting of entries.values()) waiting.forEach(tell);
    },
    log,
  });
  return {
    of(run) {
      const entry: Entry = { told: false, resolve: undefined };
      const waiting = entries.get(run) ?? new Set();
      entries.set(run, waiting.add(entry));
      return {
        async woken(signal) {
          if (!entry.told && !signal.aborted) {
            await new Promise<void>((resolve) => {
              entry.resolve = resolve;
              signal.addEventListener('abort', () => resolve(), { once: true });
            });
          }
          entry.told = false;
        },
        [Symbol.dispose]() {
          waiting.delete(entry);
          if (waiting.size === 0) entries.delete(run);
        },
      };
    },
    close: () => listener.close(),
  };
}
