import type { Transaction } from '@mysten/sui/transactions';
import * as action from '../calls/action.ts';
import type { WalletTarget } from '../calls/target.ts';
import { foundOf } from '../chain/found.ts';
import type { FunctionReader } from '../chain/functions.ts';

export interface CoinAmount {
  coinType: string;
  /** In base units. */
  amount: bigint;
}

/** What one service may do to a wallet in one action; the wallet itself holds it to that, at execution. */
export interface ActionBounds {
  /** The service's type: of all services it alone acts. */
  service: string;
  /** At most, of each coin. What is put back does not count. */
  takes: readonly CoinAmount[];
  /** At least, of each coin, beyond what is taken of it. */
  brings: readonly CoinAmount[];
}

/**
 * Appends what `append` does as an action: between `action::begin` and `action::end`, with the bounds stated. The
 * service's calls never get the ticket, so they can neither widen the bounds nor end the action.
 */
export function asAction(
  tx: Transaction,
  wallet: WalletTarget,
  { service, takes, brings }: ActionBounds,
  append: () => void,
): void {
  const ticket = action.begin(tx, wallet, service);
  for (const { coinType, amount: max } of byCoin(takes))
    action.mayTake(tx, wallet, { ticket, coinType, max });
  for (const { coinType, amount: min } of byCoin(brings)) {
    action.mustBring(tx, wallet, { ticket, coinType, min });
  }
  append();
  action.end(tx, wallet, ticket);
}

/** Each coin once, as the wallet wants its bounds, with the sum of its amounts; in their first order. */
export function byCoin(amounts: readonly CoinAmount[]): CoinAmount[] {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of amounts) {
    if (amount > 0n) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  }
  return [...sums].map(([coinType, amount]) => ({ coinType, amount }));
}

/**
 * Whether a wallet package holds actions to bounds.
 * @throws NodeError where the node does not say
 */
export async function hasActions(functions: FunctionReader, walletPackageId: string): Promise<boolean> {
  return foundOf(await functions.signature(walletPackageId, 'action', 'begin')) !== undefined;
}
