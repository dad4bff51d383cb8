import { type Network, networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { address } from './fields.ts';
import { clmmSteps, steps } from './steps.ts';

/** What all requests have beside their network. */
const common = {
  owner: address.meta({ description: "The wallet's owner." }),
  walletId: address.meta({ description: 'Id of the shared wallet object.' }),
  requestId: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'expected no control characters')
    .optional()
    .meta({
      description:
        'Of your choice. The same request under it replays the lines of its run; where that failed before anything was signed, it begins another attempt.',
    }),
};

type StepSchema = (typeof steps)[keyof typeof steps] | (typeof clmmSteps)[keyof typeof clmmSteps];

/** The union over all steps, each of them with the given fields as well. */
function unionOf(more: z.ZodRawShape) {
  const [first, ...others] = Object.values(steps).map((step) => step.extend(more));
  const [open, ...rest] = Object.values(clmmSteps).map((step) => step.extend(more));
  return [first!, ...others, z.discriminatedUnion('operation', [open!, ...rest])] as const;
}

const stepNames = [...Object.keys(steps), 'clmmLiquidity'].join(', ');

/** One action within `compose`. */
export type ActionStep = z.infer<StepSchema>;
const actionStep = z
  .discriminatedUnion('action', unionOf({}), {
    error: ({ code }) =>
      code === 'invalid_union' ? `expected the action of a step: ${stepNames}` : undefined,
  })
  .meta({ id: 'AgentActionStep' }) as unknown as z.ZodType<ActionStep, z.input<StepSchema>>;

/** What a step of a `compose` is called where something is wrong with it; `place` counts from 0. */
export const stepName = (place: number, { action }: Pick<ActionStep, 'action'>) =>
  `Step ${place + 1} (${action})`;

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

type Common = z.ZodObject<typeof common>;
type OneOf<Step, Compose, Fields> = (Step & Fields) | (Compose & Fields);
type Fields<Value> = Value & { network: Network };

/** One run of an action: addresses and types in their long forms, amounts in decimal digits of base units. */
export type ActionRequest = OneOf<ActionStep, z.infer<typeof compose>, Fields<z.infer<Common>>>;
export type Action = ActionRequest['action'];

/** The body of a run; what it does not name is refused. Without an action it is a spend. */
function requestWith(network: z.ZodType<Network | undefined>) {
  const fields = { ...common, network };
  return z.discriminatedUnion('action', [...unionOf(fields), compose.extend(fields)], {
    error: ({ code }) => (code === 'invalid_union' ? `expected one of ${stepNames}, compose` : undefined),
  });
}

/** A request whose network is settled. */
export const actionRequest = requestWith(z.enum(networks)) as unknown as z.ZodType<
  ActionRequest,
  OneOf<z.input<StepSchema>, z.input<typeof compose>, Fields<z.input<Common>>>
>;

/** A request as callers send it. */
type CallerRequest = OneOf<
  ActionStep,
  z.infer<typeof compose>,
  { network?: Network | undefined } & z.infer<Common>
>;

/** The schema of a request as callers send it. It does not name the default network, which differs by host. */
export const callerRequest = requestWith(
  z.enum(networks).optional().meta({ description: "Absent: this host's default network." }),
).meta({
  id: 'AgentActionRequest',
  description: 'One action of an agent for a wallet. Amounts are decimal digits of base units.',
}) as unknown as z.ZodType<CallerRequest>;

/** The request of a caller, for the default network where it names none. */
export function settledRequest(request: CallerRequest, defaultNetwork: Network): ActionRequest {
  return { ...request, network: request.network ?? defaultNetwork };
}
