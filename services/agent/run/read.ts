import { once } from 'node:events';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import type { z } from 'zod';
import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import { type Run, readLines, readRun, readRuns, runsChannel } from '../../../db/queries/agent/runs.ts';
import { readWallets, type Wallet } from '../../../db/queries/wallets/wallets.ts';
import { type runBody, type runsBody, runsRequest, streamRequest } from '../../../lib/agent/shapes.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { type Exchange, sendPrivateJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { type Caller, type FindCaller, requireWallet } from '../access/caller.ts';
import type { NodeChoice } from '../chain/node.ts';

export interface ReadDependencies extends FollowDependencies {
  nodes: NodeChoice;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  findCaller: FindCaller;
}

export function sendRun(exchange: Exchange, run: Run): void {
  identifyRun(exchange, { run: Number(run.id), attempt: run.attempt });
  sendPrivateJson(exchange, run as z.infer<typeof runBody>);
}

/** The number in a path of a run; undefined for what names none. */
export function runNumber(id: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/**
 * The run of the path. Ids are easy to guess: a run of another's wallet is answered as one that does not exist.
 * @throws ProblemError 401, 404
 */
async function requireRun(
  { db, findCaller }: ReadDependencies,
  exchange: Exchange,
  { id }: { id: string },
): Promise<Run> {
  const caller = await findCaller(exchange);
  const number = runNumber(id);
  const run = number === undefined ? undefined : await readRun(db, number);
  if (!run) throw runNotFound();
  const network = run.network as Network;
  const [wallet] = await readWallets(db, [{ network, walletId: run.walletId }]);
  try {
    requireWallet(caller, network, run.walletId, wallet?.owner);
  } catch (error) {
    throw error instanceof ProblemError && error.status === 403 ? runNotFound() : error;
  }
  return run;
}

export function runNotFound(): ProblemError {
  return problem('run_not_found', 'There is no run with this id, or it belongs to another wallet.');
}

const getRuns = route({
  method: 'get',
  path: '/api/agent/runs',
  query: runsRequest,
  async handler({ exchange, query }, dependencies: ReadDependencies) {
    const { walletId, limit, cursor, network = dependencies.defaultNetwork } = query;
    await authorize(dependencies, exchange, { network, walletId });
    const { items, cursors, hasMore } = cutPage(
      await readRuns(dependencies.db, { network, walletId, limit, cursor }),
    );
    const nextCursor = hasMore ? { nextCursor: cursors.at(-1) } : {};
    const answer = { count: items.length, runs: items, ...nextCursor } as z.infer<typeof runsBody>;
    sendPrivateJson(exchange, answer);
  },
});

const getRun = route({
  method: 'get',
  path: '/api/agent/runs/:id',
  async handler({ exchange, parameters }, dependencies: ReadDependencies) {
    sendRun(exchange, await requireRun(dependencies, exchange, parameters));
  },
});

const getRunStream = route({
  method: 'get',
  path: '/api/agent/runs/:id/stream',
  mediaType: 'application/x-ndjson',
  query: streamRequest,
  async handler({ exchange, parameters, query: { from } }, dependencies: ReadDependencies) {
    const { id, attempt } = await requireRun(dependencies, exchange, parameters);
    await followRun(dependencies, exchange, { run: Number(id), attempt }, from);
  },
});

/** Reads of one run, for the callers of its wallet. They begin nothing, so a client reattaches by them. */
export const readRoutes = [getRuns, getRun, getRunStream];

/** Finds the caller and the wallet, and verifies that the caller may use the wallet. */
export async function authorize(
  dependencies: Pick<ReadDependencies, 'db' | 'findCaller' | 'nodes'>,
  exchange: Exchange,
  { network, walletId }: { network: Network; walletId: string },
): Promise<{ caller: Caller; wallet: Wallet }> {
  const caller = await dependencies.findCaller(exchange);
  dependencies.nodes(network);
  const [wallet] = await readWallets(dependencies.db, [{ network, walletId }]);
  requireWallet(caller, network, walletId, wallet?.owner);
  if (wallet) return { caller, wallet };
  throw problem(
    'wallet_not_found',
    `There is no wallet ${walletId} on ${network}, or it is not indexed yet.`,
    { status: 404 },
  );
}

export interface FollowDependencies {
  db: Pool;
  wakers: Wakers;
  /** Aborted when the service closes: streams end then, and the runs go on at their next start. */
  signal: AbortSignal;
}

/** Headers of every answer about a run. */
function identifyRun({ res }: Exchange, { run, attempt }: { run: number; attempt: number }): void {
  res.setHeader('x-run-id', String(run));
  res.setHeader('x-run-attempt', String(attempt));
}

/**
 * Writes a run's lines as newline-delimited JSON, those that are recorded and those to come, until it has ended or
 * waits for an operator. The same for a run that is under way, wherever it is driven, and for one that ended long ago.
 */
export async function followRun(
  { db, wakers, signal }: FollowDependencies,
  exchange: Exchange,
  followed: { run: number; attempt: number },
  from = 0,
): Promise<void> {
  const { res } = exchange;
  const { run } = followed;
  identifyRun(exchange, followed);
  res.writeHead(200, {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // There may be no line to come for long, and who asks waits for the head.
  res.flushHeaders();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const over = AbortSignal.any([signal, gone.signal]);
  // Before the first read, so that nothing comes between.
  using waker = wakers.of(run);
  for (let place = from; !over.aborted; ) {
    const { ended, lines } = await readLines(db, run, place);
    place += lines.length;
    if (over.aborted) break;
    if (lines.length > 0 && !res.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))) {
      await once(res, 'drain', { signal: over }).catch(() => undefined);
    }
    if (ended) break;
    await waker.woken(over);
  }
  res.end();
}

/** Wakes a follower of a run when the run may have new lines. */
interface Waker extends Disposable {
  /** Resolves at once if a notification came since it last resolved, else with the next one, or when the signal aborts. */
  woken(signal: AbortSignal): Promise<void>;
}

interface Wakers {
  of(run: number): Waker;
  close(): Promise<void>;
}

interface Entry {
  told: boolean;
  resolve: (() => void) | undefined;
}

/** One connection that listens for what any process writes of any run. */
export function openWakers(db: Database, log: Logger): Wakers {
  const entries = new Map<number, Set<Entry>>();
  const tell = (entry: Entry) => {
    entry.told = true;
    entry.resolve?.();
  };
  const listener = listen({
    url: db.url,
    channels: [runsChannel],
    onNotification: (_channel, run) => entries.get(Number(run))?.forEach(tell),
    onConnected: () => {
      for (const waiting of entries.values()) waiting.forEach(tell);
    },
    log,
  });
  return {
    of(run) {
      const entry: Entry = { told: false, resolve: undefined };
      const waiting = entries.get(run) ?? new Set();
      entries.set(run, waiting.add(entry));
      return {
        async woken(signal) {
          if (!entry.told && !signal.aborted) {
            await new Promise<void>((resolve) => {
              entry.resolve = resolve;
              signal.addEventListener('abort', () => resolve(), { once: true });
            });
          }
          entry.told = false;
        },
        [Symbol.dispose]() {
          waiting.delete(entry);
          if (waiting.size === 0) entries.delete(run);
        },
      };
    },
    close: () => listener.close(),
  };
}
