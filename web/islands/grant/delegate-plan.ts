import { delegate } from '@adaptor-marketplace/adaptor/transactions';
import type { Transaction } from '@mysten/sui/transactions';
import { baseUnits, type Html, html, wholeId, wholeType } from '../../components/index.ts';

/** Remaining budget of a delegate, for one service or one coin. */
interface Budget {
  /** Type of the service or of the coin. */
  key: string;
  /** Base units. */
  amount: string;
  unlimited: boolean;
}

/** A delegate of a wallet, as the index has it. */
export interface KnownDelegate {
  address: string;
  /** Milliseconds since the epoch; null if the delegate never expires. */
  expiresMs: number | null;
  services: readonly Budget[];
  coins: readonly Budget[];
  /** `true` if the index returns only a part of the budgets. */
  truncated: boolean;
}

/** A budget for a service and a coin, and the delegate's expiry. */
interface Delegation {
  address: string;
  expiresAtMs: bigint;
  service: string;
  coinType: string;
  amount: bigint;
}

/** The effect of a transaction on a delegate, which its owner reads before the signature. */
interface DelegatePlan {
  /** `true` if the wallet has had a delegate. */
  isInitialized: boolean;
  /** `renewed`: the delegate has expired. It is removed and added again, which drops its budgets. */
  change: 'added' | 'renewed' | 'changed';
  /** Budgets that remain, with the new expiry. */
  services: readonly Budget[];
  coins: readonly Budget[];
  truncated: boolean;
}

/**
 * Plans a delegation. A delegate has one expiry for all of its budgets. A new expiry would make the old budgets of an
 * expired delegate valid again, so the plan drops them.
 */
export function planDelegation(
  { isInitialized, known }: { isInitialized: boolean; known: KnownDelegate | undefined },
  { service, coinType }: Pick<Delegation, 'service' | 'coinType'>,
  nowMs: number,
): DelegatePlan {
  const noBudgets = { isInitialized, services: [], coins: [], truncated: false };
  if (!known) return { ...noBudgets, change: 'added' };
  if (known.expiresMs !== null && known.expiresMs <= nowMs) return { ...noBudgets, change: 'renewed' };
  return {
    isInitialized,
    change: 'changed',
    services: known.services.filter(({ key }) => key !== service),
    coins: known.coins.filter(({ key }) => key !== coinType),
    truncated: known.truncated,
  };
}

/** Appends the calls of a plan to a transaction. */
export function appendDelegation(
  tx: Transaction,
  target: { packageId: string; wallet: string },
  { isInitialized, change }: DelegatePlan,
  { address, expiresAtMs, service, coinType, amount }: Delegation,
): void {
  if (!isInitialized) delegate.initialize(tx, target);
  if (change === 'renewed') delegate.remove(tx, target, address);
  if (change !== 'changed') delegate.add(tx, target, address);
  delegate.setServiceAllowance(tx, target, { delegate: address, service, amount });
  delegate.setCoinAllowance(tx, target, { delegate: address, coinType, amount });
  delegate.setExpiry(tx, target, { delegate: address, expiresAtMs });
}

/**
 * Explains the delegation to the owner before the signature.
 * @param shown the budget, with its coin
 */
export function describeDelegation(
  { change, services, coins, truncated }: DelegatePlan,
  { address, days, shown }: { address: string; days: string; shown: Html },
): Html {
  const renderBudget = (kind: string, { key, amount, unlimited }: Budget) =>
    html`<li>${kind} ${wholeType(key)}: ${unlimited ? 'no limit' : baseUnits(amount)}</li>`;
  const rest = [
    ...services.map((one) => renderBudget('Service', one)),
    ...coins.map((one) => renderBudget('Coin', one)),
  ];
  return html`<p><strong>The agent ${wholeId(address)} can use it for you, and spend up to ${shown} in all.</strong> It ends in ${days} days, with all services of this address.${change === 'changed' ? ' A budget that it has for the service or the coin is replaced.' : ''}</p>
    ${change === 'renewed' ? html`<p>What you allowed this address before has expired, and is removed.</p>` : ''}
    ${rest.length === 0 ? '' : html`<p><strong>It keeps these budgets, which then end at the same time:</strong></p><ul class="list">${rest}</ul>`}
    ${truncated ? html`<p><strong>It has more budgets than the index lists.</strong> Remove the delegate first to end all of them.</p>` : ''}`;
}
