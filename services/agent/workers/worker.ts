import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import pg from 'pg';
import { adoptOrphans, holdWorkerLock } from '../../../db/queries/agent/orphans.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** This process among those that drive runs: alive for as long as its connection to the database stands. */
export interface Worker {
  /**
   * The number under which it drives runs.
   * @throws ProblemError 503 while the connection is broken
   */
  id(): number;
  /** Makes the open runs of workers that live no more this worker's. Resolves to its number. */
  adopt(): Promise<number>;
  close(): Promise<void>;
}

export interface WorkerOptions {
  databaseUrl: string;
  /** Called when it lives again, under another number, after its connection broke. */
  onRevived(): void;
  log: Logger;
}

const retryMs = 500;
const connectMs = 10_000;

/** Resolves when the worker lives. After a broken connection it lives on under another number, its runs orphaned. */
export async function startWorker({ databaseUrl, onRevived, log }: WorkerOptions): Promise<Worker> {
  const stop = new AbortController();
  let held: { client: pg.Client; id: number } | undefined;
  let reviving: Promise<void> | undefined;
  /** Statements on a connection go one after the other, and locks must be given back before another asks. */
  let last: Promise<unknown> = Promise.resolve();

  async function connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'agent worker',
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', () => undefined);
    const id = randomBytes(6).readUIntBE(0, 6);
    try {
      await client.connect();
      await holdWorkerLock(client, id);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    held = { client, id };
    // Not before: an attempt in vain ends too, and each would begin attempts of its own.
    client.once('end', () => {
      held = undefined;
      if (stop.signal.aborted) return;
      reviving ??= revive().finally(() => {
        reviving = undefined;
      });
    });
  }

  async function revive(): Promise<void> {
    log.warn('lost the connection by which this agent worker is known to live');
    while (!held) {
      await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      await connect().then(onRevived, (error) =>
        log.debug({ reason: messageOf(error) }, 'no connection yet'),
      );
    }
  }

  const alive = () => {
    if (held) return held;
    throw new ProblemError({
      status: 503,
      code: 'database_unavailable',
      title: 'Not available',
      detail: 'The database cannot be reached; try again shortly.',
      headers: { 'retry-after': '5' },
    });
  };

  await connect();
  return {
    id: () => alive().id,
    async adopt() {
      const { client, id } = alive();
      const adopting = last.then(() => adoptOrphans(client, id));
      last = adopting.catch(() => undefined);
      await adopting;
      return id;
    },
    async close() {
      stop.abort();
      await reviving;
      await held?.client.end();
    },
  };
}
