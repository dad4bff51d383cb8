import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { adoptOrphans, holdWorkerLock, type OpenRun } from '../../../db/queries/agent/orphans.ts';
import { messageOf, ProblemError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** This process among those that drive runs: alive for as long as its connection to the database stands. */
export interface Worker {
  /**
   * The number under which it drives runs.
   * @throws ProblemError 503 while the connection is broken
   */
  id(): number;
  /** Takes over the open runs of workers that live no more; they are this worker's from then on. */
  adopt(): Promise<{ worker: number; runs: OpenRun[] }>;
  close(): Promise<void>;
}

export interface WorkerOptions {
  databaseUrl: string;
  /** Called when it lives again, under another number, after its connection broke. */
  onRevived(): void;
  log: Logger;
}

const retryMs = 500;

/** Resolves when the worker lives. After a broken connection it lives on under another number, its runs orphaned. */
export async function startWorker({ databaseUrl, onRevived, log }: WorkerOptions): Promise<Worker> {
  const stop = new AbortController();
  let held: { client: pg.Client; id: number } | undefined;
  /** Statements on a connection go one after the other, and locks must be given back before another asks. */
  let last: Promise<unknown> = Promise.resolve();

  async function connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'agent worker',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', () => undefined);
    client.once('end', () => {
      held = undefined;
      if (!stop.signal.aborted) void reconnect();
    });
    await client.connect();
    const id = randomBytes(6).readUIntBE(0, 6);
    await holdWorkerLock(client, id);
    held = { client, id };
  }

  async function reconnect(): Promise<void> {
    log.warn('lost the connection by which this agent worker is known to live');
    while (!held && !stop.signal.aborted) {
      await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined);
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
      return { worker: id, runs: await adopting };
    },
    async close() {
      stop.abort();
      await held?.client.end();
    },
  };
}
