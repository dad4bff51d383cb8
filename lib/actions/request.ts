import { type Network, networks } from '@adaptor-marketplace/adaptor';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions';
import { z } from 'zod';
import { protocolActions } from './protocol-actions.ts';
import type { Requirements } from './requirements.ts';
import { address, call, coinBoundOrZero, requireFewCoins, serviceType, spend } from './steps.ts';

/** Maximum bounds of a list. An action with any number of steps moves fewer coins. */
const boundsMax = 128;
const bounds = (description: string) => z.array(coinBoundOrZero).max(boundsMax).meta({ description });

const composeSteps = { min: 2, max: 8 };
const stepCount = `expected ${composeSteps.min} to ${composeSteps.max} steps`;

const manifests = z
  .record(serviceType, z.string().regex(/^[0-9a-f]{64}$/, 'expected the hash of a manifest, 64 hex digits'))
  .refine(
    (hashes) => Object.keys(hashes).length <= composeSteps.max,
    `expected at most ${composeSteps.max} services`,
  )
  .meta({
    description:
      'Hashes of the manifests by which the adaptors are called, by service type. If it is present, it must name every called adaptor with the hash that is listed; a run of another listing ends as `listing_changed`.',
  });

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
  unattended: z
    .literal(true)
    .meta({
      description:
        'No person confirmed the action, so it runs only with an executor key that is `unattended` until it is signed. A simulation does not compare it.',
    })
    .optional(),
  bounds: z
    .strictObject({
      takesAtMost: bounds('The most that leaves the wallet of each coin; of other coins, nothing.'),
      bringsAtLeast: bounds('The least that enters of each coin.'),
      manifests: manifests.optional(),
    })
    .meta({
      id: 'ActionBounds',
      description:
        'As `simulate` returned them. A run that would be signed with wider bounds ends as `bounds_exceeded`. Other bounds make another request: they need another `requestId`.',
    })
    .optional(),
};

type ProtocolSchema = (typeof protocolActions)[keyof typeof protocolActions]['steps'][number];
type StepSchema = typeof spend | typeof call | ProtocolSchema;

/** Returns the options of the union of all steps, each extended with the given fields. */
function buildStepOptions(more: z.ZodRawShape) {
  const protocols = Object.values(protocolActions).map(({ steps }) => {
    const [first, ...others] = (steps as readonly z.ZodObject[]).map((step) => step.extend(more));
    return others.length === 0 ? first! : z.discriminatedUnion('operation', [first!, ...others]);
  });
  const called = (call.extend(more) as typeof call).superRefine(requireFewCoins);
  return [spend.extend(more), ...protocols, called] as const;
}

export const stepActions = ['spend', ...Object.keys(protocolActions), 'call'];
const stepNames = stepActions.join(', ');

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

export function resolveNetwork(request: CallerRequest, defaultNetwork: Network): ActionRequest {
  return { ...request, network: request.network ?? defaultNetwork };
}

export type ProtocolStep = z.infer<ProtocolSchema>;
export type CallStep = Extract<ActionStep, { action: 'call' }>;

export const deriveRequirements = (step: ProtocolStep): Requirements =>
  protocolActions[step.action].require(step as never);

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

export function sumNamedSpends(request: ActionRequest): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of listSteps(request).flatMap((step) => deriveFlow(step).pays)) {
    if (coinType !== undefined) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  }
  return sums;
}
