import type { OpValue } from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import type { Requirements } from './requirements.ts';
import type { Slot } from './slots.ts';
import {
  adaptor,
  address,
  amount,
  coinType,
  least,
  liquidity,
  minOut,
  positionName,
  tick,
  u64Max,
} from './steps.ts';

/** An action of a protocol. The adaptor of its slot executes it. */
interface ActionDefinition<Step, Input> {
  /** Kind of protocol. The settings of a network name its adaptor. */
  slot: Slot;
  /** Noun phrase that begins the description of a step for people. */
  title: string;
  /** Translates a step into requirements on an op and its arguments. */
  require(step: Step): Requirements;
  /** Fields of an example, besides those of all requests. */
  example: Input;
}

type StepOf<Name extends string, Fields extends z.ZodRawShape> = z.ZodObject<
  { action: z.ZodLiteral<Name> } & Fields,
  z.core.$strict
>;

const defineAction = <Name extends string, Fields extends z.ZodRawShape>(
  name: Name,
  fields: Fields,
  definition: ActionDefinition<z.infer<z.ZodObject<Fields>>, z.input<z.ZodObject<Fields>>>,
) => ({
  ...definition,
  steps: [z.strictObject({ action: z.literal(name), ...fields }) as unknown as StepOf<Name, Fields>] as const,
});

const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const makeExampleId = (digit: string) => `0x${digit.repeat(64)}`;
export const exampleUsdc = `${makeExampleId('c')}::usdc::USDC`;

/** Requires an amount, and a minimum of at least 1: it is never acceptable to receive nothing. */
const requireAmounts = ({ amount, minOut }: { amount: string; minOut?: string | undefined }) => ({
  amount: BigInt(amount),
  minOut: BigInt(minOut ?? 1) || 1n,
  minStated: BigInt(minOut ?? 0) > 0n,
});

const swap = defineAction(
  'swap',
  {
    coinIn: coinType,
    coinOut: coinType,
    amountIn: amount,
    minOut: amount.meta({ description: 'The least of `coinOut` that must come back, in base units.' }),
    adaptor,
  },
  {
    slot: 'swap',
    title: 'Swap',
    require({ coinIn, coinOut, amountIn, minOut, adaptor }) {
      const amounts = { amount: BigInt(amountIn), minOut: BigInt(minOut), minStated: true };
      return { role: 'swap', adaptor, coinIn, coinOut, ...amounts };
    },
    example: { coinIn: '0x2::sui::SUI', coinOut: exampleUsdc, amountIn: '1000000000', minOut: '2950000' },
  },
);

type Lender = 'A' | 'B' | 'C';

const lendingDeposit = <L extends Lender>(lender: L) =>
  defineAction(
    `lending${lender}Deposit`,
    { coinType, amount, minOut, adaptor },
    {
      slot: `lending${lender}`,
      title: `Deposit at lender ${lender}`,
      require: (step) => ({
        role: 'deposit',
        adaptor: step.adaptor,
        coinIn: step.coinType,
        ...requireAmounts(step),
      }),
      example: { coinType: exampleUsdc, amount: '5000000' },
    },
  );

const lendingWithdraw = <L extends Lender>(lender: L) =>
  defineAction(
    `lending${lender}Withdraw`,
    {
      coinType: coinType.meta({ description: 'The coin that comes back.' }),
      amount: amount.meta({
        description:
          'In base units of the share coin where a deposit brought one, else of `coinType` and at most what is there.',
      }),
      minOut,
      adaptor,
    },
    {
      slot: `lending${lender}`,
      title: `Withdrawal from lender ${lender}`,
      require: (step) => ({
        role: 'withdraw',
        adaptor: step.adaptor,
        coinOut: step.coinType,
        ...requireAmounts(step),
      }),
      example: { coinType: exampleUsdc, amount: '4900000', minOut: '4900000' },
    },
  );

const stablecoinBorrow = defineAction(
  'stablecoinBorrow',
  {
    collateralType: coinType,
    collateralAmount: amount,
    borrowAmount: amount.meta({ description: 'Exactly what is borrowed, in base units of the stablecoin.' }),
  },
  {
    slot: 'stablecoin',
    title: 'Stablecoin loan',
    require: ({ collateralType, collateralAmount, borrowAmount }) => ({
      role: 'borrow',
      coinIn: collateralType,
      amount: BigInt(collateralAmount),
      minOut: BigInt(borrowAmount),
      minStated: true,
    }),
    example: { collateralType: '0x2::sui::SUI', collateralAmount: '3000000000', borrowAmount: '4000000' },
  },
);

const stablecoinRepay = defineAction(
  'stablecoinRepay',
  {
    amount,
    collateralAmount: amount.optional().meta({
      description: 'Exactly what comes back of the collateral, in base units; absent: it stays.',
    }),
  },
  {
    slot: 'stablecoin',
    title: 'Repayment of a stablecoin loan',
    require({ amount, collateralAmount }) {
      if (collateralAmount === undefined) return { role: 'repay', amount: BigInt(amount) };
      const minOut = BigInt(collateralAmount);
      return { role: 'repayAndWithdraw', amount: BigInt(amount), minOut, minStated: true };
    },
    example: { amount: '4000000' },
  },
);

const stablecoinSavingsDeposit = defineAction(
  'stablecoinSavingsDeposit',
  { amount, minOut },
  {
    slot: 'stablecoin',
    title: 'Deposit into stablecoin savings',
    require: (step) => ({ role: 'save', ...requireAmounts(step) }),
    example: { amount: '2000000' },
  },
);

const stablecoinSavingsWithdraw = defineAction(
  'stablecoinSavingsWithdraw',
  { amount, minOut },
  {
    slot: 'stablecoin',
    title: 'Withdrawal from stablecoin savings',
    require: (step) => ({ role: 'withdrawSavings', ...requireAmounts(step) }),
    example: { amount: '1000000' },
  },
);

const liquidStakeStake = defineAction(
  'liquidStakeStake',
  { amount, minOut },
  {
    slot: 'liquidStake',
    title: 'Liquid stake',
    require: (step) => ({ role: 'stake', impliedIn: SUI, ...requireAmounts(step) }),
    example: { amount: '1000000000' },
  },
);

const liquidStakeUnstake = defineAction(
  'liquidStakeUnstake',
  { amount, minOut },
  {
    slot: 'liquidStake',
    title: 'End of a liquid stake',
    require: (step) => ({ role: 'unstake', impliedOut: SUI, ...requireAmounts(step) }),
    example: { amount: '900000000', minOut: '890000000' },
  },
);

const vaultDeposit = defineAction(
  'vaultDeposit',
  { coinType, amount, minSharesOut: minOut },
  {
    slot: 'vault',
    title: 'Deposit into a vault',
    require: ({ coinType, amount, minSharesOut }) => ({
      role: 'deposit',
      coinIn: coinType,
      ...requireAmounts({ amount, minOut: minSharesOut }),
    }),
    example: { coinType: '0x2::sui::SUI', amount: '1000000000' },
  },
);

const perpOrder = defineAction(
  'perpOrder',
  {
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
  },
  {
    slot: 'perp',
    title: 'Perpetuals order',
    require({ marketId, side, size, limitPrice, reduceOnly = false }) {
      const long = side === 'long';
      const limit = limitPrice ?? String(long ? u64Max : 1n);
      const stated: OpValue[] = ['long', 'size'];
      if (limitPrice !== undefined) stated.push('limit');
      if (reduceOnly) stated.push('reduceOnly');
      return { role: 'order', objectId: marketId, values: { long, size, limit, reduceOnly }, stated };
    },
    example: { marketId: makeExampleId('f'), side: 'long', size: '500000000', limitPrice: '3100000000' },
  },
);

const perpMarginDeposit = defineAction(
  'perpMarginDeposit',
  { marketId: address, amount },
  {
    slot: 'perp',
    title: 'Deposit of margin',
    require: ({ marketId, amount }) => ({
      role: 'depositMargin',
      objectId: marketId,
      amount: BigInt(amount),
    }),
    example: { marketId: makeExampleId('f'), amount: '10000000' },
  },
);

const currentSupply = defineAction(
  'currentSupply',
  { coinType, amount },
  {
    slot: 'current',
    title: 'Supply to a market',
    require: ({ coinType, amount }) => ({
      role: 'supply',
      coinIn: coinType,
      amount: BigInt(amount),
      minOut: 1n,
    }),
    example: { coinType: exampleUsdc, amount: '5000000' },
  },
);

const clmmPosition = <Operation extends string>(operation: Operation) =>
  z.strictObject({
    action: z.literal('clmmLiquidity'),
    operation: z.literal(operation),
    poolId: address,
    positionName,
  });
/** Coins to deposit, and the minimum liquidity that they must create. */
const clmmIn = {
  amountA: least.optional().meta({
    description: "The most to take of the pool's first coin, in base units; absent: none.",
  }),
  amountB: least.optional().meta({ description: "The same of the pool's second coin." }),
  liquidity: liquidity.optional().meta({ description: 'The least liquidity it must make; absent: 1.' }),
};
/** Liquidity to remove, and the minimum amounts that must come back. */
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

/** `clmmLiquidity` has other fields for each operation. */
const clmmSteps = [
  clmmPosition('open').extend({ ...ticks, ...clmmIn }),
  clmmPosition('add').extend(clmmIn),
  clmmPosition('remove').extend(clmmOut),
  clmmPosition('collectFees'),
  clmmPosition('collectReward'),
  clmmPosition('close'),
] as const;

function requireLiquidity(step: z.infer<(typeof clmmSteps)[number]>): Requirements {
  const { operation: role, poolId: objectId, positionName: name } = step;
  switch (step.operation) {
    case 'open':
    case 'add': {
      const { amountA = '0', amountB = '0', liquidity: minLiquidity = '1' } = step;
      const range = step.operation === 'open' ? { lower: step.tickLower, upper: step.tickUpper } : {};
      const values = { name, ...range, amountA, amountB, minLiquidity };
      const stated: OpValue[] = step.operation === 'open' ? ['lower', 'upper'] : [];
      if (step.liquidity !== undefined) stated.push('minLiquidity');
      return { role, objectId, values, stated, pair: { takes: [BigInt(amountA), BigInt(amountB)] } };
    }
    case 'remove': {
      const { liquidity, amountB: minB = '0', amountA: minA = minB === '0' ? '1' : '0' } = step;
      const values = { name, liquidity, minA, minB };
      const pair = { brings: [BigInt(minA), BigInt(minB)] as [bigint, bigint] };
      return { role, objectId, values, stated: ['liquidity'], pair };
    }
    default:
      return { role, objectId, values: { name } };
  }
}

const clmmExample: z.input<(typeof clmmSteps)[0]> = {
  action: 'clmmLiquidity',
  operation: 'open',
  poolId: makeExampleId('e'),
  positionName: 'around-three-dollars',
  tickLower: 439_980,
  tickUpper: 445_980,
  amountA: '1000000000',
  amountB: '3000000',
};

/** Every action of a protocol. The validation of requests, the tool service, the agent and the API derive from it. */
export const protocolActions = {
  swap,
  lendingADeposit: lendingDeposit('A'),
  lendingAWithdraw: lendingWithdraw('A'),
  lendingBDeposit: lendingDeposit('B'),
  lendingBWithdraw: lendingWithdraw('B'),
  lendingCDeposit: lendingDeposit('C'),
  lendingCWithdraw: lendingWithdraw('C'),
  stablecoinBorrow,
  stablecoinRepay,
  stablecoinSavingsDeposit,
  stablecoinSavingsWithdraw,
  liquidStakeStake,
  liquidStakeUnstake,
  vaultDeposit,
  perpOrder,
  perpMarginDeposit,
  currentSupply,
  clmmLiquidity: {
    slot: 'clmm',
    title: 'Liquidity in a price range',
    steps: clmmSteps,
    require: requireLiquidity,
    example: clmmExample,
  },
} as const;
