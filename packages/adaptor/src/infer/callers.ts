import { z } from 'zod';
import type { PastCall } from './past-call.ts';

/** Maximum number of senders in `latest`. All of them are counted. */
const namedMax = 4;

export const callersSchema = z
  .object({
    calls: z.int().min(1).meta({ description: 'Past calls that agree.' }),
    senders: z.int().min(0).meta({ description: 'Different addresses that made them.' }),
    latest: z
      .array(z.object({ sender: z.string(), digest: z.string() }))
      .max(namedMax)
      .meta({
        description: `The latest ${namedMax} of these senders, each with the digest of its latest call.`,
      }),
  })
  .meta({ id: 'Callers', description: 'Senders of the past calls that agree on something.' });

export type Callers = z.infer<typeof callersSchema>;

/** Counts calls, and the addresses that sent them. */
export interface CallerTally {
  /** Adds a call. The order is latest first. */
  add(call: Pick<PastCall, 'sender' | 'digest'>): void;
  counts(): Callers;
}

export function createCallerTally(): CallerTally {
  const digests = new Map<string, string>();
  let calls = 0;
  return {
    add({ sender, digest }) {
      calls++;
      if (sender !== undefined && !digests.has(sender)) digests.set(sender, digest);
    },
    counts: () => ({
      calls,
      senders: digests.size,
      latest: [...digests].slice(0, namedMax).map(([sender, digest]) => ({ sender, digest })),
    }),
  };
}
