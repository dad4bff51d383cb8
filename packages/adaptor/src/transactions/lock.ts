import type { Transaction } from '@mysten/sui/transactions';
import * as action from '../calls/action.ts';
import type { WalletTarget } from '../calls/target.ts';
import type { FunctionReader } from '../chain/functions.ts';
import { unwrapAnswer } from '../chain/unwrap-answer.ts';

/** An amount of a coin. */
export interface CoinAmount {
  coinType: string;
  /** Base units. */
  amount: bigint;
}

/** Bounds of one action of a service on a wallet. The wallet itself enforces them at execution. */
export interface ActionBounds {
  /** Type of the only service that may act. */
  service: string;
  /** Maximum of each coin that the service may take. Coins that it puts back do not offset it. */
  takes: readonly CoinAmount[];
  /** Minimum of each coin that must come in, beyond what is taken of it. */
  brings: readonly CoinAmount[];
}

/**
 * Appends the calls of `append` as one action, between `action::begin` and `action::end`, with the bounds stated. The
 * service's calls never get the ticket, so they can neither widen the bounds nor end the action.
 */
export function appendAction(
  tx: Transaction,
  wallet: WalletTarget,
  { service, takes, brings }: ActionBounds,
  append: () => void,
): void {
  const ticket = action.begin(tx, wallet, service);
  for (const { coinType, amount: max } of sumByCoin(takes))
    action.mayTake(tx, wallet, { ticket, coinType, max });
  for (const { coinType, amount: min } of sumByCoin(brings)) {
    action.mustBring(tx, wallet, { ticket, coinType, min });
  }
  append();
  action.end(tx, wallet, ticket);
}

/**
 * Sums the amounts of each coin, because the wallet accepts one bound for each. Keeps the order of first occurrence,
 * and leaves zero amounts out.
 */
export function sumByCoin(amounts: readonly CoinAmount[]): CoinAmount[] {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of amounts) {
    if (amount > 0n) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  }
  return [...sums].map(([coinType, amount]) => ({ coinType, amount }));
}

/**
 * Returns `true` if a wallet package enforces bounds on actions.
 * @throws NodeUnavailableError if the node could not answer
 */
export async function hasActions(functions: FunctionReader, walletPackageId: string): Promise<boolean> {
  return unwrapAnswer(await functions.signature(walletPackageId, 'action', 'begin')) !== undefined;
}
