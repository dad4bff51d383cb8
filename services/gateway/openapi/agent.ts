import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { examples } from '../../../lib/actions/examples.ts';
import { describedRequest } from '../../../lib/actions/request.ts';
import {
  addressBody,
  addressRequest,
  confirmAdaptorRequest,
  confirmedAdaptorBody,
  confirmedAdaptorsBody,
  executorKeyBody,
  executorKeyChange,
  executorKeyRequest,
  executorKeysBody,
  executorKeysMax,
  executorKeysRequest,
  freezeBody,
  freezeRequest,
  freezesBody,
  issuedExecutorKeyBody,
  nonceBody,
  nonceRequest,
  planBody,
  planRequest,
  plansBody,
  removeAdaptorRequest,
  runBody,
  runsBody,
  runsRequest,
  sessionBody,
  settleRequest,
  signedInBody,
  signInRequest,
  streamRequest,
  unfreezeRequest,
} from '../../../lib/agent/shapes.ts';
import { bySecret } from './limits.ts';
import { headers, identified, ok, refused } from './responses.ts';

/** An executor key, a session or the host's secret, as each operation says; a session may come as a cookie. */
const byBearerOrCookie: NonNullable<ZodOpenApiOperationObject['security']> = [
  { bearer: [] },
  { agentSessionCookie: [] },
];
const keyPath = z.object({ id: z.string().meta({ description: '`exec_...`' }) });
const notYours = refused('`not_your_wallet`: the session is of an address that does not own the wallet.');

const unauthorized = refused(
  '`unauthorized`: no credential. `invalid_key`, `invalid_session`, `invalid_credentials`: a wrong one, or one that is over.',
  { 'www-authenticate': headers['www-authenticate'] },
);
const unavailable = {
  502: refused('`agent_unavailable`: the agent service did not answer.'),
  503: refused('`agent_not_configured`: this host runs no actions. Or its database cannot be reached.'),
};
const notServed = '`network_not_configured`: this host runs no actions there; detail names where it does.';
const badQuery = refused(
  `A parameter is unknown, repeated, missing or invalid; errors names each. ${notServed}`,
);
const bodyRefusals = {
  400: refused(`The body is no JSON object, or a field is missing or wrong; errors names each. ${notServed}`),
  413: refused('The body is too large.'),
  415: refused('The body is not sent as application/json in UTF-8.'),
};
const body = (schema: z.ZodType) => ({ required: true, content: { 'application/json': { schema } } });
const done: ZodOpenApiResponseObject = { description: 'Done.', headers: identified };
const shown = (description: string, schema: z.ZodType) => ok(description, schema, identified);

const runLines = z.string().meta({
  description: 'Lines, each an AgentRunStep as JSON and a line feed, when its step begins, ends or fails.',
  contentMediaType: 'application/x-ndjson',
});
const lines = [
  { step: 'validate', status: 'active' },
  { step: 'validate', status: 'done' },
  { step: 'sign', status: 'done', digest: '24qR7uvsE9BG6oCV1f4RmBhP1FiFmnxAHJ3N9hyLFjf7' },
  { step: 'confirm', status: 'done', digest: '24qR7uvsE9BG6oCV1f4RmBhP1FiFmnxAHJ3N9hyLFjf7' },
];

const ofRun = {
  'x-run-id': z.string().meta({ description: 'The run, as in the list.' }),
  'x-run-attempt': z.string().meta({ description: 'Which run of its requestId it is, from 1.' }),
};
const stream = (description: string): ZodOpenApiResponseObject => ({
  description,
  headers: identified.extend(ofRun),
  content: {
    'application/x-ndjson': {
      schema: runLines,
      'x-itemSchema': { $ref: '#/components/schemas/AgentRunStep' },
      example: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    },
  },
});
const runPath = z.object({ id: z.string().meta({ description: '`x-run-id` of the run.' }) });
const noRun = refused('`run_not_found`: no run has this id, or it is of a wallet that is not yours.');

const run: ZodOpenApiOperationObject = {
  operationId: 'runAction',
  tags: ['agent'],
  summary: 'Run an action of a wallet, and watch it',
  description:
    "Signed with the host's managed key, within the caps and grants that the wallet's owner gave it on chain. What " +
    'fails before the first line is a status; after it, an `error` line and the end. A run does not stop when its ' +
    'caller goes away: the same requestId shows its lines again. A run that failed before anything was signed is ' +
    'attempted again when the same request is sent under its requestId. ' +
    'With an executor key of the wallet, or a session of its owner.',
  security: byBearerOrCookie,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: describedRequest,
        examples: Object.fromEntries(Object.entries(examples).map(([action, value]) => [action, { value }])),
      },
    },
  },
  responses: {
    200: stream('One AgentRunStep per line, each when it happens.'),
    ...bodyRefusals,
    401: unauthorized,
    402: refused('`plan_required`: the owner has no active plan; detail says where to get one.'),
    403: refused(
      '`wrong_wallet`, `not_your_wallet`, `wrong_owner`: the wallet is not for this credential or owner. `out_of_scope`: ' +
        'the executor key may not do this; detail says what it may. `frozen`: the host runs nothing for it at present.',
    ),
    404: refused('`wallet_not_found`.'),
    406: refused('The accept header refuses application/x-ndjson.'),
    409: refused(
      '`already_running`: another action of the wallet is under way. `awaiting_settlement`: no node can say how the ' +
        "wallet's last run ended; the operator settles it.",
      { 'retry-after': headers['retry-after'] },
    ),
    422: refused('`request_id_reused`: another action was sent under this requestId.'),
    429: refused(
      '`daily_limit`: it would take more of a coin than a UTC day allows for the wallet or the executor key. ' +
        '`gas_limit`: the gas of the day is used up, for the wallet, its owner, or all callers without a plan. ' +
        '`too_many_runs`: callers without a plan, or this owner without one, have as many runs open as may be at a time. ' +
        "`run_limit`: the wallet's runs of the day are. `rate_limited`: the caller's own limit.",
      { 'retry-after': headers['retry-after'] },
    ),
    ...unavailable,
  },
};

/** What the agent service answers. */
export const agentPaths: ZodOpenApiPathsObject = {
  '/api/agent/run': { post: run },
  '/api/agent/runs': {
    get: {
      operationId: 'listRuns',
      tags: ['agent'],
      summary: "A wallet's runs, with their steps",
      description: "With an executor key of the wallet, a session of its owner, or the host's admin secret.",
      security: byBearerOrCookie,
      requestParams: { query: runsRequest },
      responses: {
        200: shown('The newest first.', runsBody),
        400: badQuery,
        401: unauthorized,
        403: refused('`wrong_wallet`, `not_your_wallet`: the wallet is not for this credential.'),
        404: refused('`wallet_not_found`.'),
        ...unavailable,
      },
    },
  },
  '/api/agent/address': {
    get: {
      operationId: 'showAgentAddress',
      tags: ['agent'],
      summary: 'Which address acts for a wallet',
      description:
        'The owner grants to it before the first run: as a delegate with budgets, or by caps minted for it. Keyless, ' +
        'also for a wallet that does not exist yet.',
      requestParams: { query: addressRequest },
      responses: { 200: shown('The address.', addressBody), 400: badQuery, ...unavailable },
    },
  },
  '/api/agent/adaptors': {
    get: {
      operationId: 'listConfirmedAdaptors',
      tags: ['agent'],
      summary: 'Adaptors that the operator confirmed',
      description:
        'Runs call no other adaptor for a wallet whose package has no lock, or that granted to the payer itself.',
      security: bySecret,
      responses: { 200: shown('By service.', confirmedAdaptorsBody), 401: unauthorized, ...unavailable },
    },
    post: {
      operationId: 'confirmAdaptor',
      tags: ['agent'],
      summary: 'Confirm a listed adaptor at one version',
      description:
        'In place of the version that was confirmed before. An update of the listing ends it until the new manifest is confirmed.',
      security: bySecret,
      requestBody: body(confirmAdaptorRequest),
      responses: {
        200: shown('The adaptor, with what its listing names now.', confirmedAdaptorBody),
        ...bodyRefusals,
        401: unauthorized,
        404: refused('`adaptor_not_listed`: not in the catalog, or not by its verified publisher.'),
        409: refused('`adaptor_changed`: the listed manifest has another hash, which detail names.'),
        ...unavailable,
      },
    },
    delete: {
      operationId: 'removeConfirmedAdaptor',
      tags: ['agent'],
      summary: 'Take an adaptor off the confirmed ones',
      security: bySecret,
      requestParams: { query: removeAdaptorRequest },
      responses: {
        204: done,
        400: badQuery,
        401: unauthorized,
        404: refused('`adaptor_not_confirmed`.'),
        ...unavailable,
      },
    },
  },
  '/api/agent/runs/{id}': {
    get: {
      operationId: 'showRun',
      tags: ['agent'],
      summary: 'A run, with its steps',
      security: byBearerOrCookie,
      requestParams: { path: runPath },
      responses: {
        200: ok('The run.', runBody, identified.extend(ofRun)),
        401: unauthorized,
        404: noRun,
        ...unavailable,
      },
    },
  },
  '/api/agent/runs/{id}/stream': {
    get: {
      operationId: 'followRun',
      tags: ['agent'],
      summary: 'Watch a run, from its first line or a later one',
      description:
        'The lines that the request of the run gets. It begins nothing: reattach with it after a broken connection.',
      security: byBearerOrCookie,
      requestParams: { path: runPath, query: streamRequest },
      responses: {
        200: stream('One AgentRunStep per line, those that happened and those to come.'),
        400: badQuery,
        401: unauthorized,
        404: noRun,
        406: refused('The accept header refuses application/x-ndjson.'),
        ...unavailable,
      },
    },
  },
  '/api/agent/runs/{id}/settle': {
    post: {
      operationId: 'settleRun',
      tags: ['agent'],
      summary: 'Say how a run ended that no node can speak of',
      description:
        'For a run in the state `unknown`. Look its digest up in another archive or explorer first. `executed` counts ' +
        'what was set aside as spent; `not_executed` gives it back. The note is kept and ends the stream of the run.',
      security: bySecret,
      requestParams: { path: runPath },
      requestBody: body(settleRequest),
      responses: {
        200: ok('The run, settled.', runBody, identified.extend(ofRun)),
        ...bodyRefusals,
        401: unauthorized,
        404: noRun,
        409: refused('`run_not_unknown`: the run is in another state.'),
        ...unavailable,
      },
    },
  },
  '/api/agent/session/nonce': {
    post: {
      operationId: 'askNonce',
      tags: ['agent'],
      summary: 'Ask for what to sign to sign in',
      requestBody: body(nonceRequest),
      responses: {
        200: shown('Good for once, and for five minutes.', nonceBody),
        ...bodyRefusals,
        ...unavailable,
      },
    },
  },
  '/api/agent/session': {
    post: {
      operationId: 'signIn',
      tags: ['agent'],
      summary: 'Sign in with the key of an address',
      description: 'The session runs actions of the wallets that the address owns, for twelve hours.',
      requestBody: body(signInRequest),
      responses: {
        200: ok(
          'The session, as a bearer token and as an http-only cookie.',
          signedInBody,
          identified.extend({ 'set-cookie': headers['set-cookie'] }),
        ),
        401: refused('`invalid_nonce`, `nonce_used`, `invalid_signature`.', {
          'www-authenticate': headers['www-authenticate'],
        }),
        ...bodyRefusals,
        ...unavailable,
      },
    },
    get: {
      operationId: 'showSession',
      tags: ['agent'],
      summary: 'Who is signed in',
      description: 'With a session.',
      security: byBearerOrCookie,
      responses: { 200: shown('The session.', sessionBody), 401: unauthorized, ...unavailable },
    },
    delete: {
      operationId: 'signOut',
      tags: ['agent'],
      summary: 'Sign out',
      description: 'With a session.',
      security: byBearerOrCookie,
      responses: { 204: done, 401: unauthorized, ...unavailable },
    },
  },
  '/api/agent/keys': {
    get: {
      operationId: 'listExecutorKeys',
      tags: ['agent'],
      summary: 'Executor keys: of your wallet, or of this host',
      description: "With a session: those of a wallet that its address owns, the operator's among them.",
      security: byBearerOrCookie,
      requestParams: { query: executorKeysRequest },
      responses: {
        200: shown('Without the keys themselves.', executorKeysBody),
        400: badQuery,
        401: unauthorized,
        403: notYours,
        ...unavailable,
      },
    },
    post: {
      operationId: 'issueExecutorKey',
      tags: ['agent'],
      summary: 'Issue a key that runs actions of one wallet',
      description:
        "By the wallet's owner with a session, or by the operator. What the key may do can be bounded here and be " +
        'narrowed later, and never be widened.',
      security: byBearerOrCookie,
      requestBody: body(executorKeyRequest),
      responses: {
        200: shown('The key, which is shown here and never again.', issuedExecutorKeyBody),
        ...bodyRefusals,
        401: unauthorized,
        403: notYours,
        409: refused(`\`too_many_keys\`: the wallet has ${executorKeysMax} that work.`),
        ...unavailable,
      },
    },
  },
  '/api/agent/keys/{id}': {
    patch: {
      operationId: 'narrowExecutorKey',
      tags: ['agent'],
      summary: 'Narrow an executor key',
      description:
        'What the body leaves out stays. Effective at once: a run that is being prepared with the key ends unsigned.',
      security: byBearerOrCookie,
      requestParams: { path: keyPath },
      requestBody: body(executorKeyChange),
      responses: {
        200: shown('The key as it is after the change.', executorKeyBody),
        ...bodyRefusals,
        401: unauthorized,
        404: refused('`key_not_found`: there is none, or it is of a wallet that is not yours.'),
        422: refused('`scope_widened`: the change would allow more; errors names the field.'),
        ...unavailable,
      },
    },
    delete: {
      operationId: 'revokeExecutorKey',
      tags: ['agent'],
      summary: 'Revoke an executor key',
      description: 'Effective at once: a run that is being prepared with the key ends unsigned.',
      security: byBearerOrCookie,
      requestParams: { path: keyPath },
      responses: {
        204: done,
        401: unauthorized,
        404: refused('`key_not_found`: there is none, or it is of a wallet that is not yours.'),
        ...unavailable,
      },
    },
  },
  '/api/agent/plans': {
    get: {
      operationId: 'listPlans',
      tags: ['agent'],
      summary: 'Active plans',
      description: "With the host's admin secret.",
      security: bySecret,
      responses: { 200: shown('By owner.', plansBody), 401: unauthorized, ...unavailable },
    },
    post: {
      operationId: 'grantPlan',
      tags: ['agent'],
      summary: 'Grant an owner a plan, in place of another',
      description: "With the host's admin secret.",
      security: bySecret,
      requestBody: body(planRequest),
      responses: { 200: shown('The plan.', planBody), ...bodyRefusals, 401: unauthorized, ...unavailable },
    },
  },
  '/api/agent/plans/{owner}': {
    delete: {
      operationId: 'endPlan',
      tags: ['agent'],
      summary: "End an owner's plan",
      description: "With the host's admin secret.",
      security: bySecret,
      requestParams: { path: z.object({ owner: z.string() }) },
      responses: { 204: done, 401: unauthorized, 404: refused('`plan_not_found`.'), ...unavailable },
    },
  },
  '/api/agent/freezes': {
    get: {
      operationId: 'listFreezes',
      tags: ['agent'],
      summary: 'Where nothing is signed at present',
      description: "With the host's admin secret.",
      security: bySecret,
      responses: { 200: shown('The newest first.', freezesBody), 401: unauthorized, ...unavailable },
    },
    post: {
      operationId: 'freeze',
      tags: ['agent'],
      summary: 'Sign nothing any more: for a wallet, a network or at all',
      description:
        "Also stops what is being prepared; what is signed already is settled. With the host's admin secret.",
      security: bySecret,
      requestBody: body(freezeRequest),
      responses: {
        200: shown('The freeze.', freezeBody),
        ...bodyRefusals,
        401: unauthorized,
        ...unavailable,
      },
    },
    delete: {
      operationId: 'unfreeze',
      tags: ['agent'],
      summary: 'End a freeze',
      description:
        "The query names what the freeze named; without it, the freeze of everything ends. With the host's admin secret.",
      security: bySecret,
      requestParams: { query: unfreezeRequest },
      responses: {
        204: done,
        400: refused(
          'A parameter is unknown, repeated or invalid; errors names each. `unexpected_body`: the request has a body.',
        ),
        401: unauthorized,
        404: refused('`freeze_not_found`.'),
        ...unavailable,
      },
    },
  },
};
