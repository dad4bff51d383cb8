import type { Network } from '@adaptor-marketplace/adaptor';
import type { z } from 'zod';
import { countSimulation } from '../../../db/queries/agent/count-simulation.ts';
import { callerRequest, formatAmounts, listSteps } from '../../../lib/actions/request.ts';
import type { AuthorityBody, SimulationBody } from '../../../lib/agent/questions.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { authorityRequest, callerHeader } from '../../../lib/agent/shapes.ts';
import { createShares } from '../../../lib/concurrency/shares.ts';
import { problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendPrivateJson } from '../../../lib/http/exchange.ts';
import { invalidQuery } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import { describeScope } from '../access/keys.ts';
import { readPackages } from '../chain/node.ts';
import { rehearse } from '../chain/prepare.ts';
import { checkDraft } from '../check/check-draft.ts';
import { requireNamedOps } from '../check/listings.ts';
import { selectActor } from '../key/signer.ts';
import { type Admitted, admitAction, authorize, requireActing } from './admit.ts';
import { countSecondsLeftToday, type RunAccount, requireWithinKey } from './limits.ts';
import type { RunDependencies } from './routes.ts';

/** Maximum simulations of planned callers at once, in all and per owner: each queries the node as a run does. */
const plannedMax = { owner: 4, all: 16 };
/**
 * Maximum simulations of unplanned callers at once, in all, per owner, and per API key or address: anyone can create
 * wallets and owners. Together with the open runs of these callers, they leave a quarter of the tool service's slots.
 */
const unplannedMax = { owner: 2, caller: 4, all: 8 };
const plannedShares = createShares(plannedMax);
const unplannedShares = createShares(unplannedMax);

/** Shows what an action would do now. Reserves nothing, and stores only that the wallet simulated. */
const postSimulation = route({
  method: 'post',
  path: '/api/agent/simulate',
  body: callerRequest,
  bodyBytesMax: 64 * 1024,
  async handler({ exchange, body }, dependencies: RunDependencies) {
    const admitted = await admitAction(dependencies, exchange, body);
    const leave = takeSlot(admitted.account, exchange);
    try {
      await countTowardsDailyLimit(dependencies, admitted);
      await requireNamedOps(dependencies.db, admitted.request);
      sendPrivateJson(exchange, await simulate(dependencies, admitted));
    } finally {
      leave();
    }
  },
});

/** Takes a slot for a simulation. Returns its release. @throws ProblemError 429 */
function takeSlot({ owner, planned }: Pick<RunAccount, 'owner' | 'planned'>, { req }: Exchange): () => void {
  if (planned) return plannedShares.take({ owner }, tooMany(' are running'));
  const caller = req.headers[callerHeader]?.toString();
  return unplannedShares.take({ owner, caller }, tooMany(' of callers without a plan are running'));
}

const tooMany = (ofAll: string) => (kind: 'owner' | 'caller' | 'all', max: number) => {
  const which = {
    owner: " of this owner's wallets are running",
    caller: ' of your API key or address are running',
    all: ofAll,
  };
  const full = `${max} simulations${which[kind]}, the maximum.`;
  return problem('too_many_runs', `${full} Send the request again shortly.`);
};

/** Counts a simulation of the wallet, the failed ones included. @throws ProblemError 429 beyond the daily limit */
async function countTowardsDailyLimit(
  { db, now, runsDaily }: RunDependencies,
  { request }: Admitted,
): Promise<void> {
  const { network, walletId } = request;
  const at = now();
  if (await countSimulation(db, { network, subject: `wallet:${walletId}`, dailyMax: runsDaily, at })) return;
  throw problem(
    'run_limit',
    `Daily limit of simulations for this wallet reached: ${runsDaily} used today. The day ends at 0:00 UTC.`,
    { headers: { 'retry-after': String(countSecondsLeftToday(at)) } },
  );
}

async function simulate(
  dependencies: RunDependencies,
  { request, account }: Admitted,
): Promise<SimulationBody> {
  const { db, signer, gasLimits, signal } = dependencies;
  const node = dependencies.nodes(request.network);
  const actor = await selectActor(db, signer, request);
  const { network, walletId, action } = request;
  const body: SimulationBody = {
    network,
    walletId,
    action,
    address: actor.address,
    wouldSucceed: false,
    takesAtMost: [],
    bringsAtLeast: [],
    boundsHold: false,
    steps: [],
    paid: [],
    received: [],
    gasBudget: null,
  };
  let step: SimulationBody['failedAt'] = 'draft';
  try {
    const reading = readPackages(node);
    reading.catch(() => undefined);
    const draft = await dependencies.draft(request, actor.address);
    step = 'check';
    const packages = await reading;
    const confirmedOnly = actor.kind === 'host' || !packages.hasActions;
    const checked = await checkDraft({ db, node, packages, confirmedOnly }, request, draft);
    const bounds = { takes: formatAmounts(checked.takes), brings: formatAmounts(checked.brings) };
    body.takesAtMost = bounds.takes;
    body.bringsAtLeast = bounds.brings;
    body.steps = checked.steps;
    // A payment takes its exact amount. Only the lock bounds what an adaptor takes.
    body.boundsHold = packages.hasActions || listSteps(request).every((one) => one.action === 'spend');
    step = 'simulate';
    const { gasBudget, flows } = await rehearse(node, checked, {
      sender: actor.address,
      walletId,
      packages,
      bounds,
      gasMax: gasLimits.perRun,
      signal,
    });
    requireWithinKey(account, checked.takes);
    const toAmounts = (sums: ReadonlyMap<string, bigint>) =>
      formatAmounts([...sums].map(([coinType, amount]) => ({ coinType, amount })));
    const moved = { paid: toAmounts(flows.paid), received: toAmounts(flows.received) };
    return { ...body, ...moved, wouldSucceed: true, gasBudget: String(gasBudget) };
  } catch (error) {
    if (!(error instanceof RunFailedError)) throw error;
    return { ...body, failedAt: step, code: error.code, detail: error.message };
  }
}

/** Returns the wallet that a query names, or without one that of the executor key. @throws ProblemError 400, 401 */
async function chooseWallet(
  { defaultNetwork, findCaller }: RunDependencies,
  exchange: Exchange,
  { network, walletId }: z.infer<typeof authorityRequest>,
): Promise<{ network: Network; walletId: string }> {
  if (walletId !== undefined) return { network: network ?? defaultNetwork, walletId };
  const caller = await findCaller(exchange);
  if (caller.kind === 'key')
    return { network: network ?? (caller.network as Network), walletId: caller.walletId };
  throw invalidQuery([
    { path: 'query.walletId', message: 'is missing; only an executor key names a wallet' },
  ]);
}

/** Shows what a credential may do for a wallet now. It applies the checks of a run, but starts none. */
const getAuthority = route({
  method: 'get',
  path: '/api/agent/authority',
  query: authorityRequest,
  async handler({ exchange, query }, dependencies: RunDependencies) {
    const { network, walletId } = await chooseWallet(dependencies, exchange, query);
    const { caller, wallet } = await authorize(dependencies, exchange, { network, walletId });
    requireActing(caller);
    const { db, signer, nodes } = dependencies;
    const [actor, { hasActions }] = await Promise.all([
      selectActor(db, signer, { network, walletId }),
      readPackages(nodes(network)),
    ]);
    sendPrivateJson<AuthorityBody>(exchange, {
      network,
      walletId,
      owner: wallet.owner,
      paused: wallet.paused,
      address: actor.address,
      confirmedOnly: actor.kind === 'host' || !hasActions,
      key: caller.kind === 'key' ? { id: caller.id, ...describeScope(caller.scope) } : null,
    });
  },
});

export const questionRoutes = [postSimulation, getAuthority];
