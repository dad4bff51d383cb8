import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Response, Router } from 'express';
import type { z } from 'zod';
import { confirmAdaptor, listConfirmed, removeConfirmed } from '../../../db/queries/agent/adaptors.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import {
  confirmAdaptorRequest,
  type confirmedAdaptorBody,
  type confirmedAdaptorsBody,
  listMax,
  removeAdaptorRequest,
} from '../../../lib/agent/shapes.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { parseBody } from '../../../lib/http/body.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import type { NodeChoice } from '../chain/node.ts';
import { sendJson } from '../server/exchange.ts';
import { searchOf } from '../server/search.ts';
import { type AdminHost, asAdmin, type Handler } from './as-admin.ts';

const bodyBytesMax = 10_000;

export interface AdaptorHost extends AdminHost {
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
    throw notFound('adaptor_not_listed', `The catalog of ${network} has no verified adaptor ${serviceType}.`);
  }
  // What the operator read must be what is confirmed: the listing may have changed between the two.
  if (manifestHash !== entry.manifestHash) {
    throw new ProblemError({
      status: 409,
      code: 'adaptor_changed',
      title: 'Adaptor changed',
      detail: `The listed manifest has the hash ${entry.manifestHash}. Read it, then confirm that hash.`,
    });
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
    throw notFound(
      'adaptor_not_confirmed',
      'This adaptor is not confirmed; GET /api/agent/adaptors lists those that are.',
    );
  }
  res.status(204).end();
};

const send = (res: Response, body: z.infer<typeof confirmedAdaptorBody>) => sendJson(res, body);

function notFound(code: string, detail: string): ProblemError {
  return new ProblemError({ status: 404, code, title: 'Not found', detail });
}
