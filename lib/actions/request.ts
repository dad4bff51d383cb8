import { z } from 'zod';
import { networks } from '../config/networks.ts';
import { address } from './fields.ts';
import { clmmSteps, steps } from './steps.ts';

/** What all requests have. */
const common = {
  owner: address.meta({ description: "The wallet's owner." }),
  walletId: address.meta({ description: 'Id of the shared wallet object.' }),
  network: z.enum(networks),
  requestId: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'expected no control characters')
    .optional()
    .meta({ description: 'Of your choice. Sent again, nothing runs again and its events are replayed.' }),
};

type StepSchema = (typeof steps)[keyof typeof steps] | (typeof clmmSteps)[keyof typeof clmmSteps];

/** The union over all steps, each of them with the given fields as well. */
function unionOf(more: z.ZodRawShape) {
  const [first, ...others] = Object.values(steps).map((step) => step.extend(more));
  const [open, ...rest] = Object.values(clmmSteps).map((step) => step.extend(more));
  return [first!, ...others, z.discriminatedUnion('operation', [open!, ...rest])] as const;
}

/** One action within `compose`. */
export type ActionStep = z.infer<StepSchema>;
export const actionStep = z
  .discriminatedUnion('action', unionOf({}))
  .meta({ id: 'AgentActionStep' }) as unknown as z.ZodType<ActionStep, z.input<StepSchema>>;

/** Bounds on the steps of one `compose`. */
export const composeSteps = { min: 2, max: 8 };

const compose = z.strictObject({
  action: z.literal('compose'),
  ...common,
  steps: z
    .array(actionStep)
    .min(composeSteps.min)
    .max(composeSteps.max)
    .meta({ description: 'In one transaction: a step can use what an earlier one put into the wallet.' }),
});

type Common = z.ZodObject<typeof common>;

/** One run of an action: addresses and types in their long forms, amounts in decimal digits of base units. */
export type ActionRequest = (ActionStep & z.infer<Common>) | z.infer<typeof compose>;
export type Action = ActionRequest['action'];

/** The body of a run; what it does not name is refused. Without an action it is a spend. */
export const actionRequest = z
  .discriminatedUnion('action', [...unionOf(common), compose], {
    error: ({ code }) => (code === 'invalid_union' ? 'expected one of the twenty actions' : undefined),
  })
  .meta({
    id: 'AgentActionRequest',
    description: 'One action of an agent for a wallet. Amounts are decimal digits of base units.',
  }) as unknown as z.ZodType<
  ActionRequest,
  (z.input<StepSchema> & z.input<Common>) | z.input<typeof compose>
>;
