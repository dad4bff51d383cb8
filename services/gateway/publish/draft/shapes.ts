import { registryCall, unsignedTransaction, warningSchema } from '@adaptor-marketplace/adaptor/draft';
import {
  categories,
  category,
  manifestName,
  manifestSchema,
  manifestSummary,
} from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import { addressParameter, networkParameter } from '../../openapi/parameters.ts';
import { introspectedOp } from '../introspect.ts';

/** Readers of manifests refuse what two of them could read differently. */
const inManifest = (schema: z.ZodString) =>
  schema.refine((text) => text.isWellFormed() && !text.includes('\u0000'), 'must be text, without U+0000');

const objectsMax = 32;
const describedOpsMax = 64;

const valueName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a word of up to 64 letters and digits');
const plain = z.union([z.boolean(), z.number(), inManifest(z.string().max(1024)), z.null()]);
const fixedValue = z.object({ name: valueName, value: z.union([plain, z.array(plain).max(256)]) });

/** Of one op; the bound is that of a function's parameters. */
const values = z
  .array(z.union([valueName, fixedValue]))
  .max(128)
  .refine(
    (list) => new Set(list.map((one) => (typeof one === 'string' ? one : one.name))).size === list.length,
    'must name each value differently',
  );

/** Body of `POST /api/adaptors/draft`. */
export const draftRequest = z.object({
  packageId: addressParameter,
  name: inManifest(manifestName),
  summary: inManifest(manifestSummary),
  category: inManifest(category)
    .optional()
    .meta({ description: `1 to 40 characters; one of ${categories.join(', ')} is guessed where absent.` }),
  witness: z.string().min(1).max(256).optional().meta({
    description: 'Name, module::Name or service type; needed where the package has several.',
  }),
  network: networkParameter,
  upload: z.boolean().default(false).meta({ description: 'Whether to store the manifest on Walrus.' }),
  integrator: inManifest(z.string().min(1).max(128))
    .optional()
    .meta({ description: "Whom the listing is attributed to; the API key's integrator where absent." }),
  sender: addressParameter.optional().meta({ description: 'Who signs; adds the unsigned transaction.' }),
  objects: z.array(addressParameter).max(objectsMax).default([]).meta({
    description: 'Shared or immutable objects that the ops are for, where past calls do not settle it.',
  }),
  values: z
    .record(z.string().max(258), values)
    .refine(
      (told) => Object.keys(told).length <= describedOpsMax,
      `must be about at most ${describedOpsMax} ops`,
    )
    .default({})
    .meta({
      description:
        'By module::function all values that it takes beside the amount and the minimum, in its order: the name under ' +
        'which callers are asked, or name and value where they have no choice.',
      example: { 'market::order': ['long', 'size', { name: 'assetId', value: 3 }] },
    }),
});

export type DraftRequest = z.infer<typeof draftRequest>;

const unsignedCall = registryCall.extend({
  transaction: unsignedTransaction.optional().meta({
    description: 'Where the body names a sender and the manifest is stored.',
  }),
});

const { shape } = manifestSchema;

/** Answer of `POST /api/adaptors/draft`. */
export const draftBody = z
  .object({
    manifest: manifestSchema,
    manifestHash: z.string().meta({ description: "Lower-case hex sha256 of the manifest's canonical JSON." }),
    manifestUri: z.string().nullable().meta({ description: 'walrus://<blobId>; null without upload.' }),
    serviceType: z.string(),
    ops: z
      .array(introspectedOp)
      .meta({ description: 'All functions of the package, as introspect answers them.' }),
    executableOps: shape.ops.meta({ description: 'The ops of the manifest: all of them have a call.' }),
    register: unsignedCall
      .extend({ deployed: z.boolean().meta({ description: 'Whether the registry is on this network.' }) })
      .meta({ description: 'The unsigned registry::register.' }),
    update: unsignedCall.optional().meta({
      description: 'The unsigned registry::update, where the sender lists this service type already.',
    }),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'Draft' });
