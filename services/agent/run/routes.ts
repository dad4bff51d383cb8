import type { Network } from '@adaptor-marketplace/adaptor';
import { type Run, readRun, readRuns } from '../../../db/queries/agent/runs.ts';
import { callerRequest } from '../../../lib/actions/request.ts';
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
import { startServerSpan } from '../../../lib/http/server-span.ts';
import { getTracing } from '../../../lib/tracing/tracing.ts';
import { requireWallet } from '../access/caller.ts';
import { selectActor } from '../key/signer.ts';
import { type AdmitDependencies, admitAction, authorize } from './admit.ts';
import { followRun, identifyRun } from './follow.ts';
import { type OpenDependencies, openOrFindRun } from './open-run.ts';

export interface RunDependencies extends AdmitDependencies, OpenDependencies {}

/** Runs an action. Errors before the first line of the stream are HTTP problems. */
const postRun = route({
  method: 'post',
  path: '/api/agent/run',
  mediaType: 'application/x-ndjson',
  body: callerRequest,
  bodyBytesMax: 64 * 1024,
  async handler({ exchange, body }, dependencies: RunDependencies) {
    const { request, caller, account } = await admitAction(dependencies, exchange, body);
    const tracing = getTracing();
    const parent = tracing && startServerSpan(tracing, exchange).spanContext();
    const opened = await openOrFindRun(dependencies, request, caller, account, parent);
    await followRun(dependencies, exchange, opened);
  },
});

export function sendRun(exchange: Exchange, run: Run): void {
  identifyRun(exchange, { run: Number(run.id), attempt: run.attempt });
  sendPrivateJson(exchange, run as RunBody);
}

/** Returns the run number of a path, or `undefined` if it is not one. */
export function parseRunNumber(id: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined;
}

/** Reads the run of the path. Ids are easy to guess: another owner's run gets 404 too. @throws ProblemError 401, 404 */
async function requireRun(
  { db, findCaller }: RunDependencies,
  exchange: Exchange,
  { id }: { id: string },
): Promise<Run> {
  const caller = await findCaller(exchange);
  const number = parseRunNumber(id);
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
    const { walletId, requestId, limit, cursor, network = dependencies.defaultNetwork } = query;
    await authorize(dependencies, exchange, { network, walletId });
    const page = await readRuns(dependencies.db, { network, walletId, requestId, limit, cursor });
    const { items, nextCursor } = cutPage(page);
    sendPrivateJson(exchange, { count: items.length, runs: items, nextCursor } as RunsBody);
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
  async handler({ exchange, parameters, query: { from, requestId } }, dependencies: RunDependencies) {
    const run = await requireRun(dependencies, exchange, parameters);
    if (requestId !== undefined && run.requestId !== requestId) throw runNotFound();
    const { id, attempt } = run;
    await followRun(dependencies, exchange, { run: Number(id), attempt }, from);
  },
});

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
    const addresses = { address: own.address, payer: signer.address };
    sendPrivateJson<AddressBody>(exchange, { ...wallet, ...addresses, actsAs });
  },
});

/** Routes that run actions and read runs. Reads start nothing, so a client can use them to reattach. */
export const runRoutes = [postRun, getRuns, getRun, getRunStream, getAddress];
