import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import { gasChannel } from '../../../db/queries/agent/gas-coins.ts';
import { runsChannel } from '../../../db/queries/agent/runs.ts';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Lines of a run that this process has written, and whether they are its last. */
interface WrittenLines {
  position: number;
  lines: readonly RunStep[];
  ended: boolean;
}

/** Lines from a position on, and the position behind them. */
interface NextLines extends Omit<WrittenLines, 'position'> {
  next: number;
}

/** Waits for notifications of the database. */
interface Waker extends Disposable {
  /** Resolves at once if a notification came since the last time, else with the next one, or when the signal aborts. */
  waitForNews(signal: AbortSignal): Promise<void>;
}

/** Follows the lines of a run: those that this process writes without the database, others by its notifications. */
interface Follower extends Disposable {
  /** The lines from a position on, if this process wrote them; else they are in the database. */
  next(position: number): NextLines | undefined;
  /** Resolves when there may be lines from a position on, or when the signal aborts. */
  waitForLines(position: number, signal: AbortSignal): Promise<void>;
}

export interface Wakers {
  follow(run: number): Follower;
  /** Wakes when a coin of the payer may have become free. */
  watchCoins(network: string, payer: string): Waker;
  /** Passes new lines to the followers in this process. */
  publish(run: number, written: WrittenLines): void;
  /** Until disposed of, `publish` reports all further lines of the run: followers here read no database. */
  drive(run: number, first: readonly RunStep[]): Disposable;
  close(): Promise<void>;
}

/** News of one run, or of the coins of one payer, for one waiter in this process. */
class News {
  /** Position behind the last line of the run, according to the last notification. */
  nextPosition = 0;
  /** Lines that this process wrote and the waiter has not taken. */
  readonly written: WrittenLines[] = [];
  /** `true` if there may be news that this process has not read. */
  isUnread = false;
  #resolve: (() => void) | undefined;

  /** Lets the waiter read the database. */
  wake(): void {
    this.isUnread = true;
    this.check();
  }

  /** Lets the waiter evaluate its condition again. */
  check(): void {
    this.#resolve?.();
  }

  /** Resolves when `isSo` returns `true`, or when the signal aborts. */
  async waitUntil(isSo: () => boolean, signal: AbortSignal): Promise<void> {
    const end = () => this.check();
    signal.addEventListener('abort', end);
    while (!isSo() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      await promise;
    }
    signal.removeEventListener('abort', end);
    this.isUnread = false;
  }

  /**
   * Takes the lines of this process from a position on; undefined if the next line is not among them. The last line of the
   * run is taken even if the waiter is behind it, as in the database.
   */
  take(position: number): NextLines | undefined {
    for (let first = this.written.shift(); first; first = this.written.shift()) {
      const known = position - first.position;
      if (known < 0) return undefined;
      const lines = first.lines.slice(known);
      if (lines.length > 0) return { lines, ended: first.ended, next: position + lines.length };
      if (first.ended) return { lines: first.lines.slice(-1), ended: true, next: position };
    }
    return undefined;
  }
}

/** The waiters of this process, by channel and subject. */
class Waiters {
  readonly #news = new Map<string, Set<News>>();

  enter(key: string): News & Disposable {
    const news = new News();
    const waiting = this.#news.get(key) ?? new Set();
    this.#news.set(key, waiting.add(news));
    const leave = () => {
      waiting.delete(news);
      if (waiting.size === 0) this.#news.delete(key);
    };
    return Object.assign(news, { [Symbol.dispose]: leave });
  }

  list(key: string): Iterable<News> {
    return this.#news.get(key) ?? [];
  }

  wakeAll(): void {
    for (const waiting of this.#news.values()) {
      for (const news of waiting) news.wake();
    }
  }
}

/** One connection that listens for what any process writes of any run and coin. */
export function openWakers(db: Database, log: Logger): Wakers {
  const waiters = new Waiters();
  /** Lines of each run that this process drives, by run. */
  const driven = new Map<number, WrittenLines[]>();
  const runKey = (run: number | string) => `${runsChannel} ${run}`;
  const listener = listen({
    url: db.directUrl,
    channels: [runsChannel, gasChannel],
    onNotification(channel, payload) {
      if (channel === gasChannel) {
        for (const news of waiters.list(`${channel} ${payload}`)) news.wake();
        return;
      }
      const [run = '', nextPosition, ended] = payload.split(' ');
      for (const news of waiters.list(runKey(run))) {
        news.nextPosition = Math.max(news.nextPosition, Number(nextPosition));
        if (driven.has(Number(run))) continue;
        if (ended === undefined) news.check();
        else news.wake();
      }
    },
    onConnected: () => waiters.wakeAll(),
    log,
  });

  return {
    follow(run) {
      const news = waiters.enter(runKey(run));
      news.written.push(...(driven.get(run) ?? []));
      const isBehind = (position: number) => !driven.has(run) && news.nextPosition > position;
      return {
        next: (position) => news.take(position),
        waitForLines: (position, signal) =>
          news.waitUntil(() => news.isUnread || isBehind(position) || news.written.length > 0, signal),
        [Symbol.dispose]: () => news[Symbol.dispose](),
      };
    },
    watchCoins(network, payer) {
      const news = waiters.enter(`${gasChannel} ${network} ${payer}`);
      return {
        waitForNews: (signal) => news.waitUntil(() => news.isUnread, signal),
        [Symbol.dispose]: () => news[Symbol.dispose](),
      };
    },
    publish(run, written) {
      driven.get(run)?.push(written);
      for (const news of waiters.list(runKey(run))) {
        news.written.push(written);
        news.check();
      }
    },
    drive(run, first) {
      driven.set(run, [{ position: 0, lines: first, ended: false }]);
      return {
        [Symbol.dispose]() {
          driven.delete(run);
          // Another process may have continued the run, or ended it.
          for (const news of waiters.list(runKey(run))) news.wake();
        },
      };
    },
    close: () => listener.close(),
  };
}
