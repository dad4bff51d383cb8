import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import type { Router } from 'express';
import type { z } from 'zod';
import { freeze, listFreezes, unfreeze } from '../../../db/queries/agent/freezes.ts';
import { endPlan, grantPlan, listPlans } from '../../../db/queries/agent/plans.ts';
import {
  type freezeBody,
  freezeRequest,
  type freezesBody,
  listMax,
  type planBody,
  planRequest,
  type plansBody,
  unfreezeRequest,
} from '../../../lib/agent/shapes.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { parseBody, requireNoBody } from '../../../lib/http/body.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { sendJson } from '../server/exchange.ts';
import { searchOf } from '../server/search.ts';
import { type AdminHost, asAdmin, type Handler } from './as-admin.ts';

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
    throw notFound(
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
    throw notFound('freeze_not_found', 'This is not frozen; GET /api/agent/freezes lists what is.');
  }
  res.status(204).end();
};

function notFound(code: string, detail: string): ProblemError {
  return new ProblemError({ status: 404, code, title: 'Not found', detail });
}
