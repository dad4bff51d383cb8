import { witnessWarningSchema } from '@adaptor-marketplace/adaptor/draft';
import type { Introspection } from '@adaptor-marketplace/adaptor/introspect';
import { z } from 'zod';
import { addressParameter, id, networkField, packageId, serviceType } from '../openapi/parts.ts';
import { createPublishRoute, type PublishDependencies } from './route.ts';

const abilities = z.enum(['copy', 'drop', 'store', 'key']);
const confidence = z.enum(['high', 'medium', 'low']).meta({
  description:
    'high: the type settles it, or the very value is handed on to where it is used so. medium: what is handed on is ' +
    'computed from it. low: the position alone.',
});
const coinType = z.string().meta({ description: 'A Move type, or `T0` for the first type parameter.' });

const param = z.object({
  typeStr: z.string().meta({
    description: 'As Move writes it; `T0` is the first type parameter. Ends in … beyond 2,048 characters.',
  }),
  type: z.string().meta({ description: 'Without the reference.' }),
  reference: z.enum(['none', 'immutable', 'mutable']),
  role: z.enum(['wallet', 'amount', 'minOut', 'object', 'clock', 'pure', 'ctx']),
  confidence,
  name: z.string().optional().meta({ description: 'A word for a plain value, where the code has one.' }),
  coin: coinType.optional(),
  objectId: z.string().optional().meta({ description: "Of the chain's own shared objects." }),
});

const typeParam = z.object({
  constraints: z.array(abilities),
  role: z
    .enum(['coinIn', 'coinOut'])
    .optional()
    .meta({ description: 'The only coin that leaves the wallet, or the only other one that comes in.' }),
});

export const introspectedOp = z
  .object({
    module: z.string(),
    entry: z.string().meta({ description: 'Function name.' }),
    fqn: z.string().meta({ description: '0x<package asked for>::module::function.' }),
    visibility: z.enum(['public', 'friend', 'private']),
    isEntry: z.boolean(),
    touchesWallet: z.boolean(),
    executable: z.boolean().meta({
      description: 'Whether this call is a whole transaction, with fixed objects and plain values.',
    }),
    reason: z
      .object({
        code: z.enum([
          'not_callable',
          'needs_public',
          'takes_random',
          'returns_value',
          'returns_hot_potato',
          'returns_reference',
          'takes_hot_potato',
          'takes_value',
          'takes_owned_object',
          'takes_generic_value',
          'takes_mutable_clock',
        ]),
        detail: z.string(),
      })
      .optional()
      .meta({ description: 'Why not, where it is not executable.' }),
    paramCount: z.int().min(0).meta({ description: 'The transaction context among them.' }),
    typeParamCount: z.int().min(0),
    params: z.array(param),
    typeParams: z.array(typeParam),
    intentMode: z
      .enum(['A', 'B', 'C', 'D'])
      .optional()
      .meta({ description: "A: a payment on the sender's account, B: a payer's, C: nobody's, D: a swap." }),
    coinsIn: z.array(coinType).meta({ description: 'What leaves the wallet.' }),
    coinsOut: z.array(coinType).meta({ description: 'What comes into it.' }),
    movesAsset: z.boolean().meta({ description: 'Whether it moves an asset that the wallet keeps.' }),
    services: z
      .array(z.string())
      .optional()
      .meta({ description: 'Services whose witness acts in the wallet. Absent where one is not known.' }),
  })
  .meta({ id: 'IntrospectedOp' });

const witness = z.object({
  module: z.string(),
  name: z.string(),
  serviceType: z.string(),
  warnings: z.array(witnessWarningSchema).meta({
    description: 'Flaws that speak against granting to it; empty where there are none.',
  }),
});

export const introspectionBody: z.ZodType<Introspection> = z
  .object({
    witnesses: z.array(witness).meta({
      description: 'Structs that name a service, by the package version that first defined them.',
    }),
    ops: z.array(introspectedOp),
    hotPotatoes: z.array(z.object({ type: z.string(), begin: z.string(), finish: z.string() })).meta({
      description: 'Values that a transaction must hand from `begin` to `finish` (module::function).',
    }),
    modules: z.array(z.string()),
  })
  .meta({ id: 'Introspection', description: "A package's interface, read from its bytecode." });

const walletType = `${id('6')}::wallet::Wallet`;

export const exampleOp = {
  module: 'tip_jar',
  entry: 'tip',
  fqn: `${packageId}::tip_jar::tip`,
  visibility: 'public',
  isEntry: false,
  touchesWallet: true,
  executable: true,
  paramCount: 5,
  typeParamCount: 0,
  params: [
    {
      typeStr: `&mut ${walletType}`,
      type: walletType,
      reference: 'mutable',
      role: 'wallet',
      confidence: 'high',
    },
    {
      typeStr: `&mut ${packageId}::tip_jar::Jar`,
      type: `${packageId}::tip_jar::Jar`,
      reference: 'mutable',
      role: 'object',
      confidence: 'high',
    },
    {
      typeStr: 'u64',
      type: 'u64',
      reference: 'none',
      role: 'amount',
      confidence: 'high',
      coin: '0x2::sui::SUI',
    },
    {
      typeStr: '&0x2::clock::Clock',
      type: '0x2::clock::Clock',
      reference: 'immutable',
      role: 'clock',
      confidence: 'high',
      objectId: '0x6',
    },
    {
      typeStr: '&mut 0x2::tx_context::TxContext',
      type: '0x2::tx_context::TxContext',
      reference: 'mutable',
      role: 'ctx',
      confidence: 'high',
    },
  ],
  typeParams: [],
  intentMode: 'A',
  coinsIn: ['0x2::sui::SUI'],
  coinsOut: [],
  movesAsset: false,
  services: [serviceType],
};

export const introspectPackage = createPublishRoute({
  path: '/api/adaptors/introspect',
  body: z.object({ packageId: addressParameter, network: networkField }),
  response: introspectionBody,
  operation: {
    operationId: 'introspectPackage',
    summary: 'Introspect the functions of a package',
    description:
      'The chain does not store names of parameters. Roles are inferred from types and from what the bytecode does with ' +
      'each argument.',
    example: {
      request: { packageId },
      answer: {
        witnesses: [{ module: 'tip_jar', name: 'TipJar', serviceType, warnings: [] }],
        ops: [exampleOp],
        hotPotatoes: [],
        modules: ['tip_jar'],
      },
    },
  },
  answer: ({ body: { packageId }, chain, signal }, _: PublishDependencies) =>
    chain.introspect(packageId, signal),
});
