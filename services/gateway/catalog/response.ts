import { networks } from '@adaptor-marketplace/adaptor';
import { witnessWarningSchema } from '@adaptor-marketplace/adaptor/draft';
import { listedManifestSchema, opFaultCodes } from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import { alikeMax } from '../../../db/queries/catalog/entry.ts';

const milliseconds = z.int().min(0).meta({ description: 'Milliseconds since the epoch.' });
const count = z.int().min(0);
const score = z.number().min(1).max(5).nullable();

const usage = z
  .object({
    actions: count.meta({ description: 'On-chain actions of wallets through this service.' }),
    uniqueVaults: count,
    lastActionMs: milliseconds.nullable(),
  })
  .meta({ id: 'Usage', description: 'Use of a service by wallets.' });
const firstListedAtMs = milliseconds.meta({
  description: 'First registration by this publisher, in milliseconds since the epoch.',
});

const alikeName = z
  .object({ serviceType: z.string(), publisher: z.string(), name: z.string(), firstListedAtMs, usage })
  .meta({
    id: 'AlikeName',
    description: 'Another entry, whose name looks like that of the one that shows it.',
  });

const opFault = z
  .object({
    code: z.enum(opFaultCodes).meta({
      description:
        '`invalid_op`: a field is missing or wrong. `no_call`: the op has no call. `invalid_call`: its call is not a ' +
        'call spec. `function_mismatch`: the call does not fit the function of the package.',
    }),
    detail: z.string().meta({ description: 'Which field it is, and what is wrong with it.' }),
  })
  .meta({ id: 'OpFault', description: 'Why an op is not executable.' });

const catalogEntry = z
  .object({
    serviceType: z.string().meta({ description: 'Canonical: 0x, 64 hex digits, ::module::Witness.' }),
    packageId: z.string(),
    publisher: z.string().meta({ description: 'Address that registered the listing.' }),
    publisherVerified: z
      .boolean()
      .meta({ description: 'The publisher published the package or owns its UpgradeCap.' }),
    manifestUri: z.string(),
    manifestHash: z.string().meta({ description: "sha256 of the manifest's canonical JSON, hex." }),
    version: count.meta({ description: 'Grows with each registration and update.' }),
    updatedAtMs: milliseconds,
    manifest: listedManifestSchema.meta({ id: 'Manifest' }),
    notExecutable: z
      .array(
        z.object({
          index: count.max(255).meta({ description: 'Place in `manifest.ops`, from 0.' }),
          reason: opFault,
        }),
      )
      .meta({ description: 'Ops of the manifest that cannot be executed. All others can.' }),
    manifestVerified: z.literal(true).meta({ description: 'What does not match its hash is not listed.' }),
    source: z.literal('registry'),
    usage,
    reviews: z
      .object({
        count: count,
        avg: score,
        verifiedCount: count,
        verifiedAvg: score,
        lastMs: milliseconds.nullable(),
      })
      .meta({
        description: "Each attester's latest; verified ones are by those who used the service before.",
      }),
    warnings: z.array(witnessWarningSchema).meta({
      description: 'What the bytecode says against granting to the service; empty where nothing does.',
    }),
    firstListedAtMs,
    alikeNames: z
      .array(alikeName)
      .max(alikeMax)
      .meta({
        description:
          `Entries of verified publishers whose names look like this one: the ${alikeMax} first listed. Compare when each ` +
          'was first listed, and how much it is used.',
      }),
  })
  .meta({ id: 'CatalogEntry', description: 'One adaptor with its verified manifest, use and reviews.' });

/** Answer of `GET /api/adaptors`. */
export const catalogBody = z
  .object({
    network: z.enum(networks),
    count: count.meta({ description: 'Entries in this answer.' }),
    adaptors: z.array(catalogEntry),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'Present where limit, or the size of the answer, left something out.' }),
  })
  .meta({ id: 'Catalog' });
