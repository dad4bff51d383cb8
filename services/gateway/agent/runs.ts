import { z } from 'zod';
import { examples } from '../../../lib/actions/examples.ts';
import { callerRequest } from '../../../lib/actions/request.ts';
import { authorityBody, simulationBody } from '../../../lib/agent/questions.ts';
import {
  addressBody,
  addressRequest,
  authorityRequest,
  runBody,
  runStep,
  runsBody,
  runsRequest,
  settleRequest,
  streamRequest,
} from '../../../lib/agent/shapes.ts';
import { atMs, digest, headers, id, owner, sui, walletId } from '../openapi/parts.ts';
import { byBearerOrCookie, byOperator, createForwardedRoute } from './forward.ts';

const runLines = z.string().meta({
  description:
    'Newline-delimited JSON: each line is an AgentRunStep, sent when the step begins, ends or fails. A space before a line is a heartbeat: one is sent every 15 s.',
  contentMediaType: 'application/x-ndjson',
});
const lines = [
  { step: 'validate', status: 'active' },
  { step: 'validate', status: 'done' },
  { step: 'sign', status: 'done', digest },
  { step: 'confirm', status: 'done', digest },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const runHeaders = { 'x-run-id': headers['x-run-id'], 'x-run-attempt': headers['x-run-attempt'] };
const runId = {
  id: { description: 'Id of the run, from the `x-run-id` header or the list.', example: '42' },
};

const spent = [{ coinType: sui, amount: '250000000' }];

const walletPackage = id('7');
const exampleCalls = [
  {
    target: `${walletPackage}::policy::begin_spend`,
    typeArguments: [sui],
    arguments: [
      { role: 'wallet', value: walletId, fixed: false },
      { role: 'amount', value: '250000000', type: 'u64', fixed: false },
      { role: 'value', value: owner, type: 'address', name: 'recipient', fixed: false },
    ],
  },
  {
    target: `${walletPackage}::cap_auth::prove`,
    typeArguments: [],
    arguments: [
      { role: 'object', value: id('8'), fixed: false },
      { role: 'result', value: { call: 0, index: 0 }, fixed: false },
    ],
  },
  {
    target: `${walletPackage}::policy::confirm_spend`,
    typeArguments: [sui],
    arguments: [
      { role: 'wallet', value: walletId, fixed: false },
      { role: 'result', value: { call: 0, index: 0 }, fixed: false },
    ],
  },
];

export const exampleRun: z.infer<typeof runBody> = {
  id: runId.id.example,
  network: 'testnet',
  walletId,
  owner,
  action: 'spend',
  request: { action: 'spend', coinType: sui, amount: '250000000', recipient: owner },
  requestId: 'rebalance-2026-03-14',
  attempt: 1,
  state: 'done',
  digest,
  code: null,
  gasCharged: '1402880',
  settledNote: null,
  startedMs: atMs,
  endedMs: atMs + 2_100,
  reserved: spent,
  steps: [
    { step: 'validate', status: 'done', atMs },
    { step: 'confirm', status: 'done', digest, atMs: atMs + 2_100 },
  ],
};

/** Codes that refuse an action before it is drafted, in a run as in a simulation. */
const actionRefusals = [
  'network_not_configured',
  'plan_required',
  'forbidden',
  'wrong_wallet',
  'not_your_wallet',
  'wrong_owner',
  'out_of_scope',
  'wallet_not_found',
  'too_many_runs',
] as const;

const runAction = createForwardedRoute({
  method: 'post',
  path: '/api/agent/run',
  mediaType: 'application/x-ndjson',
  security: byBearerOrCookie,
  body: callerRequest,
  operation: {
    operationId: 'runAction',
    summary: 'Run an action of a wallet and stream its steps',
    description:
      "The host's managed key signs the transaction, within the caps and grants of the wallet's owner on " +
      'chain. A request that fails before the first line of the stream gets an HTTP status; a later failure is the last ' +
      'line, with the status `error`. The run continues when the caller disconnects: send the same requestId to get its ' +
      'lines again, or to repeat a run that failed before anything was signed. Needs an executor key of the wallet, or a session of its owner.',
    response: {
      description: 'One AgentRunStep per line, each when it happens.',
      schema: runLines,
      itemSchema: runStep,
      headers: runHeaders,
    },
    refusals: [
      ...actionRefusals,
      'confirmation_needed',
      'frozen',
      'already_running',
      'awaiting_settlement',
      'request_id_reused',
      'daily_limit',
      'gas_limit',
      'run_limit',
    ],
    example: { requests: examples, answer: lines },
  },
});

const simulateAction = createForwardedRoute({
  method: 'post',
  path: '/api/agent/simulate',
  security: byBearerOrCookie,
  body: callerRequest,
  operation: {
    operationId: 'simulateAction',
    summary: 'Say what an action would do now',
    description:
      'Drafts, checks and simulates the action as a run does, and ends there: nothing is signed or reserved. The ' +
      'simulations of a wallet are limited as its runs are. A freeze, a daily limit or another run of the wallet can still refuse the run. Needs the same credential as the run.',
    response: { description: 'What the action would move, or why it would fail.', schema: simulationBody },
    refusals: [...actionRefusals, 'run_limit'],
    example: {
      requests: { spend: examples.spend },
      answer: {
        network: 'testnet',
        walletId,
        action: 'spend',
        address: id('d'),
        wouldSucceed: true,
        takesAtMost: spent,
        bringsAtLeast: [],
        boundsHold: true,
        steps: [{ action: 'spend', adaptor: null, capId: id('8'), calls: exampleCalls }],
        paid: spent,
        received: [],
        gasBudget: '3412000',
      },
    },
  },
});

const listRuns = createForwardedRoute({
  method: 'get',
  path: '/api/agent/runs',
  security: byBearerOrCookie,
  query: runsRequest,
  operation: {
    operationId: 'listRuns',
    summary: "List a wallet's runs with their steps",
    description: "Needs an executor key of the wallet, a session of its owner, or the host's admin secret.",
    response: { description: 'Newest first.', schema: runsBody },
    refusals: ['network_not_configured', 'wrong_wallet', 'not_your_wallet', 'wallet_not_found'],
    example: { query: { walletId, network: 'testnet' }, answer: { count: 1, runs: [exampleRun] } },
  },
});

const getRun = createForwardedRoute({
  method: 'get',
  path: '/api/agent/runs/:id',
  parameters: runId,
  security: byBearerOrCookie,
  operation: {
    operationId: 'getRun',
    summary: 'Get a run with its steps',
    response: { description: 'The run.', schema: runBody, headers: runHeaders },
    refusals: ['run_not_found'],
    example: { answer: exampleRun },
  },
});

const streamRun = createForwardedRoute({
  method: 'get',
  path: '/api/agent/runs/:id/stream',
  mediaType: 'application/x-ndjson',
  parameters: runId,
  security: byBearerOrCookie,
  query: streamRequest,
  operation: {
    operationId: 'streamRun',
    summary: 'Stream the steps of a run, from any line',
    description: 'Use it to continue after a broken connection. It starts nothing.',
    response: {
      description: 'One AgentRunStep per line: the recorded lines, then each new one when it happens.',
      schema: runLines,
      itemSchema: runStep,
      headers: runHeaders,
    },
    refusals: ['run_not_found'],
    example: { query: { from: '1' }, answer: lines },
  },
});

const verdict = { outcome: 'executed', note: 'The archive of another operator has the digest.' };

const settleRun = createForwardedRoute({
  method: 'post',
  path: '/api/agent/runs/:id/settle',
  parameters: runId,
  security: byOperator,
  body: settleRequest,
  operation: {
    operationId: 'settleRun',
    summary: 'Record how a run ended that no node can report on',
    description:
      'For a run in the state `unknown`. Look its digest up in another archive or explorer first. `executed` counts ' +
      'the reserved amounts as spent; `not_executed` releases them. The note is stored and ends the stream of the run.',
    response: { description: 'The settled run.', schema: runBody, headers: runHeaders },
    refusals: ['run_not_found', 'run_not_unknown'],
    example: { request: verdict, answer: { ...exampleRun, settledNote: verdict.note } },
  },
});

const getAgentAddress = createForwardedRoute({
  method: 'get',
  path: '/api/agent/address',
  proof: 'none',
  query: addressRequest,
  operation: {
    operationId: 'getAgentAddress',
    summary: 'Get the address that acts for a wallet',
    description:
      "Before the first run, the wallet's owner grants to this address: as a delegate with budgets, or with caps minted " +
      'for it. Needs no key. The wallet does not have to exist yet.',
    response: { description: 'The address.', schema: addressBody },
    refusals: ['network_not_configured'],
    example: {
      query: { walletId },
      answer: { network: 'testnet', walletId, address: id('d'), payer: id('e'), actsAs: 'wallet' },
    },
  },
});

const getAuthority = createForwardedRoute({
  method: 'get',
  path: '/api/agent/authority',
  security: byBearerOrCookie,
  query: authorityRequest,
  operation: {
    operationId: 'getAuthority',
    summary: 'Say what your credential may do with a wallet',
    description:
      'The address that acts for the wallet, and the bounds of your executor key. What the address may do is on chain: ' +
      "read the wallet's delegates, grants and caps.",
    response: { description: 'What the credential is now.', schema: authorityBody },
    refusals: ['network_not_configured', 'forbidden', 'wrong_wallet', 'not_your_wallet', 'wallet_not_found'],
    example: {
      query: { walletId },
      answer: {
        network: 'testnet',
        walletId,
        owner,
        paused: false,
        address: id('d'),
        confirmedOnly: false,
        key: { id: 'exec_6Vw0Zb3f', actions: ['spend'], maxPerDay: spent },
      },
    },
  },
});

export const runRoutes = [
  runAction,
  simulateAction,
  listRuns,
  getRun,
  streamRun,
  settleRun,
  getAgentAddress,
  getAuthority,
];
