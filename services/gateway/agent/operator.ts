import {
  confirmAdaptorRequest,
  confirmedAdaptorBody,
  confirmedAdaptorsBody,
  endPlanRequest,
  freezeBody,
  freezeRequest,
  freezesBody,
  planBody,
  planRequest,
  plansBody,
  removeAdaptorRequest,
  unfreezeRequest,
} from '../../../lib/agent/shapes.ts';
import { requireNoBody } from '../../../lib/http/parse.ts';
import {
  atMs,
  manifestHash,
  monthMs,
  owner,
  packageId,
  publisher,
  serviceType,
  walletId,
} from '../openapi/parts.ts';
import { byOperator, createForwardedRoute } from './forward.ts';

const needsSecret = "Needs the host's admin secret.";

const adaptor = { network: 'testnet', serviceType, manifestHash };
const confirmed = { ...adaptor, publisher, version: 3, packageId, confirmedMs: atMs };

const listConfirmedAdaptors = createForwardedRoute({
  method: 'get',
  path: '/api/agent/adaptors',
  security: byOperator,
  operation: {
    operationId: 'listConfirmedAdaptors',
    summary: 'List the adaptors that the operator confirmed',
    description: `A run for a wallet whose package has no lock, or that granted to the payer itself, calls no other adaptor. ${needsSecret}`,
    response: { description: 'By service type.', schema: confirmedAdaptorsBody },
    example: { answer: { count: 1, adaptors: [confirmed] } },
  },
});

const confirmAdaptor = createForwardedRoute({
  method: 'post',
  path: '/api/agent/adaptors',
  security: byOperator,
  body: confirmAdaptorRequest,
  operation: {
    operationId: 'confirmAdaptor',
    summary: 'Confirm one version of a listed adaptor',
    description:
      'Replaces the version that was confirmed before. An update of the listing suspends the confirmation until you ' +
      `confirm the new manifest. ${needsSecret}`,
    response: {
      description: 'The adaptor, with what its listing names now.',
      schema: confirmedAdaptorBody,
    },
    refusals: ['network_not_configured', 'adaptor_not_listed', 'adaptor_quarantined', 'adaptor_changed'],
    example: { request: adaptor, answer: confirmed },
  },
});

const removeConfirmedAdaptor = createForwardedRoute({
  method: 'delete',
  path: '/api/agent/adaptors',
  security: byOperator,
  query: removeAdaptorRequest,
  operation: {
    operationId: 'removeConfirmedAdaptor',
    summary: 'Remove an adaptor from the confirmed ones',
    description: needsSecret,
    response: { description: 'Removed.' },
    refusals: ['network_not_configured', 'adaptor_not_confirmed'],
    example: { query: { network: 'testnet', serviceType } },
  },
});

const plan = { owner, plan: 'pro', grantedMs: atMs, endsMs: atMs + monthMs };

const listPlans = createForwardedRoute({
  method: 'get',
  path: '/api/agent/plans',
  security: byOperator,
  operation: {
    operationId: 'listPlans',
    summary: 'List the active plans',
    description: needsSecret,
    response: { description: 'By owner.', schema: plansBody },
    example: { answer: { count: 1, plans: [plan] } },
  },
});

const grantPlan = createForwardedRoute({
  method: 'post',
  path: '/api/agent/plans',
  security: byOperator,
  body: planRequest,
  operation: {
    operationId: 'grantPlan',
    summary: 'Grant a plan to an owner',
    description: `Replaces the plan that the owner has. ${needsSecret}`,
    response: { description: 'The plan.', schema: planBody },
    example: { request: { owner, plan: 'pro', endsMs: atMs + monthMs }, answer: plan },
  },
});

const endPlan = createForwardedRoute({
  method: 'delete',
  path: '/api/agent/plans/:owner',
  parameters: { owner: { description: 'Address of the owner.', example: owner } },
  security: byOperator,
  query: endPlanRequest,
  // A body is not forwarded: one that names a time would end any plan of the owner.
  check: ({ req }) => requireNoBody(req),
  operation: {
    operationId: 'endPlan',
    summary: "End an owner's plan",
    description: needsSecret,
    response: { description: 'Ended.' },
    refusals: ['unexpected_body', 'plan_not_found', 'plan_changed'],
    example: { query: { grantedMs: String(atMs) } },
  },
});

const reason = 'The owner reports a stolen key.';
const freeze = { network: 'testnet', walletId, reason, frozenMs: atMs };

const listFreezes = createForwardedRoute({
  method: 'get',
  path: '/api/agent/freezes',
  security: byOperator,
  operation: {
    operationId: 'listFreezes',
    summary: 'List the freezes in force',
    description: needsSecret,
    response: { description: 'Newest first.', schema: freezesBody },
    example: { answer: { count: 1, freezes: [freeze] } },
  },
});

const createFreeze = createForwardedRoute({
  method: 'post',
  path: '/api/agent/freezes',
  security: byOperator,
  body: freezeRequest,
  operation: {
    operationId: 'createFreeze',
    summary: 'Stop signing for a wallet, a network or everything',
    description: `Stops runs that are being prepared too. A transaction that is signed already is settled. ${needsSecret}`,
    response: { description: 'The freeze.', schema: freezeBody },
    example: { request: { network: 'testnet', walletId, reason }, answer: freeze },
  },
});

const endFreeze = createForwardedRoute({
  method: 'delete',
  path: '/api/agent/freezes',
  security: byOperator,
  query: unfreezeRequest,
  // A body is not forwarded: one that names a wallet would end the freeze of all of them.
  check: ({ req }) => requireNoBody(req),
  operation: {
    operationId: 'endFreeze',
    summary: 'End a freeze',
    description: `The query names what the freeze named. Without a query, the freeze of everything ends. ${needsSecret}`,
    response: { description: 'Ended.' },
    refusals: ['unexpected_body', 'freeze_not_found', 'freeze_changed'],
    example: { query: { network: 'testnet', walletId, frozenMs: String(atMs) } },
  },
});

export const operatorRoutes = [
  listConfirmedAdaptors,
  confirmAdaptor,
  removeConfirmedAdaptor,
  listPlans,
  grantPlan,
  endPlan,
  listFreezes,
  createFreeze,
  endFreeze,
];
