import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Network } from '@adaptor-marketplace/adaptor';
import canonicalize from 'canonicalize';
import type { z } from 'zod';
import { findRuns, type Opening, type OverLimit, openRun } from '../../../db/queries/agent/open-run.ts';
import { hasPlan } from '../../../db/queries/agent/operator.ts';
import { type Run, readLines, readRun, readRuns } from '../../../db/queries/agent/runs.ts';
import {
  type ActionRequest,
  callerRequest,
  namedSpends,
  settledRequest,
} from '../../../lib/actions/request.ts';
import {
  type AddressBody,
  addressRequest,
  type RunBody,
  type RunsBody,
  runsRequest,
  streamRequest,
} from '../../../lib/agent/shapes.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { type Exchange, sendPrivateJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { type Caller, isOperators, type RouteDependencies, requireWallet } from '../access/caller.ts';
import { requireScope } from '../access/keys.ts';
import { requireNamedOps } from '../check/check-draft.ts';
import { selectActor } from '../key/signer.ts';
import { createProgress, driveRun, type ExecuteDependencies } from './execute.ts';
import {
  countSecondsLeftToday,
  limitCode,
  limitReached,
  openingClaims,
  type RunAccount,
  unplannedOpenMax,
} from './limits.ts';
import { passed } from './progress.ts';
import type { DrivenRuns, Worker } from './workers.ts';

export interface RunDependencies extends RouteDependencies, ExecuteDependencies {
  worker: Worker;
  paywallUrl: string | undefined;
  driven: DrivenRuns;
}

/**
 * Runs an action. Errors before the first line of the stream are HTTP problems. Each check runs after those above it.
 */
const postRun = route({
  method: 'post',
  path: '/api/agent/run',
  mediaType: 'application/x-ndjson',
  body: callerRequest,
  bodyBytesMax: 64 * 1024,
  async handler({ exchange, body }, dependencies: RunDependencies) {
    const { request, caller, account } = await admitAction(dependencies, exchange, body);
    const opened = await openOrFindRun(dependencies, request, caller, account);
    await followRun(dependencies, exchange, opened);
  },
});

/** An action that its caller may request. */
export interface Admitted {
  request: ActionRequest;
  caller: Caller;
  account: RunAccount;
}

/**
 * Applies the checks that every action passes before anything is read for it.
 * @throws ProblemError of the first check that fails
 */
export async function admitAction(
  dependencies: RunDependencies,
  exchange: Exchange,
  body: z.infer<typeof callerRequest>,
): Promise<Admitted> {
  const request = settledRequest(body, dependencies.defaultNetwork);
  const { caller, wallet } = await authorize(dependencies, exchange, request);
  requireActing(caller);
  if (wallet.owner !== request.owner) {
    throw problem('wrong_owner', `The owner of the wallet is ${wallet.owner}, not the owner in the request.`);
  }
  if (caller.kind === 'key') {
    requireScope(caller.scope, request, dependencies.nodes(request.network).settings.slots);
  }
  return { request, caller, account: await resolveAccount(dependencies, request, caller) };
}

/**
 * Finds the subjects whose limits the run counts towards. A key that an owner issued does not make the run planned.
 * @throws ProblemError 402 if a plan is required and the owner has none
 */
async function resolveAccount(
  { paywallUrl, db, now }: RunDependencies,
  { walletId, owner }: ActionRequest,
  caller: Caller,
): Promise<RunAccount> {
  const byOperator = isOperators(caller);
  const hasOne = (paywallUrl !== undefined || !byOperator) && (await hasPlan(db, owner, now()));
  if (paywallUrl !== undefined && !hasOne) throw planRequired(paywallUrl);
  const key = caller.kind === 'key' ? { key: { id: caller.id, scope: caller.scope } } : {};
  return { walletId, owner, planned: byOperator || hasOne, ...key };
}

/** Opens a run for the request, or finds its latest run if the request was sent before. */
async function openOrFindRun(
  dependencies: RunDependencies,
  request: ActionRequest,
  caller: Caller,
  account: RunAccount,
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
  await requireNamedOps(dependencies.db, request);
  // If several processes begin the same attempt at once, one opens it and the others follow it.
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
    const open = { run: opening.run, lineCount: lines.length, step: 'draft' };
    const progress = createProgress(dependencies, open, worker);
    const node = dependencies.nodes(network);
    const begun = { run: opening.run, worker, request, opening: lines, actor, account, node, progress };
    dependencies.driven.drive(begun, driveRun(dependencies, begun));
  }
  return opening;
}

/** Hashes a request without its bounds: they say what a caller decided on, and not what is done. */
const hashRequest = ({ requestId: _, bounds: __, ...request }: ActionRequest) =>
  createHash('sha256')
    .update(canonicalize(request) ?? '')
    .digest('hex');

function formatCaller(caller: Caller): string {
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
    headers: { 'retry-after': String(countSecondsLeftToday(now)) },
  });

export function sendRun(exchange: Exchange, run: Run): void {
  identifyRun(exchange, { run: Number(run.id), attempt: run.attempt });
  sendPrivateJson(exchange, run as RunBody);
}

/** Returns the run number of a path, or `undefined` if it is not one. */
export function runNumber(id: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/**
 * Reads the run of the path. Ids are easy to guess, so a run of another owner's wallet is reported as not found.
 * @throws ProblemError 401, 404
 */
async function requireRun(
  { db, findCaller }: RunDependencies,
  exchange: Exchange,
  { id }: { id: string },
): Promise<Run> {
  const caller = await findCaller(exchange);
  const number = runNumber(id);
  const run = number === undefined ? undefined : await readRun(db, number);
  if (!run) throw runNotFound();
  const network = run.network as Network;
  await requireWallet(db, caller, { network, walletId: run.walletId }).catch((error: unknown) => {
    throw error instanceof ProblemError && error.status === 403 ? runNotFound() : error;
  });
  return run;
}

export function runNotFound(): ProblemError {
  return problem('run_not_found', 'There is no run with this id, or it belongs to another wallet.');
}

const getRuns = route({
  method: 'get',
  path: '/api/agent/runs',
  query: runsRequest,
  async handler({ exchange, query }, dependencies: RunDependencies) {
    const { walletId, limit, cursor, network = dependencies.defaultNetwork } = query;
    await authorize(dependencies, exchange, { network, walletId });
    const page = await readRuns(dependencies.db, { network, walletId, limit, cursor });
    const { items, nextCursor } = cutPage(page);
    const answer = { count: items.length, runs: items, nextCursor } as RunsBody;
    sendPrivateJson(exchange, answer);
  },
});

const getRun = route({
  method: 'get',
  path: '/api/agent/runs/:id',
  async handler({ exchange, parameters }, dependencies: RunDependencies) {
    sendRun(exchange, await requireRun(dependencies, exchange, parameters));
  },
});

const getRunStream = route({
  method: 'get',
  path: '/api/agent/runs/:id/stream',
  mediaType: 'application/x-ndjson',
  query: streamRequest,
  async handler({ exchange, parameters, query: { from } }, dependencies: RunDependencies) {
    const { id, attempt } = await requireRun(dependencies, exchange, parameters);
    await followRun(dependencies, exchange, { run: Number(id), attempt }, from);
  },
});

/** @throws ProblemError 403 for a caller that may only read runs */
export function requireActing(caller: Caller): void {
  if (caller.kind !== 'admin') return;
  throw problem(
    'forbidden',
    'The admin secret cannot run actions. Use it to issue an executor key for the wallet.',
  );
}

/** Finds the caller and the wallet, and verifies that the caller may use the wallet. */
export async function authorize(
  dependencies: RouteDependencies,
  exchange: Exchange,
  { network, walletId }: { network: Network; walletId: string },
) {
  const caller = await dependencies.findCaller(exchange);
  dependencies.nodes(network);
  const wallet = await requireWallet(dependencies.db, caller, { network, walletId });
  if (wallet) return { caller, wallet };
  throw problem(
    'wallet_not_found',
    `There is no wallet ${walletId} on ${network}, or it is not indexed yet.`,
    { status: 404 },
  );
}

/** Sets the headers of every response about a run. */
function identifyRun({ res }: Exchange, { run, attempt }: { run: number; attempt: number }): void {
  res.setHeader('x-run-id', String(run));
  res.setHeader('x-run-attempt', String(attempt));
}

/**
 * Writes the recorded and the new lines of a run as newline-delimited JSON, until it has ended or waits for an
 * operator. It works for a run that any process drives, and for one that ended long ago.
 */
async function followRun(
  { db, wakers, signal }: Pick<RunDependencies, 'db' | 'wakers' | 'signal'>,
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
  // The next line may take long, and the caller waits for the headers.
  res.flushHeaders();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const over = AbortSignal.any([signal, gone.signal]);
  // Subscribes before the first read, so that no line is missed.
  using follower = wakers.of(run);
  for (let position = from; !over.aborted; ) {
    const { ended, lines } = follower.next(position) ?? (await readLines(db, run, position));
    position += lines.length;
    if (over.aborted) break;
    if (lines.length > 0 && !res.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))) {
      await once(res, 'drain', { signal: over }).catch(() => undefined);
    }
    if (ended) break;
    await follower.beyond(position, over);
  }
  res.end();
}

/** Shows which address acts for a wallet, so that its owner can grant to it. It needs no key: an address is public. */
const getAddress = route({
  method: 'get',
  path: '/api/agent/address',
  query: addressRequest,
  async handler({ exchange, query }, { db, signer, nodes, defaultNetwork }: RunDependencies) {
    const { network = defaultNetwork, walletId } = query;
    nodes(network);
    const wallet = { network, walletId };
    const { kind: actsAs } = await selectActor(db, signer, wallet);
    const own = signer.forWallet?.(network, walletId) ?? signer;
    const answer: AddressBody = {
      ...wallet,
      address: own.address,
      payer: signer.address,
      actsAs,
    };
    sendPrivateJson(exchange, answer);
  },
});

/** Routes that run actions and read runs. Reads start nothing, so a client can use them to reattach. */
export const runRoutes = [postRun, getRuns, getRun, getRunStream, getAddress];
