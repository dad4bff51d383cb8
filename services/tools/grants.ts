import type { Authority } from '../../db/queries/wallets/authority.ts';
import { type ActionStep, stepName } from '../../lib/actions/request.ts';
import { type DraftErrorCode, draftErrors, type Grant } from '../../lib/actions/tools-api.ts';
import { type FieldError, ProblemError, problem } from '../../lib/errors/index.ts';

/** A coin that an op takes; null: any, and no amount: not settled yet. */
interface Taken {
  coinType: string | null;
  amount?: bigint;
}

/** What an owner must grant so that a delegate's call of a service goes through. */
export function grantsFor(serviceType: string, takes: readonly Taken[]): Grant[] {
  if (takes.length === 0) {
    // The service keeps an asset in the wallet and moves it for any delegate with a budget.
    return [{ kind: 'delegate' }, { kind: 'service', serviceType }, { kind: 'serviceBudget', serviceType }];
  }
  const digits = (amount: bigint | undefined) => (amount === undefined ? {} : { amount: String(amount) });
  const known = takes.every(({ amount }) => amount !== undefined);
  const sum = known ? takes.reduce((total, { amount = 0n }) => total + amount, 0n) : undefined;
  return [
    { kind: 'delegate' },
    { kind: 'serviceBudget', serviceType, ...digits(sum) },
    ...takes.flatMap(({ coinType, amount }): Grant[] => [
      { kind: 'serviceCoin', serviceType, coinType, ...digits(amount) },
      { kind: 'coinBudget', coinType, ...digits(amount) },
    ]),
  ];
}

/** Merges equal grants and sums their amounts. */
export function mergeGrants(grants: readonly Grant[]): Grant[] {
  const merged = new Map<string, Grant>();
  for (const grant of grants) {
    const { amount, ...rest } = { amount: undefined, ...grant };
    const key = JSON.stringify(rest);
    const sum = BigInt(amount ?? 0) + BigInt(amountOf(merged.get(key)) ?? 0);
    merged.set(key, { ...rest, ...(sum > 0n && { amount: String(sum) }) } as Grant);
  }
  return [...merged.values()];
}

const amountOf = (grant: Grant | undefined) => (grant && 'amount' in grant ? grant.amount : undefined);

/** What the index has against a sender's acting under these grants; undefined where it has nothing. */
export function shortcomingOf(
  grants: readonly Grant[],
  sender: string,
  authority: Authority,
  nowMs: number,
): ProblemError | undefined {
  if (authority.paused) return refusal('wallet_paused');
  const missing = grants.filter((grant) => !isGranted(grant, sender, authority, nowMs));
  if (missing.length === 0) return undefined;
  const rows = missing.map((grant) => ({ path: grant.kind, message: callOfGrant(grant, sender) }));
  return refusal('grant_missing', `Missing: ${rows.map(({ message }) => message).join('; ')}.`, rows);
}

/** Whether the index knows of the grant. */
function isGranted(grant: Grant, sender: string, authority: Authority, nowMs: number): boolean {
  const { owner, delegate, grants } = authority;
  const needed = BigInt(amountOf(grant) ?? 0);
  switch (grant.kind) {
    case 'delegate':
      return sender === owner || (delegate !== undefined && (delegate.expiresMs ?? Infinity) > nowMs);
    case 'service':
      return grants.some(({ serviceType }) => serviceType === grant.serviceType);
    case 'serviceBudget':
      return sender === owner || holds(delegate?.services.get(grant.serviceType), needed);
    case 'coinBudget':
      return sender === owner || holds(delegate?.coins.get(grant.coinType ?? ''), needed);
    case 'serviceCoin':
      return grants.some(
        ({ serviceType, coin, allowance }) =>
          serviceType === grant.serviceType &&
          (coin === grant.coinType || coin.endsWith('::wallet::AnyCoin')) &&
          // Other wallet packages do not limit grants.
          (allowance === null || BigInt(allowance) >= needed),
      );
    default:
      return true;
  }
}

const holds = (budget: bigint | undefined, needed: bigint) => budget !== undefined && budget >= needed;

/** The call with which the owner grants it. */
export function callOfGrant(grant: Grant, sender: string): string {
  const atLeast = amountOf(grant) === undefined ? '' : `, at least ${amountOf(grant)}`;
  const amount = atLeast.replace(', ', '');
  switch (grant.kind) {
    case 'delegate':
      return `delegate::add(${sender})`;
    case 'service':
      return `wallet::grant_service_coin<${grant.serviceType}, any coin>`;
    case 'serviceCoin':
      return `wallet::grant_service_coin<${grant.serviceType}, ${grant.coinType}>(${amount})`;
    case 'serviceBudget':
      return `delegate::set_service_allowance<${grant.serviceType}>(${sender}${atLeast})`;
    case 'coinBudget':
      return `delegate::set_coin_allowance<${grant.coinType}>(${sender}${atLeast})`;
    case 'cap':
      return `sub_delegate::mint_root_and_transfer<${grant.coinType}>(${sender}${atLeast}), or cap_auth::mint_and_transfer(${sender})`;
    case 'recipient':
      return `rule::allow(${grant.recipient})`;
  }
}

/** A 422: the request is valid, but the catalog or the chain does not allow it. */
export function refusal(code: DraftErrorCode, reason?: string, errors?: FieldError[]): ProblemError {
  const detail = [draftErrors[code], reason].filter(Boolean).join(' ');
  return problem(code, detail, { status: 422, errors });
}

/** Names a step in its refusal, where the draft has several. */
export type NameStep = (step: ActionStep, error: unknown) => unknown;

export function stepNamer(steps: readonly ActionStep[]): NameStep {
  return (step, error) => {
    if (steps.length < 2 || !(error instanceof ProblemError) || error.status !== 422) return error;
    const { status, code, title, errors, headers } = error;
    const detail = `${stepName(steps.indexOf(step), step)}: ${error.message}`;
    return new ProblemError({ status, code, title, detail, headers, errors });
  };
}
