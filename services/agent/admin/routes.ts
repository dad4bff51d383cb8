import { type Network, normalizeAddress } from '@adaptor-marketplace/adaptor';
import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import type { z } from 'zod';
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
import { searchOf } from '../../../lib/http/exchange.ts';
import { parseBody, parseQuery, requireNoBody } from '../../../lib/http/parse.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { FindCaller } from '../access/caller.ts';
import type { NodeChoice } from '../chain/node.ts';
import { runNotFound, runNumber, sendRun } from '../run/read.ts';
import { type RouteList, sendJson } from '../server/routes.ts';

/** What the operator's routes need. */
interface AdminDependencies {
  db: Pool;
  findCaller: FindCaller;
  nodes: NodeChoice;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  log: Logger;
  now: () => Date;
}

const bodyBytesMax = 10_000;
const settleBytesMax = 32_000;
const notExecuted: RunCode = 'not_executed';

/** The routes that need the admin secret: plans, freezes, confirmed adaptors and the settlement of runs. */
export function adminRoutes(router: RouteList, dependencies: AdminDependencies): void {
  const handle = (handler: Handler) => asAdmin(dependencies, handler);
  router.get('/api/agent/plans', handle(showPlans));
  router.post('/api/agent/plans', handle(grant));
  router.delete('/api/agent/plans/:owner', handle(end));
  router.get('/api/agent/freezes', handle(showFreezes));
  router.post('/api/agent/freezes', handle(addFreeze));
  router.delete('/api/agent/freezes', handle(removeFreeze));
  router.get('/api/agent/adaptors', handle(showConfirmed));
  router.post('/api/agent/adaptors', handle(confirm));
  router.delete('/api/agent/adaptors', handle(removeAdaptor));
  router.post('/api/agent/runs/:id/settle', handle(settle));
}

type Handler = (dependencies: AdminDependencies, req: Request, res: Response) => Promise<void>;

/** Calls the handler for requests with the admin secret, and refuses all others. */
function asAdmin(
  dependencies: AdminDependencies,
  handle: Handler,
): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    const { kind } = await dependencies.findCaller(req).catch((error: unknown) => {
      // Its detail names the credentials of other paths, none of which is valid for this one.
      throw error instanceof ProblemError && error.status === 401 ? adminOnly(error.code) : error;
    });
    if (kind !== 'admin') throw adminOnly('unauthorized');
    await handle(dependencies, req, res);
  };
}

const adminOnly = (code: ProblemCode) =>
  problem(code, 'This path requires the admin secret (authorization: Bearer <secret>).');

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
      'The owner has no active plan. GET /api/agent/plans lists the active ones.',
    );
  }
  res.status(204).end();
};

const addFreeze: Handler = async ({ db, now }, req, res) => {
  const scope = await parseBody({ req }, freezeRequest, bodyBytesMax);
  const frozenAt = now();
  await freeze(db, { ...scope, frozenAt });
  sendJson(res, { ...scope, frozenMs: frozenAt.getTime() } satisfies z.infer<typeof freezeBody>);
};

const showFreezes: Handler = async ({ db }, _req, res) => {
  const freezes = await listFreezes(db, listMax);
  sendJson(res, { count: freezes.length, freezes } satisfies z.infer<typeof freezesBody>);
};

const removeFreeze: Handler = async ({ db }, req, res) => {
  requireNoBody(req);
  if (!(await unfreeze(db, parseQuery(unfreezeRequest, searchOf({ req }))))) {
    throw problem('freeze_not_found', 'There is no such freeze. GET /api/agent/freezes lists the freezes.');
  }
  res.status(204).end();
};

const confirm: Handler = async ({ db, now, defaultNetwork, nodes }, req, res) => {
  const request = await parseBody({ req }, confirmAdaptorRequest, bodyBytesMax);
  const { network = defaultNetwork, serviceType, manifestHash } = request;
  nodes(network);
  const [entry] = await readEntries(db, [{ network, serviceType }]);
  if (!entry?.publisherVerified) {
    throw problem('adaptor_not_listed', `The catalog of ${network} has no verified adaptor ${serviceType}.`);
  }
  // The listing may have changed since the operator read it.
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
  const body: z.infer<typeof confirmedAdaptorBody> = { ...adaptor, confirmedMs: confirmedAt.getTime() };
  sendJson(res, body);
};

const showConfirmed: Handler = async ({ db }, _req, res) => {
  const adaptors = await listConfirmed(db, listMax);
  sendJson(res, { count: adaptors.length, adaptors } as z.infer<typeof confirmedAdaptorsBody>);
};

const removeAdaptor: Handler = async ({ db, defaultNetwork }, req, res) => {
  const { network = defaultNetwork, serviceType } = parseQuery(removeAdaptorRequest, searchOf({ req }));
  if (!(await removeConfirmed(db, { network, serviceType }))) {
    throw problem(
      'adaptor_not_confirmed',
      'The adaptor is not confirmed. GET /api/agent/adaptors lists the confirmed ones.',
    );
  }
  res.status(204).end();
};

/** Ends a run in the state `unknown`, of which no node can say whether it executed. */
const settle: Handler = async ({ db, log, now }, req, res) => {
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
};

/** @throws ProblemError 400 if `spent` contradicts the outcome or names a coin twice */
function verdictOf({ outcome, note, spent = [] }: z.infer<typeof settleRequest>, at: Date): OperatorVerdict {
  if (outcome === 'not_executed' && spent.length > 0) {
    throw wrongField('body.spent', 'must be empty: a transaction that did not execute spent nothing');
  }
  const coins = spent.map(({ coinType }) => coinType);
  const twice = coins.findIndex((coin, index) => coins.indexOf(coin) !== index);
  if (twice >= 0) throw wrongField(`body.spent.${twice}.coinType`, 'occurs twice');
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
            detail: `The operator settled this run as not executed: ${note} Nothing was spent. Send the action again with another requestId.`,
          },
  };
}

function refusalOf(settlement: Exclude<Settlement, { kind: 'settled' }>): ProblemError {
  switch (settlement.kind) {
    case 'absent':
      return runNotFound();
    case 'otherState':
      return problem(
        'run_not_unknown',
        `Only runs in the state unknown can be settled. The state of this run is ${settlement.state}.`,
      );
    case 'beyondReserved':
      return wrongField(
        `body.spent.${settlement.position}.amount`,
        `expected at most the amount that the run reserved: ${settlement.reserved}`,
      );
  }
}

function wrongField(path: string, message: string): ProblemError {
  return problem('invalid_body', `${path}: ${message}`, { errors: [{ path, message }] });
}
