import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import pg from 'pg';
import {
  adoptOrphans,
  holdWorkerLock,
  type OpenRun,
  readOpenRuns,
  readOwnRuns,
} from '../../../db/queries/agent/locks.ts';
import type { Driven } from '../../../db/queries/agent/runs.ts';
import { RunFailure } from '../../../lib/agent/run-failure.ts';
import { singleFlight } from '../../../lib/concurrency/single-flight.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Node, NodeChoice } from '../chain/node.ts';
import { createProgress, type ExecuteDependencies, resumeRun } from './execute.ts';

/** This process among those that execute runs: alive for as long as its database connection is open. */
export interface Worker {
  /**
   * Returns the number under which the worker drives runs.
   * @throws ProblemError 503 while the connection is broken
   */
  id(): number;
  /** Assigns the open runs of dead workers to this worker. Resolves to its number. */
  adopt(): Promise<number>;
  close(): Promise<void>;
}

interface WorkerOptions {
  databaseUrl: string;
  /** Called when it has reconnected, under another number, after its connection broke. */
  onRevived(): void;
  log: Logger;
}

const retryMs = 500;
const connectMs = 10_000;

/**
 * Resolves when the worker holds its lock. After a broken connection it reconnects under another number, and its runs
 * are orphaned.
 */
export async function startWorker({ databaseUrl, onRevived, log }: WorkerOptions): Promise<Worker> {
  const stop = new AbortController();
  let held: { client: pg.Client; id: number } | undefined;
  const revival = singleFlight(revive);
  /**
   * The last statement on the connection. Statements run one after the other, and locks must be released before the
   * next one.
   */
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
    // Only now, because a failed attempt also emits `end`, and each would start attempts of its own.
    client.once('end', () => {
      held = undefined;
      if (!stop.signal.aborted) void revival.run();
    });
  }

  async function revive(): Promise<void> {
    log.warn('lost the connection that holds the lock of this agent worker');
    while (!held) {
      await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      await connect().then(onRevived, (error) =>
        log.debug({ reason: getErrorMessage(error) }, 'no connection yet'),
      );
    }
  }

  const alive = () => {
    if (held) return held;
    throw problem('database_unavailable', 'The database is unreachable. Send the request again shortly.');
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
      await revival.idle();
      await held?.client.end();
    },
  };
}

/** The runs that this process drives, each under the worker number that it began with. */
export interface DrivenRuns {
  /** Calls `open`, which opens a run and calls `drive` for it before it resolves. */
  opening<T>(open: () => Promise<T>): Promise<T>;
  /** Counts the run as driven until `work` has ended. `work` never rejects. */
  drive(driven: Driven, work: Promise<void>): void;
  /**
   * Resolves to those of the open runs of `worker` that nothing here drives. `openRuns` reads the ids; it is called
   * again, so that a run which ends meanwhile is not among them.
   */
  undriven(worker: number, openRuns: () => Promise<readonly number[]>): Promise<number[]>;
  /** Resolves when all work has ended. */
  ended(): Promise<void>;
}

export function drivenRuns(): DrivenRuns {
  const opens = new Set<Promise<unknown>>();
  const driving = new Map<string, Promise<void>>();
  const buildKey = ({ run, worker }: Driven) => `${worker} ${run}`;
  return {
    async opening(open) {
      const opened = open();
      opens.add(opened);
      try {
        return await opened;
      } finally {
        opens.delete(opened);
      }
    },
    drive(driven, work) {
      const name = buildKey(driven);
      driving.set(name, work);
      void work.finally(() => driving.delete(name));
    },
    async undriven(worker, openRuns) {
      const candidates = await openRuns();
      if (candidates.length === 0) return [];
      // A run that is stored already may be about to be driven.
      await Promise.allSettled(opens);
      const left = candidates.filter((run) => !driving.has(buildKey({ run, worker })));
      if (left.length === 0) return [];
      // Driving may have ended after the first read, and with it the run.
      const open = new Set(await openRuns());
      return left.filter((run) => open.has(run));
    },
    async ended() {
      await Promise.allSettled(driving.values());
    },
  };
}

const interrupted = new RunFailure(
  'interrupted',
  'The service stopped before anything was signed. Nothing was spent. Send the same request again.',
);

interface RecoveryDependencies {
  worker: Worker;
  nodes: NodeChoice;
  dependencies: ExecuteDependencies;
  driven: DrivenRuns;
}

/**
 * Takes up open runs that nothing drives: runs of dead workers, own runs that stopped with an unexpected error, and own
 * runs whose opening got no answer from the database. It sends the same bytes of a signed run again and settles it in
 * the background. It ends the runs that were not signed. Resolves when all runs are taken up and the unsigned ones have
 * ended.
 */
export function recovery({ worker, nodes, dependencies, driven }: RecoveryDependencies): () => Promise<void> {
  async function recover(): Promise<void> {
    const own = await worker.adopt();
    const runs = await driven.undriven(own, () => readOwnRuns(dependencies.db, own));
    const open = await readOpenRuns(dependencies.db, own, runs);
    await Promise.all(open.map((run) => takeUp(run, own)));
  }

  async function takeUp(open: OpenRun, number: number): Promise<void> {
    const { run, network, transaction, signatures, digest, bounds, signedCheckpoint } = open;
    const progress = createProgress(dependencies, open, number);
    if (!transaction || signatures === null || digest === null) {
      dependencies.log.warn({ run, state: open.state }, 'took over a run');
      await progress.fail(interrupted).catch(() => undefined);
      return;
    }
    const node = findNode(network as Network);
    if (!node) {
      dependencies.log.error(
        { run, network, digest },
        'a signed run is on a network that is not configured; it stays open',
      );
      return;
    }
    dependencies.log.warn({ run, state: open.state, digest }, 'took over a run');
    const { walletId, action } = open;
    const signed = { run, worker: number, request: { walletId, action }, node, progress };
    const resumed = resumeRun(dependencies, signed, {
      transaction,
      signatures,
      digest,
      bounds,
      signedCheckpoint,
    });
    driven.drive(signed, resumed);
  }

  function findNode(network: Network): Node | undefined {
    try {
      return nodes(network);
    } catch (error) {
      if (error instanceof ProblemError) return undefined;
      throw error;
    }
  }

  return singleFlight(() =>
    recover().catch((error) =>
      dependencies.log.warn({ reason: getErrorMessage(error) }, 'could not look for orphaned runs'),
    ),
  ).run;
}
