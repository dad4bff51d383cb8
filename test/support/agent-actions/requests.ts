import type { Action } from '../../../lib/actions/request.ts';
import { dollars, milliSui, SUI } from '../../../services/demo/publish.ts';
import { findTick } from '../../../services/demo/trading.ts';
import { price, tickSpacing } from '../../../services/demo/venues.ts';
import type { DemoTools } from '../demo-tools.ts';

/** Fields of a request that depend on its action. */
export type Fields = Record<string, unknown> & { action: Action };

export function actionRequests({ demo: { venues, provider } }: Pick<DemoTools, 'demo'>) {
  const dollar = venues.swap.coins.b!;
  const marketId = venues.perp.objects.market!;
  const bothCoins = { amountA: String(milliSui(500)), amountB: String(dollars(2)) };
  const range = {
    tickLower: findTick(price * 0.8, tickSpacing),
    tickUpper: findTick(price * 1.25, tickSpacing),
  };
  const lend =
    (slot: 'A' | 'B' | 'C', way: 'Deposit' | 'Withdraw', coinType: string) =>
    (amount: bigint): Fields => ({ action: `lending${slot}${way}`, coinType, amount: String(amount) });
  const stablecoin = (what: 'Repay' | 'SavingsDeposit' | 'SavingsWithdraw', amount: number): Fields => ({
    action: `stablecoin${what}`,
    amount: String(dollars(amount)),
  });
  const clmm = (operation: string, more: Record<string, unknown> = {}): Fields => ({
    action: 'clmmLiquidity',
    operation,
    poolId: venues.clmm.objects.pool,
    positionName: 'around the price',
    ...more,
  });
  return {
    spend: (): Fields => ({
      action: 'spend',
      coinType: SUI,
      amount: String(milliSui(10)),
      recipient: provider.address,
    }),
    swap: (amountIn: bigint, minOut: bigint): Fields => ({
      action: 'swap',
      coinIn: SUI,
      coinOut: dollar,
      amountIn: String(amountIn),
      minOut: String(minOut),
    }),
    lendingA: { deposit: lend('A', 'Deposit', SUI), withdraw: lend('A', 'Withdraw', SUI) },
    lendingB: { deposit: lend('B', 'Deposit', dollar), withdraw: lend('B', 'Withdraw', dollar) },
    lendingC: { deposit: lend('C', 'Deposit', dollar), withdraw: lend('C', 'Withdraw', dollar) },
    stablecoin: {
      borrow: (): Fields => ({
        action: 'stablecoinBorrow',
        collateralType: SUI,
        collateralAmount: String(milliSui(2_000)),
        borrowAmount: String(dollars(3)),
      }),
      save: () => stablecoin('SavingsDeposit', 1),
      withdrawSavings: () => stablecoin('SavingsWithdraw', 0.5),
      repay: () => stablecoin('Repay', 0.5),
      repayAndWithdraw: () => ({ ...stablecoin('Repay', 0.5), collateralAmount: String(milliSui(200)) }),
    },
    liquidStake: {
      stake: (): Fields => ({ action: 'liquidStakeStake', amount: String(milliSui(100)) }),
      unstake: (): Fields => ({ action: 'liquidStakeUnstake', amount: String(milliSui(50)) }),
    },
    vaultDeposit: (): Fields => ({
      action: 'vaultDeposit',
      coinType: SUI,
      amount: String(milliSui(100)),
    }),
    clmm: {
      open: () => clmm('open', { ...range, ...bothCoins }),
      add: () => clmm('add', bothCoins),
      remove: (liquidity: bigint) => clmm('remove', { liquidity: String(liquidity) }),
      collectFees: () => clmm('collectFees'),
      collectReward: () => clmm('collectReward'),
      close: () => clmm('close'),
    },
    perp: {
      depositMargin: (): Fields => ({ action: 'perpMarginDeposit', marketId, amount: String(dollars(2)) }),
      order: (): Fields => ({
        action: 'perpOrder',
        marketId,
        side: 'long',
        size: String(milliSui(500)),
        limitPrice: String(dollars(3.1)),
      }),
    },
    currentSupply: (): Fields => ({
      action: 'currentSupply',
      coinType: SUI,
      amount: String(milliSui(100)),
    }),
    compose: (...steps: Fields[]): Fields => ({ action: 'compose', steps }),
  };
}
export type ActionRequests = ReturnType<typeof actionRequests>;
