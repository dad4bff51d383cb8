import { isValidStructTag, parseStructTag } from '@mysten/sui/utils';
import { z } from 'zod';
import { isMoveIdentifier, normalizeAddress } from '../chain/names.ts';

/** A Move address or object id in any spelling that the chain's tools accept. */
export const address = z
  .string()
  .max(66)
  .refine((text) => normalizeAddress(text) !== undefined, 'expected 0x and up to 64 hex digits')
  .meta({ pattern: '^(0[xX])?[0-9a-fA-F]{1,64}$' });

/** A Move identifier of at most 128 characters. */
export const moveIdentifier = z
  .string()
  .max(128)
  .refine(isMoveIdentifier, 'expected a Move identifier')
  .meta({ pattern: '^([a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+)$' });

/** A Move type: a primitive, `vector<T>` or `0x<package>::module::Name<…>`. */
export const moveType = z.string().min(1).max(512).refine(isMoveType, 'expected a Move type');

function isMoveType(text: string): boolean {
  // The SDK also accepts names such as @org/app::m::T, which only a name service can resolve to a type.
  if (text.includes('@') || text === 'signer') return false;
  // The SDK exports a check for struct types only, but it checks their type parameters as types.
  const wrapped = `0x0::m::T<${text}>`;
  return isValidStructTag(wrapped) && parseStructTag(wrapped).typeParams.length === 1;
}

/** One argument of the adaptor's function, in the function's order, without the trailing TxContext. */
export const callArgument = z.discriminatedUnion('role', [
  z
    .looseObject({
      role: z
        .enum(['wallet', 'amount', 'minOut', 'clock'])
        .describe('Provided by the program that builds the transaction.'),
    })
    .meta({ title: 'Provided argument' }),
  z.looseObject({
    role: z.literal('object'),
    objectId: address.describe('A fixed object, such as a pool.'),
    mutable: z.boolean().optional().describe('For shared objects: taken by `&mut`.'),
  }),
  z.looseObject({
    role: z.literal('pure'),
    type: moveType,
    value: z.unknown().optional().describe('Fixed value; absent: the caller is asked for it.'),
    name: z.string().min(1).max(64).optional().describe('What the value means, for the caller.'),
  }),
]);

/** The chain's bounds on type arguments, and on parameters of a function. */
export const typeArgsMax = 16;
export const argsMax = 128;

/** Schema of an op's call: its type arguments and its arguments. */
export const callSpec = z
  .looseObject({
    typeArgs: z
      .array(z.union([z.enum(['coinIn', 'coinOut']), moveType]))
      .max(typeArgsMax)
      .describe('In order: the coin paid, the coin received, or a fixed Move type.'),
    args: z.array(callArgument).max(argsMax).describe("In the function's order, without TxContext."),
  })
  .meta({ title: 'Call spec', description: 'How an adaptor function is called.' });

/**
 * Bounds on the calls of an op with `calls`. A single call belongs in `call`, and no protocol needs more than the
 * maximum.
 */
export const callsBounds = { min: 2, max: 8 };

/** Bound on the results of one call. The chain's own bound is wider than any function needs. */
const resultsMax = 16;

/** An argument that is the result of an earlier call of the same op. */
const resultArgument = z.looseObject({
  role: z.literal('result'),
  call: z
    .int()
    .min(0)
    .max(callsBounds.max - 2)
    .describe('Place of an earlier call, from 0.'),
  index: z
    .int()
    .min(0)
    .max(resultsMax - 1)
    .optional()
    .describe('Place among its results, from 0; absent: 0.'),
});

/** An argument of one of an op's several calls. */
export const stepArgument = z.discriminatedUnion('role', [callArgument, resultArgument]);

/** One of an op's several calls. */
export const stepSpec = callSpec
  .extend({
    packageId: address.optional().describe("The called package; absent: the manifest's."),
    module: moveIdentifier,
    entry: moveIdentifier.describe('Function name.'),
    args: z.array(stepArgument).max(argsMax).describe("In the function's order, without TxContext."),
  })
  .meta({ title: 'Call of several', description: 'One call of an op that consists of several.' });

export type CallArgument = z.infer<typeof callArgument>;
export type CallSpec = z.infer<typeof callSpec>;
export type StepArgument = z.infer<typeof stepArgument>;
export type StepSpec = z.infer<typeof stepSpec>;
