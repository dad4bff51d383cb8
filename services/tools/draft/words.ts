import { amountInWords, type CoinUnit } from '@adaptor-marketplace/adaptor/chain/coin-units';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import type { Action } from '../../../lib/actions/request.ts';
import type { Part } from './part.ts';

const titles: Record<Exclude<Action, 'compose'>, string> = {
  spend: 'Payment',
  swap: 'Swap',
  lendingADeposit: 'Deposit at lender A',
  lendingAWithdraw: 'Withdrawal from lender A',
  lendingBDeposit: 'Deposit at lender B',
  lendingBWithdraw: 'Withdrawal from lender B',
  lendingCDeposit: 'Deposit at lender C',
  lendingCWithdraw: 'Withdrawal from lender C',
  stablecoinBorrow: 'Stablecoin loan',
  stablecoinRepay: 'Repayment of a stablecoin loan',
  stablecoinSavingsDeposit: 'Deposit into stablecoin savings',
  stablecoinSavingsWithdraw: 'Withdrawal from stablecoin savings',
  liquidStakeStake: 'Liquid stake',
  liquidStakeUnstake: 'End of a liquid stake',
  vaultDeposit: 'Deposit into a vault',
  clmmLiquidity: 'Liquidity in a price range',
  perpOrder: 'Perpetuals order',
  perpMarginDeposit: 'Deposit of margin',
  currentSupply: 'Supply to a market',
};

/** What a step does, in one sentence for people. */
export function inWords(part: Part, units: ReadonlyMap<string, CoinUnit>): string {
  const { action, adaptor, about, recipient, spends, receives } = part;
  const sums = (coins: readonly CoinAmount[]) =>
    coins
      .map(({ coinType, amount }) => amountInWords(coinType, String(amount), units.get(coinType)))
      .join(' and ');
  return [
    titles[action as keyof typeof titles],
    ...(adaptor ? [` through ${adaptor.name}`] : []),
    ...(about === null ? [] : [` (${about})`]),
    ': ',
    spends.length > 0 ? `takes at most ${sums(spends)} out of the wallet` : 'takes nothing out of the wallet',
    ...(recipient === null ? [] : [` and pays it to ${recipient}`]),
    ...(receives.length > 0 ? [`, brings at least ${sums(receives)} into it`] : []),
    '.',
  ].join('');
}
