import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Request, Response, Router } from 'express';
import type { z } from 'zod';
import { type Run, readRun } from '../../../db/queries/agent/runs.ts';
import { readWallets } from '../../../db/queries/wallets/wallets.ts';
import { type runBody, streamRequest } from '../../../lib/agent/shapes.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { type FindCaller, requireWallet } from '../access/caller.ts';
import { sendJson } from '../server/exchange.ts';
import { searchOf } from '../server/search.ts';
import { type FollowHost, followRun, identifyRun } from './follow.ts';
import { runNotFound } from './refusals.ts';

export interface ReadHost extends FollowHost {
  findCaller: FindCaller;
}

/** Reads of one run, for the callers of its wallet. They begin nothing, so a client reattaches by them. */
export function readRoutes(router: Router, host: ReadHost): void {
  router.get('/api/agent/runs/:id', (req, res) => show(host, req, res));
  router.get('/api/agent/runs/:id/stream', (req, res) => stream(host, req, res));
}

async function show(host: ReadHost, req: Request, res: Response): Promise<void> {
  sendRun(res, await requireRun(host, req));
}

async function stream(host: ReadHost, req: Request, res: Response): Promise<void> {
  const { from } = parseQuery(streamRequest, searchOf(req));
  const { id, attempt } = await requireRun(host, req);
  await followRun(host, { run: Number(id), attempt }, res, from);
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
async function requireRun({ db, findCaller }: ReadHost, req: Request): Promise<Run> {
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
