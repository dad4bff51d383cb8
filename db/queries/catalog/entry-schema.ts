import { witnessWarningSchema } from '@adaptor-marketplace/adaptor/draft';
import {
  domainProofPath,
  listedManifestSchema,
  manifestWarningCodes,
  manifestWarningsMax,
  opFaultCodes,
} from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import { canaryStates } from '../../../lib/canaries/judge.ts';
import { sourceVerdicts } from './source-verdict.ts';

/**
 * The catalog entry, declared once. The type of what the queries return, the REST schema, the fields of the graph, the
 * SDK and the tools of the MCP server follow from it.
 */

const count = z.int().min(0);
/** A value of a column of type `integer`. */
const int32 = count.max(2 ** 31 - 1);
const score = z.number().min(1).max(5).nullable();
const instant = (description: string) =>
  count.meta({ description: `${description} Milliseconds since the epoch.` });

const packageId = z.string().meta({ description: 'Package of the service.' });
const publisher = z.string().meta({ description: 'Address that registered the listing.' });
const manifestUri = z.string().meta({ description: 'Where the manifest is.' });
const manifestHash = z
  .string()
  .meta({ description: 'Lower-case hex sha256 of the canonical JSON of the manifest.' });
const firstListedAtMs = instant('Time of the first registration by this publisher.');

export const usage = z
  .object({
    actions: count.meta({ description: 'On-chain actions of wallets through this service.' }),
    uniqueVaults: count.meta({ description: 'Wallets with at least one action.' }),
    lastActionMs: instant('Time of the last action. Null without any.').nullable(),
  })
  .meta({ id: 'Usage', description: 'Use of a service by wallets.' });

/**
 * Maximum number of entries with similar names. Later entries, of which anyone can create many, cannot push out the
 * earliest ones.
 */
export const alikeMax = 5;

export const alikeName = z
  .object({
    serviceType: z.string().meta({ description: 'Its service type.' }),
    publisher,
    name: z.string().meta({ description: 'Name in its manifest.' }),
    firstListedAtMs,
    usage,
  })
  .meta({ id: 'AlikeName', description: 'An adaptor of another service type with a similar name.' });

export const publisherDomain = z
  .object({
    domain: z.string().meta({ description: 'Host name in lower case.' }),
    lastSeenMs: instant(`Time at which its \`${domainProofPath}\` was last seen to name the publisher.`),
  })
  .meta({ id: 'PublisherDomain', description: 'A domain whose file names the publisher.' });

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

const manifestWarning = z
  .object({
    code: z.enum(manifestWarningCodes).meta({
      description:
        '`field_dropped`: an optional field is left out. `field_shortened`: a text is cut. `field_replaced`: an empty ' +
        'text has a substitute. `items_dropped`: items of a list are left out. `unknown_kind`: an op counts as `custom`.',
    }),
    path: z
      .string()
      .meta({ description: 'Path in the published manifest, such as `docsUrl` or `ops.0.kind`.' }),
    detail: z.string().meta({ description: 'What is wrong with the field, and what is shown instead.' }),
  })
  .meta({ id: 'ManifestWarning', description: 'A field whose shown value differs from the published one.' });

export const reviews = z
  .object({
    count: int32.meta({ description: 'Attesters.' }),
    avg: score.meta({ description: 'Average score, rounded to two decimals. Null without any.' }),
    verifiedCount: int32.meta({ description: 'Attesters who used the service before.' }),
    verifiedAvg: score.meta({ description: 'Average of their scores. Null without any.' }),
    lastMs: instant('Time of the last one. Null without any.').nullable(),
  })
  .meta({
    description:
      'The latest score of each attester, 1 to 5. Verified scores are from attesters who used the service before.',
  });

export const pendingVersion = z
  .object({
    version: int32.meta({ description: 'Counted by the registry.' }),
    packageId,
    manifestUri,
    state: z.enum(['pending', 'unreachable']).meta({
      description:
        '`pending`: to be fetched and checked. `unreachable`: its manifest could not be fetched. More states may be added.',
    }),
  })
  .meta({ description: 'A registered version that is not verified yet.' });

/** A listing at its newest version. */
export const registration = z
  .object({
    packageId,
    manifestUri,
    manifestHash,
    version: int32.meta({ description: 'Counted by the registry.' }),
    updatedAtMs: instant('Time of the last registration, update or unlisting.'),
  })
  .meta({ description: 'The newest version as registered, verified or not.' });

const pendingDescription =
  'A newer version. The entry shows the last verified one until the newer one is verified too.';

const storedEntry = z.object({
  serviceType: z.string().meta({ description: 'Canonical: 0x, 64 hex digits, ::module::Witness.' }),
  displayName: z.string().meta({
    description:
      'The name of the manifest for people: `[U+0430]` follows each word in which that character imitates a Latin letter, ' +
      'and a code point stands in place of each invisible character.',
  }),
  packageId,
  publisher,
  publisherVerified: z
    .boolean()
    .meta({ description: 'The publisher published the package or owns its UpgradeCap.' }),
  publisherEverVerified: z.boolean().meta({
    description:
      'The publisher is or was verified, and is among the first 20 of the service type that were. Use and reviews belong ' +
      'to the service type: entries with `true` have them, and the others have none.',
  }),
  publisherName: z
    .string()
    .nullable()
    .meta({
      description:
        'SuiNS name of the publisher, such as `reef.sui`: its default name, which resolves to the address. It is checked every ' +
        'day. Null without one.',
    }),
  packageName: z
    .string()
    .nullable()
    .meta({
      description:
        'MVR name of the package, such as `@reef/vault`: its default name, which resolves to this version of the package. It is ' +
        'checked every day. Null without one.',
    }),
  publisherDomain: publisherDomain.nullable().meta({
    description:
      'The domain of `manifest.profile`, if its file named the publisher at the last check. It is checked every day. Null ' +
      'without a domain, and while it is not proven.',
  }),
  manifestUri,
  manifestHash,
  version: int32.meta({ description: 'The verified version. Grows with each registration and update.' }),
  updatedAtMs: instant('Time of the version.'),
  manifest: listedManifestSchema.meta({ id: 'Manifest' }),
  manifestWarnings: z.array(manifestWarning).min(1).max(manifestWarningsMax).optional().meta({
    description: 'Fields whose shown value differs from the published one. Absent if there are none.',
  }),
  publishedFields: z
    .looseObject({})
    .optional()
    .meta({
      description:
        'The values of these top-level fields as published. `manifest` with them in place has the hash in the registry. ' +
        'Absent if `manifest` itself has it.',
    }),
  notExecutable: z
    .array(
      z.object({
        index: count.max(255).meta({ description: 'Index in `manifest.ops`, from 0.' }),
        reason: opFault,
      }),
    )
    .meta({ description: 'Ops of the manifest that cannot be executed. All others can.' }),
  opCoins: z
    .array(
      z.object({
        index: count.max(255).meta({ description: 'Index in `manifest.ops`, from 0.' }),
        coinIn: z.string().nullable().meta({
          description:
            'Type of the coin that leaves the wallet. Null where the caller chooses it, or the code names it.',
        }),
        coinOut: z
          .string()
          .nullable()
          .meta({ description: 'Type of the coin that enters the wallet. Null in the same cases.' }),
      }),
    )
    .meta({
      description:
        'Executable ops whose `coinIn` or `coinOut` follows from the types of the objects that they fix: a call with another ' +
        'coin fails.',
    }),
  manifestVerified: z
    .literal(true)
    .meta({ description: 'Always true: the catalog shows verified manifests only.' }),
  source: z.literal('registry').meta({ description: 'Always `registry`.' }),
  usage,
  owners: int32.meta({ description: 'Distinct owners that used the service themselves or by a delegate.' }),
  newOwners: int32.meta({
    description:
      'New ones among them: the wallet was less than 30 days old at the last use, or its owner had used no ' +
      'service of another package before.',
  }),
  reviews,
  sourceVerdict: z
    .enum(sourceVerdicts)
    .nullable()
    .meta({
      description:
        'Best verdict of the source that was offered for the package. `exact`: it builds to the bytes on chain. `same_code`: ' +
        'other bytes, and the same steps. Verified code is not safe code: read it. Null without a verdict.',
    }),
  canaryState: z
    .enum(canaryStates)
    .nullable()
    .meta({
      description:
        'State of its operations in simulations. `up`: each operation that ever worked works. `down`: all of these fail. `degraded`: some of these fail, or ' +
        'fail for some amounts. `unproven`: none ever worked, which says nothing against it. Null if none is simulated. It shows ' +
        'life, not safety.',
    }),
  canarySinceMs: instant('Time since which it has this `canaryState`. Null without one.').nullable(),
  warnings: z
    .array(witnessWarningSchema)
    .meta({ description: 'Reasons in the bytecode not to grant to the service. Empty if there are none.' }),
  firstListedAtMs,
  alikeNames: z
    .array(alikeName)
    .max(alikeMax)
    .meta({
      description:
        `Entries of verified publishers with names similar to this one: the ${alikeMax} that were listed first. Compare ` +
        'their first listing and their usage.',
    }),
  pending: pendingVersion.nullable().meta({ description: pendingDescription }),
});

/** One adaptor as the queries return it. REST and the graph show it. */
export type CatalogEntry = z.infer<typeof storedEntry>;
export type AlikeName = z.infer<typeof alikeName>;

/** One adaptor as REST shows it. The package of an unverified version is for the agent only. */
export const catalogEntry = storedEntry
  .extend({
    pending: pendingVersion.omit({ packageId: true }).nullable().meta({ description: pendingDescription }),
  })
  .meta({ id: 'CatalogEntry', description: 'One adaptor with its verified manifest, use and reviews.' });
