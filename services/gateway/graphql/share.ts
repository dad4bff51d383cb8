import { Gauge, type Registry } from '@prometheus-io/client';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { openLevelReader } from './levels.ts';

/** Maximum number of queries that run at once. The rows that a query reads are in memory until its response is sent. */
const queriesMax = 16;

/** The graph's share of a connection pool. It never uses all connections, so that some stay free for REST. */
export interface GraphShare {
  /** Runs a query with its own database, which uses one connection at a time and reads at most `readBytesMax` bytes. */
  run<T>(query: (db: Queryable) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Database for reads whose results many subscribers share. */
  live: Queryable;
}

export function openGraphShare(pool: Pool, reads: ReadPools, metrics: Registry): GraphShare {
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

  /** Opens a database that reads by level of the query: it sends the statements of one tick together. */
  function openLevels(signal: AbortSignal): Queryable {
    const reader = openLevelReader(reads.begin());
    let waiting: QueuedStatement[] = [];
    let isSending = false;

    async function send(): Promise<void> {
      while (waiting.length > 0) {
        const level = waiting;
        waiting = [];
        const sent = level.map(({ statement }) => statement);
        try {
          const results = await statements.run(() => reader.read(sent, signal), signal);
          for (const [index, result] of results.entries()) settle(level[index]!, result);
        } catch (error) {
          for (const { reject } of level) reject(error);
        }
      }
      isSending = false;
    }

    const query = (statement: QueryConfig) => {
      const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
      waiting.push({ statement, resolve, reject });
      if (!isSending) {
        isSending = true;
        queueMicrotask(send);
      }
      return promise;
    };
    return { query: query as Pool['query'] };
  }

  const readLive = (statement: QueryConfig) => statements.run(() => pool.query(statement));
  return {
    run: (query, signal) => queries.run(() => query(openLevels(signal)), signal),
    live: { query: readLive as Pool['query'] },
  };
}

interface QueuedStatement {
  statement: QueryConfig;
  resolve(result: QueryResult): void;
  reject(error: unknown): void;
}

function settle({ resolve, reject }: QueuedStatement, result: PromiseSettledResult<QueryResult>): void {
  if (result.status === 'fulfilled') resolve(result.value);
  else reject(result.reason);
}
