import type { ProblemEntry } from './entry.ts';

/** Errors of agent actions. Those of status 422 are the tool service's; in a run they arrive as an error line. */
export const agentProblems = {
  agent_not_configured: {
    status: 503,
    title: 'Agent service not configured',
    meaning: 'The service runs no actions, because it has no managed key and no agent service.',
    whatToDo: 'The operator sets `AGENT_SECRET_KEY`, or `AGENT_URL`.',
  },
  agent_unavailable: {
    status: 502,
    title: 'Agent service unavailable',
    meaning: 'The agent service did not answer.',
    whatToDo:
      'Send the request again after the seconds in `retry-after`. For a run, use the same `requestId`: then the action is executed at most once.',
    retryAfterSeconds: 2,
  },
  plan_required: {
    status: 402,
    title: 'Plan required',
    meaning: 'Runs need an active plan, and the owner of the wallet has none.',
    whatToDo: 'Get a plan at the url that `detail` names.',
  },
  frozen: {
    status: 403,
    title: 'Frozen',
    meaning: 'The operator has frozen this wallet, its network, or everything.',
    whatToDo:
      '`detail` has the reason. Ask the operator, and send the request again once the freeze has ended.',
  },
  run_not_found: {
    status: 404,
    title: 'Run not found',
    meaning: 'There is no run of this id, or it belongs to a wallet that you may not see.',
    whatToDo: "List a wallet's runs with `GET /api/agent/runs`.",
  },
  already_running: {
    status: 409,
    title: 'Already running',
    meaning: 'Another action of the wallet is in progress. A wallet runs one action at a time.',
    whatToDo: 'Send the request again after that run has ended.',
    retryAfterSeconds: 1,
  },
  awaiting_settlement: {
    status: 409,
    title: 'Awaiting settlement',
    meaning:
      'No node can say whether an earlier run of the wallet executed. The wallet stays locked until the operator settles that run.',
    whatToDo: 'Report the run that `detail` names to the operator.',
  },
  run_not_unknown: {
    status: 409,
    title: 'Run not unknown',
    meaning: 'The operator can settle only a run in the state `unknown`.',
    whatToDo: 'Read the run: its state is final, or it is still in progress.',
  },
  request_id_reused: {
    status: 422,
    title: 'Request id reused',
    meaning: 'Another action was sent under this `requestId`.',
    whatToDo: 'Choose a new `requestId` for each action, and keep it when you send the same action again.',
  },
  too_many_runs: {
    status: 429,
    title: 'Too many runs',
    meaning:
      'The maximum number of actions is in progress, of this owner or of all callers without a plan; or the maximum number of simulations, of this owner, of your API key or address, or of all.',
    whatToDo:
      'Send the request again after the seconds in `retry-after`. With a plan, or an executor key of the operator, actions have no such limit, and simulations have a higher one.',
    retryAfterSeconds: 2,
  },
  daily_limit: {
    status: 429,
    title: 'Daily limit exceeded',
    meaning: 'The action would take more of a coin than may be taken on one UTC day.',
    whatToDo: 'Reduce the amount, or send the request again after 0:00 UTC.',
  },
  gas_limit: {
    status: 429,
    title: 'Daily gas limit exceeded',
    meaning:
      'The gas for the runs of one UTC day is used up: of this wallet, of its owner, or of all callers without a plan.',
    whatToDo:
      'Send the request again after 0:00 UTC. If it is the limit of all callers without a plan, a plan helps too.',
  },
  run_limit: {
    status: 429,
    title: 'Daily run limit exceeded',
    meaning: 'The wallet has used up its runs, or its simulations, of this UTC day.',
    whatToDo: 'Send the request again after 0:00 UTC.',
  },
  plan_not_found: {
    status: 404,
    title: 'Plan not found',
    meaning: 'The owner has no active plan.',
    whatToDo: 'List the active plans with `GET /api/agent/plans`.',
  },
  plan_changed: {
    status: 409,
    title: 'Plan changed',
    meaning: 'The owner has another plan than the one that the request names: a later one replaced it.',
    whatToDo: 'Read the plan with `GET /api/agent/plans`, then decide again, by its `grantedMs`.',
  },
  freeze_changed: {
    status: 409,
    title: 'Freeze changed',
    meaning: 'The freeze was set again, for another reason, after the one that the request names.',
    whatToDo: 'Read its reason with `GET /api/agent/freezes`, then decide again, by its `frozenMs`.',
  },
  freeze_not_found: {
    status: 404,
    title: 'Freeze not found',
    meaning: 'No freeze has exactly this scope: a wallet, a network, a wallet on one network, or everything.',
    whatToDo:
      'List the freezes with `GET /api/agent/freezes`, and send the `network` and the `walletId` of one.',
  },
  adaptor_not_confirmed: {
    status: 404,
    title: 'Adaptor not confirmed',
    meaning: 'The operator has not confirmed this adaptor.',
    whatToDo: 'List the confirmed adaptors with `GET /api/agent/adaptors`.',
  },
  adaptor_changed: {
    status: 409,
    title: 'Adaptor changed',
    meaning: 'The listed manifest has another hash than the one in the request: the listing changed.',
    whatToDo: 'Read the manifest that is listed now, then confirm its hash.',
  },
  adaptor_not_listed: {
    status: 404,
    toolServiceStatus: 422,
    title: 'Adaptor not listed',
    meaning:
      'The catalog has no adaptor of this service type by its verified publisher, or its manifest is not verified.',
    whatToDo: 'Choose an adaptor from the catalog.',
  },
  adaptor_quarantined: {
    status: 403,
    toolServiceStatus: 422,
    title: 'Adaptor in quarantine',
    meaning:
      'An operator of this marketplace quarantined the adaptor or its publisher. `detail` has the reason.',
    whatToDo: 'Choose another adaptor, and revoke what you granted to this one.',
  },
  slot_not_configured: {
    status: 422,
    title: 'Slot not configured',
    meaning: 'No adaptor fills the slot of the action on the network.',
    whatToDo: 'Name an adaptor where the action takes one, or ask the operator to fill the slot.',
  },
  op_not_found: {
    status: 422,
    title: 'Op not found',
    meaning: 'The adaptor lists no executable op for the action.',
    whatToDo: 'Choose another adaptor.',
  },
  op_not_executable: {
    status: 422,
    title: 'Op not executable',
    meaning: 'The op that the adaptor lists for the action cannot be executed. `detail` has the reason.',
    whatToDo: 'Choose another adaptor.',
  },
  coin_not_supported: {
    status: 422,
    title: 'Coin not supported',
    meaning: 'No op of the adaptor takes these coins, this pool or this market.',
    whatToDo: 'Correct them, or choose another adaptor.',
  },
  argument_mismatch: {
    status: 422,
    title: 'Argument mismatch',
    meaning: 'The op needs a value that neither the action nor the manifest gives, or one of another type.',
    whatToDo: 'Correct the value that `detail` names.',
  },
  wallet_paused: {
    status: 422,
    title: 'Wallet paused',
    meaning: 'The owner has paused the wallet.',
    whatToDo: 'Send the request again once the owner has resumed it.',
  },
  grant_missing: {
    status: 422,
    title: 'Grant missing',
    meaning: 'The owner has not granted what the action takes.',
    whatToDo: 'The owner makes the calls that `errors` lists; then send the request again.',
  },
  cap_missing: {
    status: 422,
    title: 'Cap missing',
    meaning: "The agent holds no cap with which the wallet's policy lets it spend this.",
    whatToDo: 'The owner makes the call that `errors` names; then send the request again.',
  },
  recipient_not_allowed: {
    status: 422,
    title: 'Recipient not allowed',
    meaning: "The recipient is not on the wallet's allowlist.",
    whatToDo: 'The owner adds the recipient to the allowlist; then send the request again.',
  },
  caveat_not_supported: {
    status: 422,
    title: 'Caveat not supported',
    meaning: "The wallet's policy requires a caveat that this service cannot satisfy.",
    whatToDo: 'The owner changes the policy, or signs the transaction.',
  },
} as const satisfies Record<string, ProblemEntry>;
