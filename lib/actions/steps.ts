import { z } from 'zod';
import { address, amount, assetName, coinType, least, liquidity, serviceType, tick } from './fields.ts';

const minOut = least.optional().meta({
  description: 'The least that must come back, in base units; absent or 0: 1.',
});
const adaptor = serviceType.optional().meta({
  description: "Service type of a listed adaptor to use in place of the slot's.",
});

const spend = z.strictObject({
  action: z.literal('spend').optional().default('spend'),
  coinType,
  amount,
  recipient: address.meta({ description: 'Who is paid.' }),
  capId: address.optional().meta({
    description: "The agent's cap to spend by; absent: any of its caps that the wallet's policy accepts.",
  }),
});

const swap = z.strictObject({
  action: z.literal('swap'),
  coinIn: coinType,
  coinOut: coinType,
  amountIn: amount,
  minOut: amount.meta({ description: 'The least of `coinOut` that must come back, in base units.' }),
  adaptor,
});

const lendingDeposit = <Action extends string>(action: Action) =>
  z.strictObject({ action: z.literal(action), coinType, amount, minOut, adaptor });

const lendingWithdraw = <Action extends string>(action: Action) =>
  z.strictObject({
    action: z.literal(action),
    coinType: coinType.meta({ description: 'The coin that comes back.' }),
    amount: amount.meta({
      description:
        'In base units of the share coin where a deposit brought one, else of `coinType` and at most what is there.',
    }),
    minOut,
    adaptor,
  });

const stablecoinBorrow = z.strictObject({
  action: z.literal('stablecoinBorrow'),
  collateralType: coinType,
  collateralAmount: amount,
  borrowAmount: amount.meta({ description: 'Exactly what is borrowed, in base units of the stablecoin.' }),
});

const stablecoinRepay = z.strictObject({
  action: z.literal('stablecoinRepay'),
  amount,
  collateralAmount: amount.optional().meta({
    description: 'Exactly what comes back of the collateral, in base units; absent: it stays.',
  }),
});

const amountAndMinOut = <Action extends string>(action: Action) =>
  z.strictObject({ action: z.literal(action), amount, minOut });

const vaultDeposit = z.strictObject({
  action: z.literal('vaultDeposit'),
  coinType,
  amount,
  minSharesOut: minOut,
});

const clmmPosition = <Operation extends string>(operation: Operation) =>
  z.strictObject({
    action: z.literal('clmmLiquidity'),
    operation: z.literal(operation),
    poolId: address,
    positionName: assetName.meta({ description: 'The name under which the wallet keeps the position.' }),
  });
/** What goes in, and the least liquidity that it must make. */
const clmmIn = {
  amountA: least.optional().meta({
    description: "The most to take of the pool's first coin, in base units; absent: none.",
  }),
  amountB: least.optional().meta({ description: "The same of the pool's second coin." }),
  liquidity: liquidity.optional().meta({ description: 'The least liquidity it must make; absent: 1.' }),
};
/** What comes out, and what that must be at least. */
const clmmOut = {
  liquidity,
  amountA: least.optional().meta({
    description:
      "The least of the pool's first coin that must come back, in base units; absent: 1, or 0 with `amountB`.",
  }),
  amountB: least.optional().meta({ description: "The same of the pool's second coin; absent: 0." }),
};
const ticks = {
  tickLower: tick.meta({
    description:
      'Where the range begins, as the pool counts; many pools take multiples of their tick spacing only.',
  }),
  tickUpper: tick,
};

const perpOrder = z.strictObject({
  action: z.literal('perpOrder'),
  marketId: address,
  side: z.enum(['long', 'short']),
  size: amount.meta({ description: 'In base units of what the market trades.' }),
  limitPrice: amount.optional().meta({
    description: 'The worst price to take, as the market counts; absent: any.',
  }),
  reduceOnly: z
    .boolean()
    .optional()
    .meta({ description: 'Whether it may only make an open position smaller; absent: no.' }),
});

const perpMarginDeposit = z.strictObject({
  action: z.literal('perpMarginDeposit'),
  marketId: address,
  amount,
});

const currentSupply = z.strictObject({ action: z.literal('currentSupply'), coinType, amount });

/** The actions but `compose`, without what all requests have in common. */
export const steps = {
  spend,
  swap,
  lendingADeposit: lendingDeposit('lendingADeposit'),
  lendingAWithdraw: lendingWithdraw('lendingAWithdraw'),
  lendingBDeposit: lendingDeposit('lendingBDeposit'),
  lendingBWithdraw: lendingWithdraw('lendingBWithdraw'),
  lendingCDeposit: lendingDeposit('lendingCDeposit'),
  lendingCWithdraw: lendingWithdraw('lendingCWithdraw'),
  stablecoinBorrow,
  stablecoinRepay,
  stablecoinSavingsDeposit: amountAndMinOut('stablecoinSavingsDeposit'),
  stablecoinSavingsWithdraw: amountAndMinOut('stablecoinSavingsWithdraw'),
  liquidStakeStake: amountAndMinOut('liquidStakeStake'),
  liquidStakeUnstake: amountAndMinOut('liquidStakeUnstake'),
  vaultDeposit,
  perpOrder,
  perpMarginDeposit,
  currentSupply,
};

/** `clmmLiquidity`, by its operation. */
export const clmmSteps = {
  open: clmmPosition('open').extend({ ...ticks, ...clmmIn }),
  add: clmmPosition('add').extend(clmmIn),
  remove: clmmPosition('remove').extend(clmmOut),
  collectFees: clmmPosition('collectFees'),
  collectReward: clmmPosition('collectReward'),
  close: clmmPosition('close'),
};
