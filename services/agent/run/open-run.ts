import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import {
  type Freeze,
  findRuns,
  type LimitExcess,
  type OpenRunResult,
  openRun,
} from '../../../db/queries/agent/open-run.ts';
import { type ActionRequest, sumNamedSpends } from '../../../lib/actions/request.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { SpanContext } from '../../../lib/tracing/tracing.ts';
import type { Caller, RouteDependencies } from '../access/caller.ts';
import { requireNamedOps } from '../check/listings.ts';
import { selectActor } from '../key/signer.ts';
import type { RunTracker } from './driven-runs.ts';
import { driveRun, type ExecuteDependencies } from './execute.ts';
import {
  buildOpeningClaims,
  countSecondsLeftToday,
  describeLimitExcess,
  type RunAccount,
  toLimitCode,
  unplannedOpenMax,
} from './limits.ts';
import { buildPassedLines, Progress } from './progress.ts';
import { startRunTrace } from './trace-run.ts';
import type { Worker } from './worker.ts';

export interface OpenDependencies extends RouteDependencies, ExecuteDependencies {
  worker: Worker;
  driven: RunTracker;
}

/**
 * Opens a run for the request, or finds its latest run if the request was sent before.
 * @param parent span that a new run belongs to
 */
export async function openOrFindRun(
  dependencies: OpenDependencies,
  request: ActionRequest,
  caller: Caller,
  account: RunAccount,
  parent?: SpanContext,
): Promise<{ run: number; attempt: number }> {
  const requestHash = hashRequest(request);
  const { walletId, network, requestId = null } = request;
  // A request without an id has no earlier run, and opening one finds out whether the wallet is busy.
  const { known, busy } =
    requestId === null
      ? { known: undefined, busy: undefined }
      : await findRuns(dependencies.db, { network, walletId, requestId });
  if (known && known.requestHash !== requestHash) throw requestIdReused();
  if (known && !known.repeatable) return known;
  if (request.unattended) requireUnattended(caller);
  await requireNamedOps(dependencies.db, request);
  // If several processes begin the same attempt at once, one opens it and the others follow it.
  const attempt = (known?.attempt ?? 0) + 1;
  const begin = () =>
    dependencies.driven.trackOpening(() =>
      open(dependencies, request, { requestHash, attempt, parent }, caller, account),
    );
  let opening: OpenRunResult = busy ?? (await begin());
  if (opening.kind === 'busy' && opening.unsettled === null && opening.worker !== dependencies.worker.id()) {
    // The run may belong to a worker that is dead.
    await dependencies.recover(network);
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
      throw frozen(opening, request.network);
    case 'overLimit':
      throw overLimit(opening.limit, dependencies.now());
    case 'crowded':
      throw tooManyOpen(opening.whose);
  }
}

async function open(
  dependencies: OpenDependencies,
  request: ActionRequest,
  { requestHash, attempt, parent }: { requestHash: string; attempt: number; parent: SpanContext | undefined },
  caller: Caller,
  account: RunAccount,
): Promise<OpenRunResult> {
  const { network, walletId, owner, action, requestId = null } = request;
  const worker = dependencies.worker.id();
  const lines = [
    { step: 'validate', status: 'active' } as const,
    ...buildPassedLines('validate'),
    ...buildPassedLines('authorize'),
    ...buildPassedLines('guard'),
  ];
  const claims = buildOpeningClaims(account, sumNamedSpends(request), dependencies);
  // Runs in parallel with the opening, which takes longer.
  const actor = selectActor(dependencies.db, dependencies.signer, request);
  actor.catch(() => undefined);
  const opening = await openRun(dependencies.db, {
    network,
    walletId,
    owner,
    action,
    requestId,
    attempt,
    requestHash,
    worker,
    claims,
    lines,
    openMax: account.planned ? undefined : unplannedOpenMax,
    request: { ...request },
    caller: formatCaller(caller),
    agent: dependencies.signer.address,
    startedAt: dependencies.now(),
  });
  if (opening.kind === 'opened') {
    const { run } = opening;
    const trace = startRunTrace({ run, action, network }, parent);
    const start = { run, worker, nextPosition: lines.length, step: 'draft', trace } as const;
    const progress = new Progress({ ...dependencies, ...start });
    const node = dependencies.nodes(network);
    const driven = { run, worker, request, opening: lines, actor, account, node, progress, trace };
    dependencies.driven.drive(driven, driveRun(dependencies, driven));
  }
  return opening;
}

/**
 * Checks that the caller may run an action that no person confirmed. The signature is recorded only while the key has the
 * scope that is checked here, so a key that loses `unattended` meanwhile ends the run unsigned.
 * @throws ProblemError 403 `confirmation_needed`
 */
function requireUnattended(caller: Caller): void {
  if (caller.kind === 'key' && caller.scope.unattended) return;
  throw problem(
    'confirmation_needed',
    'This action moves funds, and a person must confirm it. Use a client that can ask a person (elicitation): over stdio, or over HTTP with the MCP version 2026-07-28. Or use an executor key that the owner issued with `unattended`.',
  );
}

/**
 * Hashes a request with its bounds: they decide which transaction may be signed. Who confirmed it does not, so the call
 * of a person attaches to an unattended run.
 */
const hashRequest = ({ requestId: _, unattended: __, ...request }: ActionRequest) =>
  createHash('sha256')
    .update(canonicalize(request) ?? '')
    .digest('hex');

function formatCaller(caller: Caller): string {
  if (caller.kind === 'key') return `key:${caller.id}`;
  return caller.kind === 'session' ? `session:${caller.address}` : caller.kind;
}

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

function frozen({ scope, reason }: Freeze, network: string): ProblemError {
  const wallets = { all: 'all wallets', network: `all wallets of ${network}`, wallet: 'this wallet' }[scope];
  return problem('frozen', `The operator has frozen ${wallets}: ${reason}`);
}

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

const overLimit = (limit: LimitExcess, now: Date): ProblemError =>
  problem(toLimitCode(limit), `${describeLimitExcess(limit)} The day ends at 0:00 UTC.`, {
    headers: { 'retry-after': String(countSecondsLeftToday(now)) },
  });
