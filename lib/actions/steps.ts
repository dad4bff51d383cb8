import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { witnessType } from '@adaptor-marketplace/adaptor/manifest';
import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import { z } from 'zod';

const u64Max = 2n ** 64n - 1n;

const digits = (min: 0 | 1) =>
  z
    .string()
    .regex(min === 0 ? /^(0|[1-9]\d{0,19})$/ : /^[1-9]\d{0,19}$/, {
      error: `expected decimal digits of a whole number from ${min} to 2^64 - 1`,
      abort: true,
    })
    .refine((text) => BigInt(text) <= u64Max, `expected a whole number from ${min} to 2^64 - 1`);

/** An amount to move, as decimal digits: 1 to 2^64 - 1 base units. */
export const amount = digits(1).meta({ description: 'Base units, 1 to 2^64 - 1, in decimal digits.' });

/** A least amount, as decimal digits: 0 to 2^64 - 1 base units. */
export const least = digits(0);

/** An address or object id, brought into the long form. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected 0x and up to 64 hex digits')
  .transform((text) => normalizeAddress(text) ?? text);

const typeLengthMax = 512;

/** The Move type of a coin, such as `0x2::sui::SUI`, brought into the form with long addresses. */
export const coinType = z
  .string()
  .min(1)
  .max(typeLengthMax)
  .refine((text) => !text.includes('@') && isValidStructTag(text), {
    error: 'expected the Move type of a coin, such as 0x2::sui::SUI',
    abort: true,
  })
  .transform((text) => normalizeStructTag(text))
  // In full as well: what was taken here is taken by whom it is handed on to.
  .refine(
    (type) => type.length <= typeLengthMax,
    `a type may have ${typeLengthMax} characters, addresses in full`,
  );

/** A price tick's place; a contract may count from 0 or from below it. */
const tick = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 32 - 1);

/** Liquidity of a position, as decimal digits: 1 to 2^128 - 1. */
const liquidity = z
  .string()
  .regex(/^[1-9]\d{0,38}$/, {
    error: 'expected decimal digits of a whole number from 1 to 2^128 - 1',
    abort: true,
  })
  .refine((text) => BigInt(text) < 2n ** 128n, 'expected a whole number from 1 to 2^128 - 1');

/** The name of an asset that a wallet keeps for a service. */
const assetName = z
  .string()
  .min(1)
  .max(128)
  .refine(
    (name) => Buffer.byteLength(name) <= 128 && !name.includes('\0'),
    'expected 1 to 128 bytes, none of them zero',
  );

/** A service type, brought into its canonical form. */
export const serviceType = witnessType.transform((text) => {
  const parsed = parseServiceType(text);
  return 'canonical' in parsed ? parsed.canonical : text;
});

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
