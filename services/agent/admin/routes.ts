import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { confirmAdaptor, listConfirmed, removeConfirmed } from '../../../db/queries/agent/adaptors.ts';
import { freeze, listFreezes, unfreeze } from '../../../db/queries/agent/freezes.ts';
import { endPlan, grantPlan, listPlans } from '../../../db/queries/agent/plans.ts';
import { readRun } from '../../../db/queries/agent/runs.ts';
import {
  type OperatorVerdict,
  type Settlement,
  settleUnknown,
} from '../../../db/queries/agent/settle-unknown.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import type { RunCode } from '../../../lib/agent/run-codes.ts';
import {
  confirmAdaptorRequest,
  type confirmedAdaptorBody,
  type confirmedAdaptorsBody,
  type freezeBody,
  freezeRequest,
  type freezesBody,
  listMax,
  type planBody,
  planRequest,
  type plansBody,
  type RunStepName,
  removeAdaptorRequest,
  settleRequest,
  unfreezeRequest,
} from '../../../lib/agent/shapes.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import type { ProblemCode } from '../../../lib/errors/problems.ts';
import { requireNoBody } from '../../../lib/http/no-body.ts';
import { parseBody } from '../../../lib/http/parse-body.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { type FindCaller, unauthorized } from '../access/caller.ts';
import type { NodeChoice } from '../chain/node.ts';
import { runNumber, sendRun } from '../run/reads.ts';
import { notUnknown, runNotFound } from '../run/refusals.ts';
import { sendJson } from '../server/exchange.ts';
import { searchOf } from '../server/search.ts';

const bodyBytesMax = 10_000;

/** What only the host does, with its admin secret: plans and freezes. */
export function adminRoutes(router: Router, host: AdminHost): void {
  const handle = (handler: Handler) => asAdmin(host, handler);
  router.route('/api/agent/plans').get(handle(showPlans)).post(handle(grant));
  router.delete('/api/agent/plans/:owner', handle(end));
  router
    .route('/api/agent/freezes')
    .get(handle(showFreezes))
    .post(handle(addFreeze))
    .delete(handle(removeFreeze));
}

const grant: Handler = async ({ db, now }, req, res) => {
  const { owner, plan, endsMs } = await parseBody({ req }, planRequest, bodyBytesMax);
  const grantedAt = now();
  await grantPlan(db, { owner, plan, grantedAt, endsAt: endsMs === undefined ? null : new Date(endsMs) });
  const body: z.infer<typeof planBody> = {
    owner,
    plan,
    grantedMs: grantedAt.getTime(),
    endsMs: endsMs ?? null,
  };
  sendJson(res, body);
};

const showPlans: Handler = async ({ db, now }, _req, res) => {
  const plans = await listPlans(db, now(), listMax);
  sendJson(res, { count: plans.length, plans } satisfies z.infer<typeof plansBody>);
};

const end: Handler = async ({ db, now }, req, res) => {
  const owner = normalizeAddress(String(req.params.owner));
  if (owner === undefined || !(await endPlan(db, owner, now()))) {
    throw problem(
      'plan_not_found',
      'This owner has no active plan; GET /api/agent/plans lists those there are.',
    );
  }
  res.status(204).end();
};

const addFreeze: Handler = async ({ db, now }, req, res) => {
  const wanted = await parseBody({ req }, freezeRequest, bodyBytesMax);
  const frozenAt = now();
  await freeze(db, { ...wanted, frozenAt });
  sendJson(res, { ...wanted, frozenMs: frozenAt.getTime() } satisfies z.infer<typeof freezeBody>);
};

const showFreezes: Handler = async ({ db }, _req, res) => {
  const freezes = await listFreezes(db, listMax);
  sendJson(res, { count: freezes.length, freezes } satisfies z.infer<typeof freezesBody>);
};

const removeFreeze: Handler = async ({ db }, req, res) => {
  requireNoBody(req);
  if (!(await unfreeze(db, parseQuery(unfreezeRequest, searchOf(req))))) {
    throw problem('freeze_not_found', 'This is not frozen; GET /api/agent/freezes lists what is.');
  }
  res.status(204).end();
};

interface AdminHost {
  db: Pool;
  findCaller: FindCaller;
  now: () => Date;
}

type Handler<Host = AdminHost> = (host: Host, req: Request, res: Response) => Promise<void>;

/** Handles a request of the operator's, who proves it by the admin secret. */
function asAdmin<Host extends Pick<AdminHost, 'findCaller'>>(
  host: Host,
  handle: Handler<Host>,
): RequestHandler {
  return async (req, res) => {
    const { kind } = await host.findCaller(req).catch((error: unknown) => {
      // Its words name the credentials of other paths, none of which is good for this one.
      throw error instanceof ProblemError && error.status === 401 ? needsSecret(error.code) : error;
    });
    if (kind !== 'admin') throw needsSecret('unauthorized');
    await handle(host, req, res);
  };
}

const needsSecret = (code: ProblemCode) =>
  unauthorized(code, "This path needs the host's admin secret (authorization: Bearer <secret>).");

interface AdaptorHost extends AdminHost {
  nodes: NodeChoice;
  /** Of requests that name none. */
  defaultNetwork: Network;
}

/** The adaptors that the operator read and confirmed, each at exactly one version. */
export function adaptorRoutes(router: Router, host: AdaptorHost): void {
  router
    .route('/api/agent/adaptors')
    .get(asAdmin(host, show))
    .post(asAdmin(host, confirm))
    .delete(asAdmin(host, remove));
}

const confirm: Handler<AdaptorHost> = async ({ db, now, defaultNetwork, nodes }, req, res) => {
  const asked = await parseBody({ req }, confirmAdaptorRequest, bodyBytesMax);
  const { network = defaultNetwork, serviceType, manifestHash } = asked;
  nodes(network);
  const [entry] = await readEntries(db, [{ network, serviceType }]);
  if (!entry?.publisherVerified) {
    throw problem('adaptor_not_listed', `The catalog of ${network} has no verified adaptor ${serviceType}.`);
  }
  // What the operator read must be what is confirmed: the listing may have changed between the two.
  if (manifestHash !== entry.manifestHash) {
    throw problem(
      'adaptor_changed',
      `The listed manifest has the hash ${entry.manifestHash}. Read it, then confirm that hash.`,
    );
  }
  const { publisher, packageId } = entry;
  const confirmedAt = now();
  const adaptor = { network, serviceType, publisher, packageId, manifestHash };
  await confirmAdaptor(db, { ...adaptor, confirmedAt });
  send(res, { ...adaptor, confirmedMs: confirmedAt.getTime() });
};

const show: Handler = async ({ db }, _req, res) => {
  const adaptors = await listConfirmed(db, listMax);
  sendJson(res, { count: adaptors.length, adaptors } as z.infer<typeof confirmedAdaptorsBody>);
};

const remove: Handler<AdaptorHost> = async ({ db, defaultNetwork }, req, res) => {
  const { network = defaultNetwork, serviceType } = parseQuery(removeAdaptorRequest, searchOf(req));
  if (!(await removeConfirmed(db, { network, serviceType }))) {
    throw problem(
      'adaptor_not_confirmed',
      'This adaptor is not confirmed; GET /api/agent/adaptors lists those that are.',
    );
  }
  res.status(204).end();
};

const send = (res: Response, body: z.infer<typeof confirmedAdaptorBody>) => sendJson(res, body);

interface SettleHost extends AdminHost {
  log: Logger;
}

type SettleRequest = z.infer<typeof settleRequest>;

const settleBytesMax = 32_000;
const notExecuted: RunCode = 'not_executed';

/** By which the operator says how a run ended that no node can speak of. */
export function settleRoute(router: Router, host: SettleHost): void {
  router.post('/api/agent/runs/:id/settle', asAdmin(host, settle));
}

async function settle({ db, log, now }: SettleHost, req: Request, res: Response): Promise<void> {
  const request = await parseBody({ req }, settleRequest, settleBytesMax);
  const run = runNumber(req);
  if (run === undefined) throw runNotFound();
  const settled = await settleUnknown(db, run, verdictOf(request, now()));
  if (settled.kind !== 'settled') throw refusalOf(settled);
  const { outcome, note } = request;
  log.warn({ run, outcome, note }, 'the operator settled a run');
  const shown = await readRun(db, run);
  if (!shown) throw runNotFound();
  sendRun(res, shown);
}

/** @throws ProblemError 400 where something is spent by what did not execute, or a coin is named twice */
function verdictOf({ outcome, note, spent = [] }: SettleRequest, at: Date): OperatorVerdict {
  if (outcome === 'not_executed' && spent.length > 0) {
    throw wrongField('body.spent', 'what did not execute spent nothing');
  }
  const coins = spent.map(({ coinType }) => coinType);
  const twice = coins.findIndex((coin, place) => coins.indexOf(coin) !== place);
  if (twice >= 0) throw wrongField(`body.spent.${twice}.coinType`, 'is named before');
  return {
    ...{ outcome, note, at },
    spent: spent.map(({ coinType, amount }) => ({ coinType, amount: BigInt(amount) })),
    code: outcome === 'executed' ? null : notExecuted,
    line: ({ step, digest }) =>
      outcome === 'executed'
        ? {
            step: 'confirm',
            status: 'done',
            detail: `The operator settled this run as executed: ${note}`,
            digest,
          }
        : {
            ...{ step: step as RunStepName, status: 'error', digest },
            detail: `The operator settled this run as not executed: ${note} Nothing was spent; send the action again under another requestId.`,
          },
  };
}

function refusalOf(settlement: Exclude<Settlement, { kind: 'settled' }>): ProblemError {
  switch (settlement.kind) {
    case 'absent':
      return runNotFound();
    case 'otherState':
      return notUnknown(settlement.state);
    case 'beyondReserved':
      return wrongField(
        `body.spent.${settlement.place}.amount`,
        `expected at most what the run set aside of the coin: ${settlement.reserved}`,
      );
  }
}

function wrongField(path: string, message: string): ProblemError {
  const detail = `${path}: ${message}`;
  return new ProblemError({
    ...{ status: 400, code: 'invalid_body', title: 'Invalid body', detail },
    errors: [{ path, message }],
  });
}
