import { networks } from '@adaptor-marketplace/adaptor';
import { changesTextBounds } from '@adaptor-marketplace/adaptor/certify';
import { z } from 'zod';
import { readClaimChanges } from '../../../db/queries/claim-changes.ts';
import { route } from '../../../lib/http/route.ts';
import { indexedHeader, packageId, publisher, serviceType } from '../openapi/parts.ts';
import { claimKinds, namedPackages, verdict } from './certificate-route.ts';
import {
  cacheControl,
  findListing,
  listingQuery,
  parameters,
  readListingEntry,
  refusals,
} from './find-listing.ts';
import type { CatalogDependencies } from './route.ts';

const widensText = '`true` if the later code may do more, checks less, or gives back less.';

const sentenceSchema = z
  .object({
    kind: z.enum(claimKinds).meta({ description: 'Kind of its claims.' }),
    change: z.enum(['new', 'wider', 'narrower', 'gone']).meta({
      description:
        '`new`, `gone`: only the later or only the earlier version has the claims. `wider`, `narrower`: they allow more, or less.',
    }),
    widens: z.boolean().meta({ description: widensText }),
    verdict,
    text: z.string().meta({
      description: `Words of the later version, and of the earlier one for what is gone: at most ${changesTextBounds.text} characters. Names come from bytecode: escape them.`,
    }),
    formerText: z.string().nullable().meta({
      description: 'Words of the earlier version for what is wider or narrower. Null for others.',
    }),
  })
  .meta({ id: 'ClaimChange', description: 'A difference between two versions of a function.' });

const functionSchema = z
  .object({
    packageId: z.string().meta({ description: 'Package that the ops call.' }),
    formerPackageId: z.string().nullable().meta({
      description: 'Package whose function of this name the former version called. Null if it called none.',
    }),
    module: z.string(),
    function: z.string(),
    ops: z.array(z.int().min(0)).meta({ description: 'Places in `manifest.ops` of the ops that call it.' }),
    reason: z.string().nullable().meta({
      description: 'The reason why it has no certificate. Null if it was compared.',
    }),
    widens: z.boolean().meta({
      description: '`true` if it may do more, checks less, gives back less, or was not compared.',
    }),
    unread: z.boolean().meta({
      description: '`true` if some of its code was not read: it may differ in other ways.',
    }),
    sentences: z.array(sentenceSchema).meta({
      description: `What differs, first what may do more: at most ${changesTextBounds.sentences}. All functions have 128 KiB of them at most.`,
    }),
    sentenceCount: z.int().min(0).meta({ description: 'All its sentences.' }),
    packages: namedPackages,
  })
  .meta({ id: 'FunctionChanges', description: 'A function, and what differs from the former version.' });

const changesBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    version: z.int().min(0).meta({ description: 'The last verified version, else as registered.' }),
    state: z.enum(['first', 'pending', 'computed']).meta({
      description:
        '`first`: the catalog showed no version before it. `pending`: to be compared, as soon as both are analyzed.',
    }),
    reason: z.string().nullable().meta({ description: 'What the comparison waits for.' }),
    formerVersion: z.int().nullable().meta({
      description: 'The version that the catalog showed before. Null unless computed.',
    }),
    widens: z.boolean().nullable().meta({
      description:
        '`true` if one of the functions may do more, checks less, or gives back less. Null unless computed.',
    }),
    analysis: z.int().nullable().meta({
      description: 'Version of the analysis whose claims were compared. Null unless computed.',
    }),
    functions: z
      .array(functionSchema)
      .meta({ description: 'Functions that differ, first those that may do more. At most 100.' }),
    hasMoreFunctions: z.boolean().meta({
      description: '`true` if the ops call more functions than were compared.',
    }),
  })
  .meta({ id: 'CertificateChanges' });

/** The difference between what the last two versions of a listing can do. */
export const getCertificateChanges = route({
  method: 'get',
  path: '/api/adaptors/:serviceType/certificate/changes',
  parameters,
  cacheControl,
  query: listingQuery,
  operation: {
    operationId: 'getAdaptorCertificateChanges',
    tag: 'catalog',
    summary: 'Read what an update may do more',
    response: {
      description: 'Functions that differ.',
      schema: changesBody,
      headers: indexedHeader,
    },
    conditional: true,
    refusals,
    example: {
      answer: {
        network: 'testnet',
        serviceType,
        publisher,
        version: 3,
        state: 'computed',
        reason: null,
        formerVersion: 2,
        widens: true,
        analysis: 4,
        functions: [
          {
            packageId,
            formerPackageId: packageId,
            module: 'adaptor',
            function: 'ping',
            ops: [0],
            reason: null,
            widens: true,
            unread: false,
            sentences: [
              {
                kind: 'takes',
                change: 'wider',
                widens: true,
                verdict: 'may',
                text: 'Takes 0x2::sui::SUI from the wallet: all of it.',
                formerText: 'Takes 0x2::sui::SUI from the wallet: exactly argument 2 (u64).',
              },
            ],
            sentenceCount: 1,
            packages: [],
          },
        ],
        hasMoreFunctions: false,
      },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const found = await findListing(request, dependencies);
    const { db, network, listing } = found;
    const { serviceType, publisher } = listing;
    const entry = await readListingEntry(found);
    const listed = { network, serviceType, publisher, version: (entry ?? listing).version };
    const [changes] = await readClaimChanges(db, [listed]);
    return { ...listed, ...changes! };
  },
});
