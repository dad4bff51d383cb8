import { createHash } from 'node:crypto';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import canonicalize from 'canonicalize';
import type { Request, Response, Router } from 'express';
import type { z } from 'zod';
import { operator } from '../../../db/queries/agent/access.ts';
import { findRuns, type Opening, type OverLimit, openRun } from '../../../db/queries/agent/open-run.ts';
import { hasPlan } from '../../../db/queries/agent/operator.ts';
import { type ActionRequest, callerRequest } from '../../../lib/actions/request.ts';
import { namedSpends } from '../../../lib/actions/requirements.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { parseBody } from '../../../lib/http/body.ts';
import { type Caller, type FindCaller, forbidden } from '../access/caller.ts';
import { requireScope } from '../access/scope.ts';
import type { NodeChoice } from '../chain/node.ts';
import { type DriveHost, driveRun, progressOf } from './execute.ts';
import {
  limitCode,
  limitReached,
  openingClaims,
  type RunAccount,
  secondsOfDayLeft,
  unplannedOpenMax,
} from './limits.ts';
import { passed } from './progress.ts';
import { authorize, type FollowHost, followRun } from './read.ts';
import type { DrivenRuns, Worker } from './workers.ts';

export interface RunHost extends DriveHost, Omit<FollowHost, 'db'> {
  findCaller: FindCaller;
  nodes: NodeChoice;
  worker: Worker;
  paywallUrl: string | undefined;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  driven: DrivenRuns;
}

const bodyBytesMax = 64 * 1024;

/** Running actions, and what was run. */
export function runRoutes(router: Router, host: RunHost): void {
  const schema = callerRequest(host.defaultNetwork);
  router.post('/api/agent/run', (req, res) => run(host, schema, req, res));
}

/** What fails before the first line of the stream is an HTTP status; each gate stands behind those above it. */
async function run(
  host: RunHost,
  schema: z.ZodType<ActionRequest>,
  req: Request,
  res: Response,
): Promise<void> {
  const request = await parseBody({ req }, schema, bodyBytesMax);
  const { caller, wallet } = await authorize(host, req, request);
  if (caller.kind === 'admin') {
    throw forbidden(
      'forbidden',
      'The admin secret runs nothing: issue an executor key for the wallet with it.',
    );
  }
  if (wallet.owner !== request.owner) {
    throw forbidden(
      'wrong_owner',
      `The wallet is of ${wallet.owner}, not of the owner that the request names.`,
    );
  }
  if (caller.kind === 'key') {
    requireScope(caller.scope, request, host.nodes(request.network).settings.slots);
  }
  const account = await accountOf(host, request, caller);
  await followRun(host, await runOf(host, request, caller, account), res);
}

/**
 * On whose account the run takes of the limits. A key that an owner made for free vouches for no one.
 * @throws ProblemError 402 where a plan is needed and there is none
 */
async function accountOf(
  { paywallUrl, db, now }: RunHost,
  { walletId, owner }: ActionRequest,
  caller: Caller,
): Promise<RunAccount> {
  const byOperator = caller.kind === 'internal' || (caller.kind === 'key' && caller.issuedBy === operator);
  const hasOne = (paywallUrl !== undefined || !byOperator) && (await hasPlan(db, owner, now()));
  if (paywallUrl !== undefined && !hasOne) throw planRequired(paywallUrl);
  const key = caller.kind === 'key' ? { key: { id: caller.id, scope: caller.scope } } : {};
  return { walletId, owner, planned: byOperator || hasOne, ...key };
}

/** The run that the request begins, or the latest that it began when it was sent before. */
async function runOf(
  host: RunHost,
  request: ActionRequest,
  caller: Caller,
  account: RunAccount,
): Promise<{ run: number; attempt: number }> {
  const requestHash = hashOf(request);
  const { walletId, network, requestId = null } = request;
  const { known, busy } = await findRuns(host.db, { network, walletId, requestId });
  if (known && known.requestHash !== requestHash) throw requestIdReused();
  if (known && !known.repeatable) return known;
  // Of several processes that begin the same attempt at once, one opens it and the others follow it.
  const attempt = (known?.attempt ?? 0) + 1;
  const begin = () =>
    host.driven.opening(() => open(host, request, { requestHash, attempt }, caller, account));
  let opening: Opening = busy ?? (await begin());
  if (opening.kind === 'busy' && opening.unsettled === null && opening.worker !== host.worker.id()) {
    // Perhaps with a run whose worker lives no more.
    await host.recover();
    opening = await begin();
  }
  switch (opening.kind) {
    case 'known':
      if (opening.requestHash !== requestHash) throw requestIdReused();
      return opening;
    case 'opened':
      return { run: opening.run, attempt };
    case 'busy':
      throw opening.unsettled === null ? alreadyRunning() : awaitingSettlement(opening.unsettled);
    case 'frozen':
      throw frozen(opening);
    case 'overLimit':
      throw overLimit(opening.limit, host.now());
    case 'crowded':
      throw tooManyOpen(opening.whose);
  }
}

async function open(
  host: RunHost,
  request: ActionRequest,
  { requestHash, attempt }: { requestHash: string; attempt: number },
  caller: Caller,
  account: RunAccount,
): Promise<Opening> {
  const { network, walletId, owner, action, requestId = null } = request;
  const worker = host.worker.id();
  const lines = [
    { step: 'validate', status: 'active' } as const,
    ...passed('validate'),
    ...passed('authorize'),
    ...passed('guard'),
  ];
  const claims = openingClaims(account, namedSpends(request), host);
  const opening = await openRun(host.db, {
    ...{ network, walletId, owner, action, requestId, attempt, requestHash, worker, claims, lines },
    openMax: account.planned ? undefined : unplannedOpenMax,
    request: { ...request },
    caller: nameOf(caller),
    agent: host.signer.address,
    startedAt: host.now(),
  });
  if (opening.kind === 'opened') {
    const open = { run: opening.run, places: lines.length, step: 'draft' };
    const progress = progressOf(host, open, worker);
    const node = host.nodes(network);
    const begun = { run: opening.run, worker, request, account, node, progress };
    host.driven.drive(begun, driveRun(host, begun));
  }
  return opening;
}

const hashOf = ({ requestId: _, ...request }: ActionRequest) =>
  createHash('sha256')
    .update(canonicalize(request) ?? '')
    .digest('hex');

function nameOf(caller: Caller): string {
  if (caller.kind === 'key') return `key:${caller.id}`;
  return caller.kind === 'session' ? `session:${caller.address}` : caller.kind;
}

/** What a run is refused with before it begins. */

function planRequired(url: string): ProblemError {
  return new ProblemError({
    status: 402,
    code: 'plan_required',
    title: 'Plan required',
    detail: `The owner of the wallet has no active plan. Get one at ${url}.`,
  });
}

function requestIdReused(): ProblemError {
  return new ProblemError({
    status: 422,
    code: 'request_id_reused',
    title: 'Request id used before',
    detail: 'Another action was sent under this requestId before. Choose a new one for each action.',
    errors: [{ path: 'body.requestId', message: 'is that of another action' }],
  });
}

function alreadyRunning(): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'already_running',
    title: 'Already running',
    detail: 'Another action of this wallet is under way; send this one again when it has ended.',
    headers: { 'retry-after': '1' },
  });
}

function awaitingSettlement(run: number): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'awaiting_settlement',
    title: 'Awaiting settlement',
    detail: `No node can say whether run ${run} of this wallet executed. The wallet stays locked until the operator settles that run.`,
  });
}

function frozen({ all, reason }: { all: boolean; reason: string }): ProblemError {
  return new ProblemError({
    status: 403,
    code: 'frozen',
    title: 'Frozen',
    detail: `The host runs nothing for ${all ? 'any wallet' : 'this wallet'} at present: ${reason}`,
  });
}

function tooManyOpen(whose: 'owner' | 'all'): ProblemError {
  const { ofAll, ofOwner } = unplannedOpenMax;
  const open =
    whose === 'owner'
      ? `${ofOwner} actions of this owner's wallets are under way`
      : `${ofAll} actions of callers without a plan are under way`;
  return new ProblemError({
    ...{ status: 429, code: 'too_many_runs', title: 'Too many runs' },
    detail: `${open}, the most at a time. Send the request again when one has ended; with a plan, or an executor key of the operator, there is no such limit.`,
    headers: { 'retry-after': '2' },
  });
}

const limitTitles = { daily_limit: 'Daily limit', gas_limit: 'Gas limit', run_limit: 'Run limit' };

function overLimit(limit: OverLimit, now: Date): ProblemError {
  const code = limitCode(limit);
  return new ProblemError({
    ...{ status: 429, code, title: limitTitles[code] },
    detail: `${limitReached(limit)} Days begin at 0:00 UTC.`,
    headers: { 'retry-after': String(secondsOfDayLeft(now)) },
  });
}
