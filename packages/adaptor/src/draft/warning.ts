import { z } from 'zod';
import { callersSchema } from '../infer/callers.ts';
import type { WitnessWarning } from '../introspect/types.ts';

/** A problem in a draft that its publisher should look at before signing. */
export const warningSchema = z.object({
  code: z
    .string()
    .regex(/^[a-z_]+$/)
    .meta({ description: 'Stable word to switch on.' }),
  op: z.string().optional().meta({ description: 'module::function, where it is about one.' }),
  detail: z.string().meta({ description: 'What it is, and what to do.' }),
  from: callersSchema.optional().meta({ description: 'Of `value_from_past_calls`: whose calls agree.' }),
});

export type Warning = z.infer<typeof warningSchema>;

const codes = [
  'witness_returned',
  'witness_has_more_than_drop',
  'witness_not_usable',
  'witness_unchecked',
] as const;

/** A risk of granting to a witness. Its publisher should fix it, and a wallet's owner should know it. */
export const witnessWarningSchema: z.ZodType<WitnessWarning> = z
  .object({
    code: z.enum(codes).meta({
      description:
        '`witness_returned`: others can get a value of the witness, and act as the service. ' +
        '`witness_has_more_than_drop`: a value can be copied or stored. `witness_not_usable`: wallets refuse it. ' +
        '`witness_unchecked`: the bytecode could not be read.',
    }),
    detail: z.string().meta({ description: 'What it is, and what to do.' }),
  })
  .meta({ id: 'WitnessWarning' });
