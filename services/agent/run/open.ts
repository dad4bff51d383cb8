import { createHash } from 'node:crypto';
import type { Network } from '@adaptor-marketplace/adaptor';
import canonicalize from 'canonicalize';
import { operator } from '../../../db/queries/agent/access.ts';
import { findRuns, type Opening, type OverLimit, openRun } from '../../../db/queries/agent/open-run.ts';
import { hasPlan } from '../../../db/queries/agent/operator.ts';
import {
  type ActionRequest,
  callerRequest,
  namedSpends,
  settledRequest,
} from '../../../lib/actions/request.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { route } from '../../../lib/http/route.ts';
import { type Caller, type FindCaller, forbidden } from '../access/caller.ts';
import type { NodeChoice } from '../chain/node.ts';
import { driveRun, type ExecuteDependencies, progressOf } from './execute.ts';
import {
  limitCode,
  limitReached,
  openingClaims,
  type RunAccount,
  requireScope,
  secondsOfDayLeft,
  unplannedOpenMax,
} from './limits.ts';
import { passed } from './progress.ts';
import { authorize, type FollowDependencies, followRun } from './read.ts';
import type { DrivenRuns, Worker } from './workers.ts';

export interface RunDependencies extends ExecuteDependencies, Omit<FollowDependencies, 'db'> {
  findCaller: FindCaller;
  nodes: NodeChoice;
  worker: Worker;
  paywallUrl: string | undefined;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  driven: DrivenRuns;
}

/** Runs an action. Errors before the first line of the stream are HTTP problems; each check runs after those above it. */
export const postRun = route({
  method: 'post',
  path: '/api/agent/run',
  mediaType: 'application/x-ndjson',
  body: callerRequest,
  bodyBytesMax: 64 * 1024,
  async handler({ exchange, body }, dependencies: RunDependencies) {
    const request = settledRequest(body, dependencies.defaultNetwork);
    const { caller, wallet } = await authorize(dependencies, exchange, request);
    if (caller.kind === 'admin') {
      throw forbidden(
        'forbidden',
        'The admin secret cannot run actions. Use it to issue an executor key for the wallet.',
      );
    }
    if (wallet.owner !== request.owner) {
      throw forbidden(
        'wrong_owner',
        `The owner of the wallet is ${wallet.owner}, not the owner in the request.`,
      );
    }
    if (caller.kind === 'key') {
      requireScope(caller.scope, request, dependencies.nodes(request.network).settings.slots);
    }
    const account = await accountOf(dependencies, request, caller);
    const opened = await runOf(dependencies, request, caller, account);
    await followRun(dependencies, exchange, opened);
  },
});

/**
 * Finds the subjects whose limits the run counts towards. A key that an owner issued does not make the run planned.
 * @throws ProblemError 402 if a plan is required and the owner has none
 */
async function accountOf(
  { paywallUrl, db, now }: RunDependencies,
  { walletId, owner }: ActionRequest,
  caller: Caller,
): Promise<RunAccount> {
  const byOperator = caller.kind === 'internal' || (caller.kind === 'key' && caller.issuedBy === operator);
  const hasOne = (paywallUrl !== undefined || !byOperator) && (await hasPlan(db, owner, now()));
  if (paywallUrl !== undefined && !hasOne) throw planRequired(paywallUrl);
  const key = caller.kind === 'key' ? { key: { id: caller.id, scope: caller.scope } } : {};
  return { walletId, owner, planned: byOperator || hasOne, ...key };
}

/** Opens a run for the request, or finds its latest run if the request was sent before. */
async function runOf(
  dependencies: RunDependencies,
  request: ActionRequest,
  caller: Caller,
  account: RunAccount,
): Promise<{ run: number; attempt: number }> {
  const requestHash = hashOf(request);
  const { walletId, network, requestId = null } = request;
  const { known, busy } = await findRuns(dependencies.db, { network, walletId, requestId });
  if (known && known.requestHash !== requestHash) throw requestIdReused();
  if (known && !known.repeatable) return known;
  // Of several processes that begin the same attempt at once, one opens it and the others follow it.
  const attempt = (known?.attempt ?? 0) + 1;
  const begin = () =>
    dependencies.driven.opening(() => open(dependencies, request, { requestHash, attempt }, caller, account));
  let opening: Opening = busy ?? (await begin());
  if (opening.kind === 'busy' && opening.unsettled === null && opening.worker !== dependencies.worker.id()) {
    // The run may belong to a worker that is dead.
    await dependencies.recover();
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
      throw overLimit(opening.limit, dependencies.now());
    case 'crowded':
      throw tooManyOpen(opening.whose);
  }
}

async function open(
  dependencies: RunDependencies,
  request: ActionRequest,
  { requestHash, attempt }: { requestHash: string; attempt: number },
  caller: Caller,
  account: RunAccount,
): Promise<Opening> {
  const { network, walletId, owner, action, requestId = null } = request;
  const worker = dependencies.worker.id();
  const lines = [
    { step: 'validate', status: 'active' } as const,
    ...passed('validate'),
    ...passed('authorize'),
    ...passed('guard'),
  ];
  const claims = openingClaims(account, namedSpends(request), dependencies);
  const opening = await openRun(dependencies.db, {
    ...{ network, walletId, owner, action, requestId, attempt, requestHash, worker, claims, lines },
    openMax: account.planned ? undefined : unplannedOpenMax,
    request: { ...request },
    caller: nameOf(caller),
    agent: dependencies.signer.address,
    startedAt: dependencies.now(),
  });
  if (opening.kind === 'opened') {
    const open = { run: opening.run, places: lines.length, step: 'draft' };
    const progress = progressOf(dependencies, open, worker);
    const node = dependencies.nodes(network);
    const begun = { run: opening.run, worker, request, account, node, progress };
    dependencies.driven.drive(begun, driveRun(dependencies, begun));
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

const planRequired = (url: string): ProblemError =>
  problem('plan_required', `The owner of the wallet has no active plan. Get one at ${url}.`);

const requestIdReused = (): ProblemError =>
  problem(
    'request_id_reused',
    'Another action was sent with this requestId. Use a new requestId for each action.',
    {
      errors: [{ path: 'body.requestId', message: 'used by another action' }],
    },
  );

const alreadyRunning = (): ProblemError =>
  problem(
    'already_running',
    'Another action of this wallet is running. Send the request again when it has ended.',
  );

const awaitingSettlement = (run: number): ProblemError =>
  problem(
    'awaiting_settlement',
    `No node can say whether run ${run} of this wallet executed. The wallet stays locked until the operator settles that run.`,
  );

const frozen = ({ all, reason }: { all: boolean; reason: string }): ProblemError =>
  problem('frozen', `The operator has frozen ${all ? 'all wallets' : 'this wallet'}: ${reason}`);

function tooManyOpen(whose: 'owner' | 'all'): ProblemError {
  const { ofAll, ofOwner } = unplannedOpenMax;
  const open =
    whose === 'owner'
      ? `${ofOwner} actions of this owner's wallets are running`
      : `${ofAll} actions of callers without a plan are running`;
  return problem(
    'too_many_runs',
    `${open}, the maximum. Send the request again when one has ended. A plan, or an executor key issued by the operator, has no such limit.`,
  );
}

const overLimit = (limit: OverLimit, now: Date): ProblemError =>
  problem(limitCode(limit), `${limitReached(limit)} The day ends at 0:00 UTC.`, {
    headers: { 'retry-after': String(secondsOfDayLeft(now)) },
  });
