import type { z } from 'zod';
import type { Action, actionRequest } from './request.ts';

type Example = z.input<typeof actionRequest>;

const id = (digit: string) => `0x${digit.repeat(64)}`;
const usdc = `${id('c')}::usdc::USDC`;
const common = {
  owner: id('a'),
  walletId: id('b'),
  network: 'testnet',
  requestId: 'rebalance-2026-03-14',
} as const;

/** A request of each action, for the API's description and as a starting point. */
export const examples: Record<Action, Example> = {
  spend: {
    ...common,
    action: 'spend',
    coinType: '0x2::sui::SUI',
    amount: '250000000',
    recipient: id('d'),
  },
  swap: {
    ...common,
    action: 'swap',
    coinIn: '0x2::sui::SUI',
    coinOut: usdc,
    amountIn: '1000000000',
    minOut: '2950000',
  },
  lendingADeposit: { ...common, action: 'lendingADeposit', coinType: usdc, amount: '5000000' },
  lendingAWithdraw: {
    ...common,
    action: 'lendingAWithdraw',
    coinType: usdc,
    amount: '4900000',
    minOut: '4900000',
  },
  lendingBDeposit: { ...common, action: 'lendingBDeposit', coinType: usdc, amount: '5000000' },
  lendingBWithdraw: { ...common, action: 'lendingBWithdraw', coinType: usdc, amount: '4900000' },
  lendingCDeposit: { ...common, action: 'lendingCDeposit', coinType: usdc, amount: '5000000' },
  lendingCWithdraw: { ...common, action: 'lendingCWithdraw', coinType: usdc, amount: '5000000' },
  stablecoinBorrow: {
    ...common,
    action: 'stablecoinBorrow',
    collateralType: '0x2::sui::SUI',
    collateralAmount: '3000000000',
    borrowAmount: '4000000',
  },
  stablecoinRepay: { ...common, action: 'stablecoinRepay', amount: '4000000' },
  stablecoinSavingsDeposit: { ...common, action: 'stablecoinSavingsDeposit', amount: '2000000' },
  stablecoinSavingsWithdraw: { ...common, action: 'stablecoinSavingsWithdraw', amount: '1000000' },
  liquidStakeStake: { ...common, action: 'liquidStakeStake', amount: '1000000000' },
  liquidStakeUnstake: { ...common, action: 'liquidStakeUnstake', amount: '900000000', minOut: '890000000' },
  vaultDeposit: { ...common, action: 'vaultDeposit', coinType: '0x2::sui::SUI', amount: '1000000000' },
  clmmLiquidity: {
    ...common,
    action: 'clmmLiquidity',
    operation: 'open',
    poolId: id('e'),
    positionName: 'around-three-dollars',
    tickLower: 439_980,
    tickUpper: 445_980,
    amountA: '1000000000',
    amountB: '3000000',
  },
  perpOrder: {
    ...common,
    action: 'perpOrder',
    marketId: id('f'),
    side: 'long',
    size: '500000000',
    limitPrice: '3100000000',
  },
  perpMarginDeposit: { ...common, action: 'perpMarginDeposit', marketId: id('f'), amount: '10000000' },
  currentSupply: { ...common, action: 'currentSupply', coinType: usdc, amount: '5000000' },
  call: {
    ...common,
    action: 'call',
    adaptor: `${id('9')}::savings::Savings`,
    op: 'savings::deposit',
    spends: [{ coinType: usdc, amount: '5000000' }],
    receivesAtLeast: [],
    values: { name: 'holidays' },
  },
  compose: {
    ...common,
    action: 'compose',
    steps: [
      { action: 'swap', coinIn: '0x2::sui::SUI', coinOut: usdc, amountIn: '1000000000', minOut: '2950000' },
      { action: 'lendingADeposit', coinType: usdc, amount: '2950000' },
    ],
  },
};
