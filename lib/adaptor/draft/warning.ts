import { z } from 'zod';

/** Something in a draft that its publisher should look at before they sign. */
export const warningSchema = z.object({
  code: z
    .string()
    .regex(/^[a-z_]+$/)
    .meta({ description: 'Stable word to switch on.' }),
  op: z.string().optional().meta({ description: 'module::function, where it is about one.' }),
  detail: z.string().meta({ description: 'What it is, and what to do.' }),
});

export type Warning = z.infer<typeof warningSchema>;
