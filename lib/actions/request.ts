import { type Network, networks } from '@adaptor-marketplace/adaptor';
import type { OpValue } from '@adaptor-marketplace/adaptor/manifest';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions';
import { z } from 'zod';
import type { Slot, SlotRole } from './slots.ts';
import { address, clmmSteps, coinBoundOrZero, requireFewCoins, steps } from './steps.ts';

/** Maximum bounds of a list. An action with any number of steps moves fewer coins. */
const boundsMax = 128;
const bounds = (description: string) => z.array(coinBoundOrZero).max(boundsMax).meta({ description });

const common = {
  owner: address.meta({ id: 'WalletOwner', description: "The wallet's owner." }),
  walletId: address.meta({ id: 'WalletId', description: 'Id of the shared wallet object.' }),
  requestId: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'expected no control characters')
    .meta({
      id: 'RequestId',
      description:
        'Of your choice. The same request under it replays the lines of its run; where that failed before anything was signed, it begins another attempt.',
    })
    .optional(),
  bounds: z
    .strictObject({
      takesAtMost: bounds('The most that leaves the wallet of each coin; of other coins, nothing.'),
      bringsAtLeast: bounds('The least that enters of each coin.'),
    })
    .meta({
      id: 'ActionBounds',
      description:
        'As `simulate` returned them. A run that would be signed with wider bounds ends as `bounds_exceeded`.',
    })
    .optional(),
};

type StepSchema = (typeof steps)[keyof typeof steps] | (typeof clmmSteps)[keyof typeof clmmSteps];

/** Returns the options of the union of all steps, each extended with the given fields. */
function buildStepOptions(more: z.ZodRawShape) {
  const { call, ...protocols } = steps;
  const [first, ...others] = Object.values(protocols).map((step) => step.extend(more));
  const [open, ...rest] = Object.values(clmmSteps).map((step) => step.extend(more));
  const called = (call.extend(more) as typeof call).superRefine(requireFewCoins);
  return [first!, ...others, z.discriminatedUnion('operation', [open!, ...rest]), called] as const;
}

const stepNames = [...Object.keys(steps), 'clmmLiquidity'].join(', ');

export type ActionStep = z.infer<StepSchema>;
const actionStep = z
  .discriminatedUnion('action', buildStepOptions({}), {
    error: ({ code }) =>
      code === 'invalid_union' ? `expected the action of a step: ${stepNames}` : undefined,
  })
  .meta({ id: 'AgentActionStep' }) as unknown as z.ZodType<ActionStep, z.input<StepSchema>>;

/** Returns the name of a `compose` step in error texts. `position` counts from 0. */
export const stepName = (position: number, { action }: Pick<ActionStep, 'action'>) =>
  `Step ${position + 1} (${action})`;

/** Bounds on the steps of one `compose`. */
const composeSteps = { min: 2, max: 8 };
const stepCount = `expected ${composeSteps.min} to ${composeSteps.max} steps`;

const compose = z.strictObject({
  action: z.literal('compose'),
  steps: z
    .array(actionStep)
    .min(composeSteps.min, stepCount)
    .max(composeSteps.max, stepCount)
    .meta({ description: 'In one transaction: a step can use what an earlier one put into the wallet.' }),
});

type CommonSchema = z.ZodObject<typeof common>;
type OneOf<Step, Compose, Fields> = (Step & Fields) | (Compose & Fields);
type Fields<Value> = Value & { network: Network };

/** One run of an action: addresses and types in their long forms, amounts in decimal digits of base units. */
export type ActionRequest = OneOf<ActionStep, z.infer<typeof compose>, Fields<z.infer<CommonSchema>>>;
export type Action = ActionRequest['action'];

/** Returns the schema of the body of a run. It refuses unknown fields. A body without an action is a spend. */
function requestWith(network: z.ZodType<Network | undefined>) {
  const fields = { ...common, network };
  return z.discriminatedUnion('action', [...buildStepOptions(fields), compose.extend(fields)], {
    error: ({ code }) => (code === 'invalid_union' ? `expected one of ${stepNames}, compose` : undefined),
  });
}

export const actionRequest = requestWith(z.enum(networks)) as unknown as z.ZodType<
  ActionRequest,
  OneOf<z.input<StepSchema>, z.input<typeof compose>, Fields<z.input<CommonSchema>>>
>;

/** A request as callers send it. */
type CallerRequest = OneOf<
  ActionStep,
  z.infer<typeof compose>,
  { network?: Network | undefined } & z.infer<CommonSchema>
>;

/** The schema of a request as callers send it. It does not name the default network, which differs by host. */
export const callerRequest = requestWith(
  z.enum(networks).optional().meta({ description: "Absent: this host's default network." }),
).meta({
  id: 'AgentActionRequest',
  description: 'One action of an agent for a wallet. Amounts are decimal digits of base units.',
}) as unknown as z.ZodType<CallerRequest>;

export function settledRequest(request: CallerRequest, defaultNetwork: Network): ActionRequest {
  return { ...request, network: request.network ?? defaultNetwork };
}

/** Slot of each action. `spend` uses the policy, `compose` the slots of its steps, `call` the adaptor that it names. */
export const slotByAction: Record<ProtocolStep['action'], Slot> = {
  swap: 'swap',
  lendingADeposit: 'lendingA',
  lendingAWithdraw: 'lendingA',
  lendingBDeposit: 'lendingB',
  lendingBWithdraw: 'lendingB',
  lendingCDeposit: 'lendingC',
  lendingCWithdraw: 'lendingC',
  stablecoinBorrow: 'stablecoin',
  stablecoinRepay: 'stablecoin',
  stablecoinSavingsDeposit: 'stablecoin',
  stablecoinSavingsWithdraw: 'stablecoin',
  liquidStakeStake: 'liquidStake',
  liquidStakeUnstake: 'liquidStake',
  vaultDeposit: 'vault',
  clmmLiquidity: 'clmm',
  perpOrder: 'perp',
  perpMarginDeposit: 'perp',
  currentSupply: 'current',
};

/**
 * Requirements of an action on an op of the slot's adaptor. The tool service drafts with them, and the agent checks the
 * draft against them. Amounts are in base units.
 */
export interface Requirements {
  role: SlotRole;
  /** Service type of the adaptor to use in place of the slot's. */
  adaptor?: string | undefined;
  /** The coin that the op must take, and the one that it must bring. */
  coinIn?: string | undefined;
  coinOut?: string | undefined;
  /** Coins that the kind of protocol implies, so that a manifest need not name them. */
  impliedIn?: string;
  impliedOut?: string;
  /** The pool or market that the op must work on. */
  objectId?: string;
  amount?: bigint;
  minOut?: bigint;
  /** `true` if the request itself states `minOut`. An op that cannot guarantee the minimum is then excluded. */
  minStated?: boolean;
  /** Values for the arguments that a manifest leaves open, by their meaning. */
  values?: Partial<Record<OpValue, unknown>>;
  /** Values that the op must accept. Without them it would do something other than the request states. */
  stated?: readonly OpValue[];
  /** Maximum amounts that the op takes, or minimum amounts that it brings, of the object's first and second coin. */
  pair?: { takes: [bigint, bigint] } | { brings: [bigint, bigint] };
}

export type ProtocolStep = Exclude<ActionStep, { action: 'spend' | 'call' }>;
export type CallStep = Extract<ActionStep, { action: 'call' }>;

const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const u64Max = 2n ** 64n - 1n;
/** Returns an optional minimum, at least 1: it is never acceptable to receive nothing. */
const leastOut = (given: string | undefined) => BigInt(given ?? 1) || 1n;

export function deriveRequirements(step: ProtocolStep): Requirements {
  switch (step.action) {
    case 'swap': {
      const { coinIn, coinOut, amountIn, minOut, adaptor } = step;
      const amounts = { amount: BigInt(amountIn), minOut: BigInt(minOut), minStated: true };
      return { role: 'swap', adaptor, coinIn, coinOut, ...amounts };
    }
    case 'lendingADeposit':
    case 'lendingBDeposit':
    case 'lendingCDeposit':
      return { role: 'deposit', adaptor: step.adaptor, coinIn: step.coinType, ...amounts(step) };
    case 'lendingAWithdraw':
    case 'lendingBWithdraw':
    case 'lendingCWithdraw':
      return { role: 'withdraw', adaptor: step.adaptor, coinOut: step.coinType, ...amounts(step) };
    case 'stablecoinBorrow': {
      const minOut = BigInt(step.borrowAmount);
      const amount = BigInt(step.collateralAmount);
      return { role: 'borrow', coinIn: step.collateralType, amount, minOut, minStated: true };
    }
    case 'stablecoinRepay': {
      const amount = BigInt(step.amount);
      if (step.collateralAmount === undefined) return { role: 'repay', amount };
      return { role: 'repayAndWithdraw', amount, minOut: BigInt(step.collateralAmount), minStated: true };
    }
    case 'stablecoinSavingsDeposit':
      return { role: 'save', ...amounts(step) };
    case 'stablecoinSavingsWithdraw':
      return { role: 'withdrawSavings', ...amounts(step) };
    case 'liquidStakeStake':
      return { role: 'stake', impliedIn: SUI, ...amounts(step) };
    case 'liquidStakeUnstake':
      return { role: 'unstake', impliedOut: SUI, ...amounts(step) };
    case 'vaultDeposit':
      return {
        role: 'deposit',
        coinIn: step.coinType,
        ...amounts({ amount: step.amount, minOut: step.minSharesOut }),
      };
    case 'perpOrder': {
      const long = step.side === 'long';
      const limit = step.limitPrice ?? String(long ? u64Max : 1n);
      const values = { long, size: step.size, limit, reduceOnly: step.reduceOnly ?? false };
      const stated: OpValue[] = ['long', 'size'];
      if (step.limitPrice !== undefined) stated.push('limit');
      if (step.reduceOnly === true) stated.push('reduceOnly');
      return { role: 'order', objectId: step.marketId, values, stated };
    }
    case 'perpMarginDeposit':
      return { role: 'depositMargin', objectId: step.marketId, amount: BigInt(step.amount) };
    case 'currentSupply':
      return { role: 'supply', coinIn: step.coinType, amount: BigInt(step.amount), minOut: 1n };
    case 'clmmLiquidity':
      return liquidity(step);
  }
}

function amounts({ amount, minOut }: { amount: string; minOut?: string | undefined }) {
  return { amount: BigInt(amount), minOut: leastOut(minOut), minStated: BigInt(minOut ?? 0) > 0n };
}

function liquidity(step: Extract<ProtocolStep, { action: 'clmmLiquidity' }>): Requirements {
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

/** Coins that a step may take out of the wallet, and coins that it must bring. Amounts are in base units. */
interface Flow {
  /** Maximum amounts. `coinType` is undefined if the request does not name the coin. */
  pays: { coinType?: string | undefined; amount: bigint }[];
  /** Minimum amounts. */
  gets: { coinType: string; amount: bigint }[];
}

export function listSteps(request: ActionRequest): readonly ActionStep[] {
  return request.action === 'compose' ? request.steps : [request];
}

export const parseAmounts = (amounts: CallStep['spends']): CoinAmount[] =>
  amounts.map(({ coinType, amount }) => ({ coinType, amount: BigInt(amount) }));

/** The inverse of `parseAmounts`. */
export const formatAmounts = (amounts: readonly CoinAmount[]) =>
  amounts.map(({ coinType, amount }) => ({ coinType, amount: String(amount) }));

function deriveFlow(step: ActionStep): Flow {
  if (step.action === 'spend') {
    return { pays: [{ coinType: step.coinType, amount: BigInt(step.amount) }], gets: [] };
  }
  if (step.action === 'call')
    return { pays: parseAmounts(step.spends), gets: parseAmounts(step.receivesAtLeast) };
  const { coinIn, impliedIn, amount, coinOut, impliedOut, minOut, pair } = deriveRequirements(step);
  const [coinPaid, coinGot] = [coinIn ?? impliedIn, coinOut ?? impliedOut];
  const taken = pair && 'takes' in pair ? pair.takes : [];
  return {
    pays: amount === undefined ? taken.map((most) => ({ amount: most })) : [{ coinType: coinPaid, amount }],
    gets: coinGot === undefined || minOut === undefined ? [] : [{ coinType: coinGot, amount: minOut }],
  };
}

export function namedSpends(request: ActionRequest): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of listSteps(request).flatMap((step) => deriveFlow(step).pays)) {
    if (coinType !== undefined) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  }
  return sums;
}
