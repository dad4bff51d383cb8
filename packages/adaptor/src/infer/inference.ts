import { z } from 'zod';
import { callersSchema } from './callers.ts';
import { sequenceSchema } from './sequence.ts';

/** One schema for both: each that zod makes is another component of the API's description. */
const json = z.json();

const use = {
  count: z.int().min(1).meta({ description: 'Calls that used it.' }),
  lastMs: z.int().meta({ description: 'The latest of them, milliseconds since the epoch.' }),
};

const objectCandidate = z.object({
  objectId: z.string(),
  kind: z.enum(['shared', 'immutable']),
  type: z.string().optional().meta({ description: 'As the node names it; not every node does.' }),
  initialSharedVersion: z.string().optional().meta({ description: 'Of a shared object.' }),
  mutable: z.boolean().meta({ description: 'Whether the function takes it by &mut or by value.' }),
  ...use,
});

const pureCandidate = z.union([
  z.object({
    type: z.string(),
    value: json.meta({ description: 'As a call spec takes it: u64 and wider are decimal strings.' }),
    ...use,
  }),
  z.object({
    type: z.string(),
    bytes: z.string().meta({ description: 'BCS in base64, or as much of it as is shown.' }),
    reason: z.string().meta({ description: 'Why it is shown as bytes.' }),
    ...use,
  }),
]);

const inferredArgument = z.object({
  objectCandidates: z
    .array(objectCandidate)
    .meta({ description: 'Shared and immutable objects, those of most calls first, then the latest.' }),
  singleton: json.meta({
    description:
      'The object id that every sample had here, or the plain value where at least 3 samples of at least 2 senders ' +
      'all had it. Null where there is none: then `singletonFrom` is null too.',
  }),
  singletonFrom: callersSchema.nullable().meta({ description: 'Whose calls agree on `singleton`.' }),
  pureCandidates: z.array(pureCandidate).meta({ description: 'In the same order.' }),
  distinct: z.int().min(0).meta({ description: 'How many candidates there are; not all need be shown.' }),
  owned: z.int().min(0).meta({ description: "Samples in which this was an object of the sender's." }),
  results: z.int().min(0).meta({ description: 'Samples in which an earlier command had made it.' }),
});

/** Schema of the facts that past calls of one function show about its arguments. */
export const inferenceSchema = z.object({
  packageId: z.string(),
  module: z.string(),
  entry: z.string(),
  args: z.array(inferredArgument).meta({ description: "In the function's order, without TxContext." }),
  sampleTypeArgs: z.array(z.string()).meta({ description: 'Of the latest sample; empty without samples.' }),
  typeArgCandidates: z
    .array(z.array(z.object({ type: z.string(), ...use })))
    .meta({ description: 'For each type parameter.' }),
  samples: z.int().min(0).meta({ description: 'Calls that were counted: successful ones, latest first.' }),
  sequence: sequenceSchema.nullable().default(null).meta({
    description: 'The calls that every sample was combined with; null: no such rule.',
  }),
  truncated: z.boolean().meta({ description: 'Whether older calls may have been left out.' }),
});

export type Inference = z.infer<typeof inferenceSchema>;
export type InferredArgument = z.infer<typeof inferredArgument>;
export type ObjectCandidate = z.infer<typeof objectCandidate>;
export type PureCandidate = z.infer<typeof pureCandidate>;
