import {
  confirmedUpdateBody,
  confirmUpdateRequest,
  heldUpdatesBody,
  heldUpdatesRequest,
} from '../../../lib/agent/shapes.ts';
import { atMs, publisher, serviceType, walletId } from '../openapi/parts.ts';
import { byBearerOrCookie, createForwardedRoute } from './forward.ts';

const update = { network: 'testnet', walletId, serviceType, version: 3 };

const listHeldUpdates = createForwardedRoute({
  method: 'get',
  path: '/api/agent/updates',
  security: byBearerOrCookie,
  query: heldUpdatesRequest,
  operation: {
    operationId: 'listHeldUpdates',
    summary: 'List updates that hold the runs of a wallet',
    description:
      'Adaptors that the wallet granted whose code may do more since an update that neither the owner nor the operator ' +
      'confirmed. The agent refuses to run them. Needs what may read the runs of the wallet: a session of its owner, an ' +
      "executor key, or the operator's secret.",
    response: { description: 'The adaptors.', schema: heldUpdatesBody },
    refusals: ['network_not_configured', 'not_your_wallet', 'wrong_wallet'],
    example: {
      query: { walletId },
      answer: {
        count: 1,
        updates: [{ serviceType, publisher, version: 3, heldSince: 2, state: 'computed' }],
      },
    },
  },
});

const confirmUpdate = createForwardedRoute({
  method: 'post',
  path: '/api/agent/updates',
  security: byBearerOrCookie,
  body: confirmUpdateRequest,
  operation: {
    operationId: 'confirmUpdate',
    summary: 'Confirm what an adaptor may do more, for one wallet',
    description:
      'Confirms all updates of the listing up to the version, which must be the one that the catalog shows. Needs a ' +
      "session of the wallet's owner. `GET /api/adaptors/{serviceType}/certificate/changes` says what it may do more.",
    response: { description: 'The confirmation.', schema: confirmedUpdateBody },
    refusals: ['network_not_configured', 'not_your_wallet', 'adaptor_not_listed', 'adaptor_changed'],
    example: { request: update, answer: { ...update, publisher, confirmedMs: atMs } },
  },
});

export const updateRoutes = [listHeldUpdates, confirmUpdate];
