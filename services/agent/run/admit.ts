import type { Network } from '@adaptor-marketplace/adaptor';
import type { z } from 'zod';
import { hasPlan } from '../../../db/queries/agent/operator.ts';
import { type ActionRequest, type callerRequest, resolveNetwork } from '../../../lib/actions/request.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Caller, isVouchedByOperator, type RouteDependencies, requireWallet } from '../access/caller.ts';
import { requireScope } from '../access/keys.ts';
import type { RunAccount } from './limits.ts';

export interface AdmitDependencies extends RouteDependencies {
  paywallUrl: string | undefined;
}

/** An action that its caller may request. */
export interface Admitted {
  request: ActionRequest;
  caller: Caller;
  account: RunAccount;
}

/** Applies the checks that every action passes before anything is read for it. @throws ProblemError */
export async function admitAction(
  dependencies: AdmitDependencies,
  exchange: Exchange,
  body: z.infer<typeof callerRequest>,
): Promise<Admitted> {
  const request = resolveNetwork(body, dependencies.defaultNetwork);
  const { caller, wallet } = await authorize(dependencies, exchange, request);
  requireActing(caller);
  if (wallet.owner !== request.owner) {
    throw problem('wrong_owner', `The owner of the wallet is ${wallet.owner}, not the owner in the request.`);
  }
  if (caller.kind === 'key') {
    requireScope(caller.scope, request, dependencies.nodes(request.network).settings.slots);
  }
  return { request, caller, account: await resolveAccount(dependencies, request, caller) };
}

/**
 * Finds the subjects whose limits the run counts towards. A key that an owner issued is not planned without a plan.
 * @throws ProblemError 402
 */
async function resolveAccount(
  { paywallUrl, db, now }: AdmitDependencies,
  { walletId, owner }: ActionRequest,
  caller: Caller,
): Promise<RunAccount> {
  const isVouched = isVouchedByOperator(caller);
  const hasActivePlan = (paywallUrl !== undefined || !isVouched) && (await hasPlan(db, owner, now()));
  if (paywallUrl !== undefined && !hasActivePlan) {
    throw problem('plan_required', `The owner of the wallet has no active plan. Get one at ${paywallUrl}.`);
  }
  const key = caller.kind === 'key' ? { key: { id: caller.id, scope: caller.scope } } : {};
  return { walletId, owner, planned: isVouched || hasActivePlan, ...key };
}

/** @throws ProblemError 403 for a caller that may only read runs */
export function requireActing(caller: Caller): void {
  if (caller.kind !== 'admin') return;
  throw problem(
    'forbidden',
    'The admin secret cannot run actions. Use it to issue an executor key for the wallet.',
  );
}

/** Finds the caller and the wallet, and verifies that the caller may use the wallet. */
export async function authorize(
  dependencies: RouteDependencies,
  exchange: Exchange,
  { network, walletId }: { network: Network; walletId: string },
) {
  const caller = await dependencies.findCaller(exchange);
  dependencies.nodes(network);
  const wallet = await requireWallet(dependencies.db, caller, { network, walletId });
  if (wallet) return { caller, wallet };
  throw problem(
    'wallet_not_found',
    `There is no wallet ${walletId} on ${network}, or it is not indexed yet.`,
    { status: 404 },
  );
}
