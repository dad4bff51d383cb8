import { Gauge, type Registry } from '@prometheus-io/client';
import type { Pool, QueryConfig } from 'pg';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { answerTooLarge, bytesOf, readBytesMax } from '../../../graphql/answer-size.ts';

/** Queries that are under way at once: each holds what it has read until it is answered. */
const queriesMax = 16;

/** The graph's share of a pool. What REST is answered from is never all in its hands. */
interface GraphShare {
  /**
   * Runs a query over a connection share of its own: its statements run one after another, and end where they have
   * read more than one query may.
   */
  run<T>(query: (db: Queryable) => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function graphShare(pool: Pool, metrics: Registry): GraphShare {
  const queries = slots(queriesMax);
  const statements = slots(Math.max(1, Math.floor(pool.options.max / 3)));
  new Gauge({
    name: 'graph_load',
    help: 'Graph queries and their statements that run, and that wait for their turn.',
    labelNames: ['what', 'state'],
    registers: [metrics],
    collect() {
      for (const [what, { running, waiting }] of [
        ['queries', queries.load()],
        ['statements', statements.load()],
      ] as const) {
        this.set({ what, state: 'running' }, running);
        this.set({ what, state: 'waiting' }, waiting);
      }
    },
  });

  function shareOf(signal: AbortSignal): Queryable {
    let bytes = 0;
    let last: Promise<unknown> = Promise.resolve();
    const query = (statement: QueryConfig) => {
      const next = last.then(async () => {
        if (bytes > readBytesMax) throw tooMuch();
        const result = await statements.run(() => pool.query(statement), signal);
        bytes += bytesOf(result.rows);
        if (bytes > readBytesMax) throw tooMuch();
        return result;
      });
      last = next.catch(() => undefined);
      return next;
    };
    return { query: query as Pool['query'] };
  }

  return { run: (query, signal) => queries.run(() => query(shareOf(signal)), signal) };
}

const tooMuch = () => answerTooLarge(`The query reads more than ${readBytesMax} bytes`);

/** So many pieces of work at once; the others wait in the order in which they came. */
interface Slots {
  /**
   * Runs the work when a slot is free.
   * @throws the signal's reason where it aborts before that
   */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** How many run and how many wait. */
  load(): { running: number; waiting: number };
}

export function slots(count: number): Slots {
  const waiting = new Set<() => void>();
  let running = 0;

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < count) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      waiting.delete(resolve);
      reject(signal.reason);
    };
    waiting.add(resolve);
    signal.addEventListener('abort', abort);
    await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Hands the slot to the first that waits. */
  function leave(): void {
    const [next] = waiting;
    if (!next) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    load: () => ({ running, waiting: waiting.size }),
  };
}
