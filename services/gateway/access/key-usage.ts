import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Counter, type Registry } from '@prometheus-io/client';
import { type Queryable, toColumns } from '../../../db/queries/queryable.ts';
import { nameColumns, unnestColumns } from '../../../db/rows.ts';
import * as tables from '../../../db/schema/index.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Time between two writes. A process that is killed loses at most the counts of this time. */
const flushEveryDefaultMs = 2_000;
/** Maximum number of rows, one for each day and key, that wait while the database is unavailable. Further ones are dropped. */
const waitingMax = 10_000;

interface UsageOptions {
  db: Queryable;
  log: Logger;
  metrics: Registry;
  flushEveryMs?: number;
  nowMs?: () => number;
}

export interface KeyUsage {
  add(keyId: string, integrator: string): void;
  /** Writes the counts that are left. */
  close(): Promise<void>;
}

type Row = typeof tables.keyUsage.$inferSelect;

const columns = ['day', 'keyId', 'integrator', 'requests'] as const;
const write = `insert into key_usage (${nameColumns(tables.keyUsage, columns)})
  select * from ${unnestColumns(tables.keyUsage, 1, columns)}
  on conflict (day, key_id) do update set requests = key_usage.requests + excluded.requests`;

/** Counts the requests of each key and UTC day. If the response to a write is lost, they are counted again. */
export function openKeyUsage({
  db,
  log,
  metrics,
  flushEveryMs = flushEveryDefaultMs,
  nowMs = Date.now,
}: UsageOptions): KeyUsage {
  let waiting = new Map<string, Row>();
  let isFailing = false;
  const dropped = new Counter({
    name: 'key_usage_dropped_total',
    help: 'Requests of API keys that were not recorded, because the database was out for too long.',
    registers: [metrics],
  });

  function merge(row: Row): void {
    const name = `${row.day} ${row.keyId}`;
    const known = waiting.get(name);
    if (known) known.requests += row.requests;
    else if (waiting.size < waitingMax) waiting.set(name, row);
    else dropped.inc(row.requests);
  }

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    // Sorted by the primary key, so that two gateways never wait for each other's rows.
    const rows = [...waiting.values()].sort((a, b) => (a.day + a.keyId < b.day + b.keyId ? -1 : 1));
    waiting = new Map();
    try {
      await db.query(write, toColumns(rows, ...columns));
      isFailing = false;
    } catch (error) {
      for (const row of rows) merge(row);
      if (!isFailing)
        log.warn({ reason: getErrorMessage(error) }, 'the usage of API keys cannot be written; it is kept');
      isFailing = true;
    }
  }

  let flushing = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, flushEveryMs);
  timer.unref();

  return {
    add: (keyId, integrator) => {
      const day = new Date(nowMs()).toISOString().slice(0, 10);
      merge({ day, keyId, integrator, requests: 1 });
    },
    close: async () => {
      clearInterval(timer);
      await flushing;
      await flush();
      for (const { requests } of waiting.values()) dropped.inc(requests);
    },
  };
}
