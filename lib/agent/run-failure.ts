import { type DraftErrorCode, draftErrors } from '../actions/tools-api.ts';

/**
 * Meanings of the codes of a run's error line: what happened, and what to do. After a failure before the signature, the
 * same request with the same `requestId` starts another attempt.
 */
export const runCodes = {
  slot_not_configured: `${draftErrors.slot_not_configured} Ask the operator to fill it, or name an adaptor where the action takes one.`,
  adaptor_not_listed: `${draftErrors.adaptor_not_listed} Choose one from the catalog.`,
  adaptor_quarantined: `${draftErrors.adaptor_quarantined} \`detail\` has the reason. Nothing was signed. Choose another adaptor, and revoke what you granted to this one.`,
  op_not_found: `${draftErrors.op_not_found} Choose another adaptor.`,
  op_not_executable: `${draftErrors.op_not_executable} \`detail\` has the reason. Choose another adaptor.`,
  coin_not_supported: `${draftErrors.coin_not_supported} Correct them, or choose another adaptor.`,
  argument_mismatch: `${draftErrors.argument_mismatch} Correct the value that \`detail\` names.`,
  wallet_not_found: `${draftErrors.wallet_not_found} Correct \`walletId\` or \`owner\`; of a new wallet, send the request again shortly.`,
  wallet_paused: `${draftErrors.wallet_paused} Send the request again once the owner has unpaused it.`,
  grant_missing: `${draftErrors.grant_missing} The owner makes the calls that \`detail\` names; then send the request again.`,
  cap_missing: `${draftErrors.cap_missing} The owner gives it one; then send the request again.`,
  recipient_not_allowed: `${draftErrors.recipient_not_allowed} The owner puts it there; then send the request again.`,
  caveat_not_supported: `${draftErrors.caveat_not_supported} The owner changes the policy.`,
  tools_unavailable:
    'The tool service did not answer, or returned an invalid response. Send the request again.',
  node_unavailable: "The network's node did not answer. Send the request again.",
  unexpected_transaction:
    'The drafted transaction is not what was requested, or may touch more. Nothing was signed. Report it to the operator.',
  bounds_exceeded:
    'The transaction would take more, or must bring less, than the `bounds` of the request. Nothing was signed. Simulate again, and decide by the new bounds, under another `requestId`.',
  listing_changed:
    'The listing of an adaptor is not the one that the `bounds` of the request name, or it was updated while the transaction was drafted. Nothing was signed. Send the request again. With `bounds`, first simulate again and decide by the calls that the new listing makes, and use another `requestId`.',
  not_executable: 'The chain does not accept the transaction; `detail` has its reason. Nothing was sent.',
  move_abort:
    'A contract aborted; `detail` names the package, the function and the code. Correct the cause and send the request again, under another `requestId` if the line has a digest.',
  insufficient_gas:
    'The action needs more gas than one run may cost. Smaller amounts do not change that. Send the steps of a composition in separate runs, or ask the operator for a higher `AGENT_GAS_MAX`.',
  execution_failed:
    'The chain refused the transaction; `detail` has its reason. Nothing left the wallet. If the line has a digest, use another `requestId`.',
  agent_out_of_gas:
    "The operator's key has no coin to pay the gas with. Send the request again once it is funded.",
  daily_limit: 'A daily limit is used up. Send the request again after 0:00 UTC.',
  gas_limit:
    'A daily limit of gas is used up. Send the request again after 0:00 UTC. If it is the limit of all callers without a plan, a plan helps too.',
  run_limit: 'The wallet has used up its runs of this day. Send the request again after 0:00 UTC.',
  invalid_key:
    'The executor key was revoked or ended while the transaction was prepared. Nothing was sent. Use another key.',
  out_of_scope:
    'The action takes more than the executor key allows, or the key was narrowed meanwhile. Nothing was sent.',
  adaptor_not_confirmed:
    "Nothing on chain holds this adaptor to bounds here, and the operator has not confirmed its listed version. Ask the operator, or grant to the wallet's own agent address.",
  update_not_confirmed:
    'The code of an update of this adaptor may do more than before, or is not compared with it yet, and neither the owner nor the operator has confirmed it. Nothing was signed. Read what it may do more, then confirm it with `POST /api/agent/updates`.',
  frozen:
    'The wallet, its network or everything was frozen while the transaction was prepared: by the operator, or because the database lost runs of the wallet. Nothing was sent.',
  interrupted: 'The service stopped before anything was signed. Nothing was spent. Send the request again.',
  internal_error:
    'An error of this service, before anything was sent. Send the request again, and report it.',
  overtaken:
    'Another transaction used an object of this one first, so it can never execute. Nothing was spent. Send the request under another `requestId`.',
  unknown:
    "It was signed and sent, and no node can say whether it executed, or the database lost what followed. The wallet stays locked until the operator settles the run. Do not send the request again; follow the run's stream.",
  not_executed:
    'The operator settled the run: it did not execute. Nothing was spent. Send the request under another `requestId`.',
} as const satisfies Record<DraftErrorCode, string> & Record<string, string>;

export type RunCode = keyof typeof runCodes;

/** Failure of a run. The caller receives the code and the detail. */
export class RunFailedError extends Error {
  readonly code: RunCode;

  /** @param detail what is wrong and what to do, for people */
  constructor(code: RunCode, detail: string) {
    super(detail);
    this.name = 'RunFailedError';
    this.code = code;
  }
}

/** Failure of a run whose drafted transaction does not match the request, or cannot be proven to match. */
export function refusal(reason: string): RunFailedError {
  return new RunFailedError(
    'unexpected_transaction',
    `The drafted transaction does not match the request: ${reason}. Nothing was signed.`,
  );
}
