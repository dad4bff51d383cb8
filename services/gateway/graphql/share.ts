import { Gauge, type Registry } from '@prometheus-io/client';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { answerTooLarge, readBytesMax } from '../../../graphql/execution/answer-size.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { runTogether } from './batch.ts';

/** Most queries that run at once. Each holds the rows that it has read until it is answered. */
const queriesMax = 16;

/** The graph's share of a connection pool. It never uses all connections, so that some stay free for REST. */
export interface GraphShare {
  /**
   * Runs a query with a database of its own. Its statements run one after another, and fail once they have read more
   * than `readBytesMax` bytes.
   */
  run<T>(query: (db: Queryable) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Database for reads that many subscribers share. */
  live: Queryable;
}

export function graphShare(pool: Pool, metrics: Registry): GraphShare {
  const queries = createSemaphore(queriesMax);
  const statements = createSemaphore(Math.max(1, Math.floor(pool.options.max / 3)));
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

  /**
   * Returns a database that batches statements. Those that are issued in one tick, such as the lists of one level of a
   * query, are sent together.
   */
  function createBatchingDatabase(signal: AbortSignal): Queryable {
    let bytes = 0;
    let waiting: Waiting[] = [];
    let sending = false;

    async function send(): Promise<void> {
      while (waiting.length > 0) {
        const own = waiting;
        waiting = [];
        await sendTogether(own).catch((error) => {
          for (const { reject } of own) reject(error);
        });
      }
      sending = false;
    }

    async function sendTogether(own: readonly Waiting[]): Promise<void> {
      if (bytes > readBytesMax) throw tooMuch();
      const asked = own.map(({ statement }) => statement);
      const read = await statements.run(() => runTogether(pool, asked, readBytesMax - bytes), signal);
      bytes += read.bytes;
      if (bytes > readBytesMax) throw tooMuch();
      for (const [at, { resolve, reject }] of own.entries()) {
        const { rows, error } = read.asked[at]!;
        if (error === undefined) resolve({ rows });
        else reject(error);
      }
    }

    const query = (statement: QueryConfig) => {
      const { promise, resolve, reject } = Promise.withResolvers<Pick<QueryResult, 'rows'>>();
      waiting.push({ statement, resolve, reject });
      if (!sending) {
        sending = true;
        queueMicrotask(send);
      }
      return promise;
    };
    return { query: query as Pool['query'] };
  }

  const never = new AbortController().signal;
  const query = (statement: QueryConfig) => statements.run(() => pool.query(statement), never);
  return {
    run: (query, signal) => queries.run(() => query(createBatchingDatabase(signal)), signal),
    live: { query: query as Pool['query'] },
  };
}

/** A statement that waits until it is sent. */
interface Waiting {
  statement: QueryConfig;
  resolve(result: Pick<QueryResult, 'rows'>): void;
  reject(error: unknown): void;
}

const tooMuch = () => answerTooLarge(`The query reads more than ${readBytesMax} bytes`);
