import { once } from 'node:events';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import type { z } from 'zod';
import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import { type Run, readLines, readRun, readRuns, runsChannel } from '../../../db/queries/agent/runs.ts';
import { readWallets, type Wallet } from '../../../db/queries/wallets/wallets.ts';
import { type runBody, type runsBody, runsRequest, streamRequest } from '../../../lib/agent/shapes.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { searchOf } from '../../../lib/http/exchange.ts';
import { parseQuery } from '../../../lib/http/parse.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { type Caller, type FindCaller, requireWallet } from '../access/caller.ts';
import type { NodeChoice } from '../chain/node.ts';
import { type RouteList, sendJson } from '../server/routes.ts';

interface ReadDependencies extends FollowDependencies {
  nodes: NodeChoice;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  findCaller: FindCaller;
}

/** Reads of one run, for the callers of its wallet. They begin nothing, so a client reattaches by them. */
export function readRoutes(router: RouteList, dependencies: ReadDependencies): void {
  router.get('/api/agent/runs', (req, res) => list(dependencies, req, res));
  router.get('/api/agent/runs/:id', (req, res) => show(dependencies, req, res));
  router.get(
    '/api/agent/runs/:id/stream',
    (req, res) => stream(dependencies, req, res),
    'application/x-ndjson',
  );
}

async function show(dependencies: ReadDependencies, req: Request, res: Response): Promise<void> {
  sendRun(res, await requireRun(dependencies, req));
}

async function stream(dependencies: ReadDependencies, req: Request, res: Response): Promise<void> {
  const { from } = parseQuery(streamRequest, searchOf({ req }));
  const { id, attempt } = await requireRun(dependencies, req);
  await followRun(dependencies, { run: Number(id), attempt }, res, from);
}

export function sendRun(res: Response, run: Run): void {
  identifyRun(res, { run: Number(run.id), attempt: run.attempt });
  sendJson(res, run as z.infer<typeof runBody>);
}

/** The number in a path of a run; undefined for what names none. */
export function runNumber({ params }: Request): number | undefined {
  const id = String(params.id);
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/**
 * The run of the path. Ids are easy to guess: a run of another's wallet is answered as one that does not exist.
 * @throws ProblemError 401, 404
 */
async function requireRun({ db, findCaller }: ReadDependencies, req: Request): Promise<Run> {
  const caller = await findCaller(req);
  const number = runNumber(req);
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

async function list(dependencies: ReadDependencies, req: Request, res: Response): Promise<void> {
  const { walletId, limit, cursor, ...query } = parseQuery(runsRequest, searchOf({ req }));
  const { network = dependencies.defaultNetwork } = query;
  await authorize(dependencies, req, { network, walletId });
  const { items, cursors, hasMore } = cutPage(
    await readRuns(dependencies.db, { network, walletId, limit, cursor }),
  );
  const nextCursor = hasMore ? { nextCursor: cursors.at(-1) } : {};
  sendJson(res, { count: items.length, runs: items, ...nextCursor } as z.infer<typeof runsBody>);
}

/** Finds the caller and the wallet, and verifies that the caller may use the wallet. */
export async function authorize(
  dependencies: Pick<ReadDependencies, 'db' | 'findCaller' | 'nodes'>,
  req: Request,
  { network, walletId }: { network: Network; walletId: string },
): Promise<{ caller: Caller; wallet: Wallet }> {
  const caller = await dependencies.findCaller(req);
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
function identifyRun(res: Response, { run, attempt }: { run: number; attempt: number }): void {
  res.setHeader('x-run-id', String(run));
  res.setHeader('x-run-attempt', String(attempt));
}

/**
 * Writes a run's lines as newline-delimited JSON, those that are recorded and those to come, until it has ended or
 * waits for an operator. The same for a run that is under way, wherever it is driven, and for one that ended long ago.
 */
export async function followRun(
  { db, wakers, signal }: FollowDependencies,
  followed: { run: number; attempt: number },
  res: Response,
  from = 0,
): Promise<void> {
  const { run } = followed;
  identifyRun(res, followed);
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
  for (let position = from; !over.aborted; ) {
    const { ended, lines } = await readLines(db, run, position);
    position += lines.length;
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
