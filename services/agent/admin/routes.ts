import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  confirmAdaptor,
  endPlan,
  freeze,
  grantPlan,
  listConfirmed,
  listFreezes,
  listPlans,
  removeConfirmed,
  unfreeze,
} from '../../../db/queries/agent/operator.ts';
import { readRun } from '../../../db/queries/agent/runs.ts';
import {
  type OperatorVerdict,
  type Settlement,
  settleUnknown,
} from '../../../db/queries/agent/settle-run.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { readQuarantine } from '../../../db/queries/catalog/listing.ts';
import { parseAmounts } from '../../../lib/actions/request.ts';
import type { RunCode } from '../../../lib/agent/run-failure.ts';
import {
  type ConfirmedAdaptorBody,
  type ConfirmedAdaptorsBody,
  confirmAdaptorRequest,
  endPlanRequest,
  type FreezeBody,
  type FreezesBody,
  freezeRequest,
  listMax,
  type PlanBody,
  type PlansBody,
  planRequest,
  type RunStepName,
  removeAdaptorRequest,
  type SettleRequest,
  settleRequest,
  unfreezeRequest,
} from '../../../lib/agent/shapes.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendPrivateJson } from '../../../lib/http/exchange.ts';
import { invalidBody, requireNoBody } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { RouteDependencies } from '../access/caller.ts';
import { parseRunNumber, runNotFound, sendRun } from '../run/routes.ts';

export interface AdminDependencies extends RouteDependencies {
  log: Logger;
}

async function requireAdmin(
  exchange: Exchange,
  _parameters: unknown,
  { findCaller }: AdminDependencies,
): Promise<void> {
  const { kind } = await findCaller(exchange).catch((error: unknown) => {
    // Its detail names the credentials of other paths, none of which is valid for this one.
    throw error instanceof ProblemError && error.status === 401 ? adminOnly(error.code) : error;
  });
  if (kind !== 'admin') throw adminOnly('unauthorized');
}

/**
 * Refuses a body on routes that delete. They read the query only: a wallet or a time in a body would be ignored, and the
 * empty query would end the freeze of all wallets, or a later plan.
 */
async function requireAdminAndNoBody(...[exchange, ...rest]: Parameters<typeof requireAdmin>): Promise<void> {
  await requireAdmin(exchange, ...rest);
  requireNoBody(exchange.req);
}

const adminOnly = (code: ProblemError['code']) =>
  problem(code, 'This path requires the admin secret (authorization: Bearer <secret>).');

const getPlans = route({
  method: 'get',
  path: '/api/agent/plans',
  authorize: requireAdmin,
  async handler({ exchange }, { db, now }: AdminDependencies) {
    const plans = await listPlans(db, now(), listMax);
    sendPrivateJson(exchange, { count: plans.length, plans } satisfies PlansBody);
  },
});

const postPlan = route({
  method: 'post',
  path: '/api/agent/plans',
  body: planRequest,
  authorize: requireAdmin,
  async handler({ exchange, body: { owner, plan, endsMs } }, { db, now }: AdminDependencies) {
    const grantedAt = now();
    await grantPlan(db, { owner, plan, grantedAt, endsAt: endsMs === undefined ? null : new Date(endsMs) });
    const times = { grantedMs: grantedAt.getTime(), endsMs: endsMs ?? null };
    sendPrivateJson<PlanBody>(exchange, { owner, plan, ...times });
  },
});

const deletePlan = route({
  method: 'delete',
  path: '/api/agent/plans/:owner',
  query: endPlanRequest,
  authorize: requireAdminAndNoBody,
  async handler({ exchange, parameters, query }, { db, now }: AdminDependencies) {
    const owner = normalizeAddress(parameters.owner);
    const result = owner === undefined ? 'absent' : await endPlan(db, { owner, ...query }, now());
    if (result === 'absent') {
      throw problem(
        'plan_not_found',
        'The owner has no active plan. GET /api/agent/plans lists the active ones.',
      );
    }
    if (result === 'changed') {
      throw problem(
        'plan_changed',
        `The plan that was granted at ${query.grantedMs} was replaced by a later one. Nothing ended. Read the list again, and decide on that one.`,
      );
    }
    exchange.res.writeHead(204).end();
  },
});

const getFreezes = route({
  method: 'get',
  path: '/api/agent/freezes',
  authorize: requireAdmin,
  async handler({ exchange }, { db }: AdminDependencies) {
    const freezes = await listFreezes(db, listMax);
    sendPrivateJson(exchange, { count: freezes.length, freezes } satisfies FreezesBody);
  },
});

const postFreeze = route({
  method: 'post',
  path: '/api/agent/freezes',
  body: freezeRequest,
  authorize: requireAdmin,
  async handler({ exchange, body: scope }, { db, now }: AdminDependencies) {
    const frozenAt = now();
    await freeze(db, { ...scope, frozenAt });
    sendPrivateJson<FreezeBody>(exchange, { ...scope, frozenMs: frozenAt.getTime() });
  },
});

const deleteFreeze = route({
  method: 'delete',
  path: '/api/agent/freezes',
  query: unfreezeRequest,
  authorize: requireAdminAndNoBody,
  async handler({ exchange, query }, { db }: AdminDependencies) {
    const result = await unfreeze(db, query);
    if (result === 'absent') {
      throw problem('freeze_not_found', 'There is no such freeze. GET /api/agent/freezes lists the freezes.');
    }
    if (result === 'changed') {
      throw problem(
        'freeze_changed',
        `The freeze that was set at ${query.frozenMs} was set again. Nothing ended. Read the list again, and decide on that one.`,
      );
    }
    exchange.res.writeHead(204).end();
  },
});

const getConfirmed = route({
  method: 'get',
  path: '/api/agent/adaptors',
  authorize: requireAdmin,
  async handler({ exchange }, { db }: AdminDependencies) {
    const adaptors = await listConfirmed(db, listMax);
    sendPrivateJson(exchange, { count: adaptors.length, adaptors } as ConfirmedAdaptorsBody);
  },
});

const postConfirmed = route({
  method: 'post',
  path: '/api/agent/adaptors',
  body: confirmAdaptorRequest,
  authorize: requireAdmin,
  async handler({ exchange, body }, { db, now, defaultNetwork, nodes }: AdminDependencies) {
    const { network = defaultNetwork, serviceType, manifestHash } = body;
    nodes(network);
    const [entry] = await readEntries(db, [{ network, serviceType }]);
    if (!entry?.publisherVerified) {
      const quarantined = await readQuarantine(db, { network, serviceType });
      if (quarantined) throw problem('adaptor_quarantined', `${serviceType}: ${quarantined.reason}`);
      throw problem(
        'adaptor_not_listed',
        `The catalog of ${network} has no verified adaptor ${serviceType}.`,
      );
    }
    // The listing may have changed since the operator read it.
    if (manifestHash !== entry.manifestHash) {
      throw problem(
        'adaptor_changed',
        `The listed manifest has the hash ${entry.manifestHash}. Read it, then confirm that hash.`,
      );
    }
    const { publisher, version, packageId } = entry;
    const confirmedAt = now();
    const adaptor = { network, serviceType, publisher, version, packageId, manifestHash };
    await confirmAdaptor(db, { ...adaptor, confirmedAt });
    sendPrivateJson<ConfirmedAdaptorBody>(exchange, { ...adaptor, confirmedMs: confirmedAt.getTime() });
  },
});

const deleteConfirmed = route({
  method: 'delete',
  path: '/api/agent/adaptors',
  query: removeAdaptorRequest,
  authorize: requireAdmin,
  async handler({ exchange, query }, { db, defaultNetwork }: AdminDependencies) {
    const { network = defaultNetwork, serviceType } = query;
    if (!(await removeConfirmed(db, { network, serviceType }))) {
      throw problem(
        'adaptor_not_confirmed',
        'The adaptor is not confirmed. GET /api/agent/adaptors lists the confirmed ones.',
      );
    }
    exchange.res.writeHead(204).end();
  },
});

/** Ends a run in the state `unknown`: no node can say whether its transaction executed. */
const settleRun = route({
  method: 'post',
  path: '/api/agent/runs/:id/settle',
  body: settleRequest,
  bodyBytesMax: 32_000,
  authorize: requireAdmin,
  async handler({ exchange, parameters, body }, { db, log, now }: AdminDependencies) {
    const run = parseRunNumber(parameters.id);
    if (run === undefined) throw runNotFound();
    const settled = await settleUnknown(db, run, toVerdict(body, now()));
    if (settled.kind !== 'settled') throw toProblem(settled);
    const { outcome, note } = body;
    log.warn({ run, outcome, note }, 'the operator settled a run');
    const shown = await readRun(db, run);
    if (!shown) throw runNotFound();
    sendRun(exchange, shown);
  },
});

export const adminRoutes = [
  getPlans,
  postPlan,
  deletePlan,
  getFreezes,
  postFreeze,
  deleteFreeze,
  getConfirmed,
  postConfirmed,
  deleteConfirmed,
  settleRun,
];

/** @throws ProblemError 400 if `spent` contradicts the outcome or names a coin twice */
function toVerdict({ outcome, note, spent = [] }: SettleRequest, at: Date): OperatorVerdict {
  if (outcome === 'not_executed' && spent.length > 0) {
    const message = 'must be empty: a transaction that did not execute spent nothing';
    throw invalidBody([{ path: 'body.spent', message }]);
  }
  const coins = spent.map(({ coinType }) => coinType);
  const duplicate = coins.findIndex((coin, index) => coins.indexOf(coin) !== index);
  if (duplicate >= 0)
    throw invalidBody([{ path: `body.spent.${duplicate}.coinType`, message: 'occurs twice' }]);
  const verdict = { outcome, note, at, spent: parseAmounts(spent) };
  if (outcome === 'executed') {
    const detail = `The operator settled this run as executed: ${note}`;
    return {
      ...verdict,
      code: null,
      line: ({ digest }) => ({ step: 'confirm', status: 'done', detail, digest }),
    };
  }
  const detail = `The operator settled this run as not executed: ${note} Nothing was spent. Send the action again with another requestId.`;
  return {
    ...verdict,
    code: 'not_executed' satisfies RunCode,
    line: ({ step, digest }) => ({ step: step as RunStepName, status: 'error', digest, detail }),
  };
}

function toProblem(settlement: Exclude<Settlement, { kind: 'settled' }>): ProblemError {
  switch (settlement.kind) {
    case 'absent':
      return runNotFound();
    case 'otherState':
      return problem(
        'run_not_unknown',
        `Only runs in the state unknown can be settled. The state of this run is ${settlement.state}.`,
      );
    case 'beyondReserved': {
      const path = `body.spent.${settlement.position}.amount`;
      const message = `expected at most the amount that the run reserved: ${settlement.reserved}`;
      return invalidBody([{ path, message }]);
    }
  }
}
