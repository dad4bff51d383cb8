import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import pg from 'pg';
import { adoptOrphans, holdWorkerLock } from '../../../db/queries/agent/locks.ts';
import { createSingleFlight } from '../../../lib/concurrency/single-flight.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** A worker that executes runs: this process. Others see it as alive while its database connection is open. */
export interface Worker {
  /** Returns the number under which the worker drives runs. @throws ProblemError 503 while the connection is broken */
  id(): number;
  /** Assigns the open runs of dead workers to this worker. Resolves to its number. */
  adopt(): Promise<number>;
  close(): Promise<void>;
}

interface WorkerOptions {
  /** Url of connections that keep their session. */
  databaseUrl: string;
  /** Called after a broken connection is replaced. The worker then has another number. */
  onReconnected(): void;
  log: Logger;
}

const retryMs = 500;
const connectMs = 10_000;

/** Resolves when the worker holds its lock. After a reconnection it has another number, and its open runs count as orphaned. */
export async function startWorker({ databaseUrl, onReconnected, log }: WorkerOptions): Promise<Worker> {
  const stop = new AbortController();
  let connection: { client: pg.Client; id: number } | undefined;
  const reconnection = createSingleFlight(reconnect);
  /** Last takeover on the connection. The next one waits until it has released its locks. */
  let lastTakeover: Promise<unknown> = Promise.resolve();

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
    connection = { client, id };
    // Registered only now, because a failed attempt also emits `end`, and would start attempts of its own.
    client.once('end', () => {
      connection = undefined;
      if (!stop.signal.aborted) void reconnection.run();
    });
  }

  async function reconnect(): Promise<void> {
    log.warn('lost the connection that holds the lock of this agent worker');
    while (!connection) {
      await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      await connect().then(onReconnected, (error) =>
        log.debug({ reason: getErrorMessage(error) }, 'no connection yet'),
      );
    }
  }

  const requireConnection = () => {
    if (connection) return connection;
    throw problem('database_unavailable', 'The database is unreachable. Send the request again shortly.');
  };

  await connect();
  return {
    id: () => requireConnection().id,
    async adopt() {
      const { client, id } = requireConnection();
      const adopting = lastTakeover.then(() => adoptOrphans(client, id));
      lastTakeover = adopting.catch(() => undefined);
      await adopting;
      return id;
    },
    async close() {
      stop.abort();
      await reconnection.idle();
      await connection?.client.end();
    },
  };
}
