import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openDatabase } from '../../db/client.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { endChild } from '../../test/support/end-child.ts';
import { measureCost } from '../index/server.ts';
import type { IndexerUsage } from './indexer-process.ts';
import type { NodeAddress, NodeCounts, NodeOptions } from './node-process.ts';
import { SparseChain } from './sparse-chain.ts';

export interface HistoryNode extends NodeAddress {
  options: NodeOptions;
  readCounts(): Promise<NodeCounts>;
}

/** Sends a message to a process, and returns its answer. */
export async function ask<T>(child: ChildProcess): Promise<T> {
  const answered = once(child, 'message');
  child.send('ask');
  return (await answered)[0] as T;
}

export interface CatchUp {
  seconds: number;
  indexerCpuSeconds: number;
  databaseCpuSeconds: number;
  nodeCpuSeconds: number;
  residentMegabytes: number;
  /** Lists and whole checkpoints that the node was asked for, and matches that it listed. */
  lists: number;
  checkpoints: number;
  items: number;
  /** Time that the source's row named as left, divided by the time that was left. */
  estimates: number[];
  /** Checkpoint from which the second indexer continued. */
  resumedAt: number | undefined;
}

interface CatchUpOptions {
  /** PostgreSQL server. */
  serverUrl: string;
  node: HistoryNode;
  delayMs: number;
  /** Kills the indexer once half of the chain is stored, and starts another. */
  isKilled?: boolean;
}

interface SourceRow {
  checkpoint: number;
  events: number;
  unsettledFrom: number | null;
  secondsLeft: number | null;
  error: string | null;
}

/**
 * Reads the whole chain of a node into an empty database, with an indexer in a process of its own, until all events and what
 * follows from them are committed. @throws Error if an event is missing, stored twice, or not of the chain
 */
export async function catchUp(options: CatchUpOptions): Promise<CatchUp> {
  const { serverUrl, node, delayMs, isKilled = false } = options;
  await using stack = new AsyncDisposableStack();
  const { url: databaseUrl, db } = await openEmptyDatabase(serverUrl, stack);
  const nodeUrl = node.urls[delayMs]!;
  const last = node.options.checkpoints - 1;
  const before = await node.readCounts();
  const usages: IndexerUsage[] = [];
  const guesses: { at: number; left: number }[] = [];
  let resumedAt: number | undefined;

  const run = async () => {
    let indexer = await startIndexerProcess(databaseUrl, nodeUrl, stack);
    for (;;) {
      const row = await readSource(db);
      if (row?.error) throw new Error(row.error);
      if (row && row.secondsLeft !== null) guesses.push({ at: performance.now(), left: row.secondsLeft });
      if (row && row.checkpoint >= last && row.unsettledFrom === null) break;
      if (row && isKilled && resumedAt === undefined && row.checkpoint >= last / 2) {
        usages.push(await ask<IndexerUsage>(indexer));
        await endChild(indexer, 'SIGKILL');
        resumedAt = (await readSource(db))!.checkpoint;
        indexer = await startIndexerProcess(databaseUrl, nodeUrl, stack);
      }
      await delay(50);
    }
    usages.push(await ask<IndexerUsage>(indexer));
  };
  const cost = await measureCost(db.pool, run);
  const ended = performance.now();
  if (isKilled && resumedAt === undefined)
    throw new Error('the chain was read before the indexer was killed');
  await requireComplete(db, new SparseChain(node.options, 0));
  const after = await node.readCounts();
  return {
    seconds: cost.seconds,
    indexerCpuSeconds: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    databaseCpuSeconds: cost.cpuSeconds - cost.clientCpuSeconds,
    nodeCpuSeconds: after.cpuSeconds - before.cpuSeconds,
    residentMegabytes: Math.max(...usages.map(({ residentMegabytes }) => residentMegabytes)),
    lists: after.lists - before.lists,
    checkpoints: after.checkpoints - before.checkpoints,
    items: after.items - before.items,
    estimates: compareEstimates(guesses, ended, cost.seconds),
    resumedAt,
  };
}

/** Estimates of the last three quarters of the time, without the last five seconds, which the interval of the row rounds. */
function compareEstimates(guesses: readonly { at: number; left: number }[], ended: number, seconds: number) {
  return guesses.flatMap(({ at, left }) => {
    const leftSeconds = (ended - at) / 1000;
    return leftSeconds < 0.75 * seconds && leftSeconds > 5 ? [left / leftSeconds] : [];
  });
}

/** Opens an empty database of the server, which the stack closes and drops. */
async function openEmptyDatabase(serverUrl: string, stack: AsyncDisposableStack) {
  const name = `history_${++databases}`;
  const admin = openDatabase(serverUrl, { max: 1 });
  stack.defer(() => admin.close());
  await admin.pool.query(`create database ${name}`);
  stack.defer(() => admin.pool.query(`drop database ${name} with (force)`).then(() => undefined));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const db = openDatabase(url.href, { max: 2 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  return { url: url.href, db };
}

let databases = 0;

async function startIndexerProcess(databaseUrl: string, nodeUrl: string, stack: AsyncDisposableStack) {
  const file = join(import.meta.dirname, 'indexer-process.ts');
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = fork(file, [databaseUrl, nodeUrl], { env });
  stack.defer(() => endChild(child, 'SIGKILL'));
  await once(child, 'message');
  return child;
}

async function readSource({ pool }: Database): Promise<SourceRow | undefined> {
  const { rows } = await pool.query<SourceRow>(
    `select checkpoint, event_count as events, unsettled_from as "unsettledFrom", seconds_left as "secondsLeft",
        last_error as error from sources where checkpoint is not null`,
  );
  return rows[0];
}

/** Compares the positions of all stored events with those of the chain, and what follows from them with their number. */
async function requireComplete({ pool }: Database, chain: SparseChain): Promise<void> {
  const { matches } = chain.shape;
  const { rows: stored } = await pool.query<{ checkpoint: number; index: number }>(
    'select checkpoint, tx_index as index from events order by checkpoint, tx_index, event_index',
  );
  if (stored.length !== matches) throw new Error(`${stored.length} of ${matches} events are stored`);
  for (const [match, { checkpoint, index }] of stored.entries()) {
    if (checkpoint !== chain.findCheckpoint(match) || index !== chain.findIndex(match)) {
      throw new Error(`event ${match} of the chain is missing, or another is stored twice`);
    }
  }
  const { rows } = await pool.query<{ counted: number; folded: number }>(
    `select (select sum(event_count)::int from sources) as counted,
      (select count(*)::int from listing_versions) + (select count(*)::int from attestations) as folded`,
  );
  const { counted, folded } = rows[0]!;
  if (counted !== matches || folded !== matches) {
    throw new Error(`${counted} events are counted and ${folded} applied, of ${matches}`);
  }
}
