import { networks } from '@adaptor-marketplace/adaptor';
import {
  briefBounds,
  briefCertificate,
  type Certificate,
  type CertificateBrief,
  type Claim,
  verdictMeanings,
} from '@adaptor-marketplace/adaptor/certify';
import { z } from 'zod';
import { listCalledFunctions } from '../../../db/queries/catalog/called-functions.ts';
import {
  readCertificateBriefs,
  readCertificates,
  readCertifiedPackages,
} from '../../../db/queries/certificates.ts';
import { answerBytesMax, cutPage } from '../../../lib/http/bounded-page.ts';
import { wholeNumber } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import {
  cursorParameter,
  indexedHeader,
  manifestHash,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import {
  cacheControl,
  findListing,
  listingQuery,
  parameters,
  readListingEntry,
  refusals,
} from './find-listing.ts';
import type { CatalogDependencies } from './route.ts';

/** A certificate has up to 1 MiB, and an answer about 4 MB. */
const pageMax = 20;
const pageDefault = 10;

export const claimKinds = [
  'takes',
  'goesTo',
  'comesBack',
  'touches',
  'gate',
  'steers',
  'droppedCheck',
  'witnessLeak',
  'upgrade',
  'notRead',
] as const satisfies Claim['kind'][];

export const verdict = z.enum(['cannot', 'always', 'may', 'unread']).meta({
  description: Object.entries(verdictMeanings)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join(' '),
});

const sentenceSchema = z
  .object({
    kind: z.enum(claimKinds).meta({ description: 'Kind of its claims.' }),
    verdict,
    text: z.string().meta({
      description: `In English, at most ${briefBounds.text} characters: a longer one has short names and lists. Names come from bytecode: escape them.`,
    }),
    claims: z
      .array(z.int().min(0))
      .meta({ description: 'Places in `certificate.claims` of the claims that it states.' }),
  })
  .meta({ id: 'ClaimSentence', description: 'A sentence about a function.' });

const versionSchema = z.object({ originalId: z.string(), id: z.string(), version: z.string() });

export const namedPackages = z
  .array(
    z
      .object({ name: z.string(), version: versionSchema })
      .meta({ id: 'NamedPackage', description: 'A package that sentences name in short.' }),
  )
  .meta({ description: 'The other packages that the sentences name `@P1`, `@P2` and so on.' });

const functionSchema = z
  .object({
    packageId: z.string().meta({ description: 'Package that the ops call.' }),
    module: z.string(),
    function: z.string(),
    ops: z.array(z.int().min(0)).meta({ description: 'Places in `manifest.ops` of the ops that call it.' }),
    state: z.enum(['computed', 'pending', 'unread']).meta({
      description: '`pending`: to be analyzed. `unread`: it has no certificate, for `reason`.',
    }),
    reason: z.string().nullable().meta({
      description: 'The reason of `unread`, or the error of the last attempt of `pending`.',
    }),
    hash: z
      .string()
      .nullable()
      .meta({ description: 'Lower-case hex sha256 of the canonical JSON of `certificate`.' }),
    analysis: z.int().nullable().meta({
      description:
        'Version of the analysis that computed it: packages are analyzed again one after another. Null unless computed.',
    }),
    certificate: z
      .looseObject({})
      .nullable()
      .meta({
        description:
          'The claims: the type `Certificate` of `@adaptor-marketplace/adaptor/certify`. Null unless computed, and requested ' +
          'with `include=claims`.',
      }),
    sentences: z.array(sentenceSchema).meta({
      description:
        'The claims in words: first what it takes, where that goes and what comes back, last its checks, reads and writes. ' +
        `At most ${briefBounds.sentences}, of ${briefBounds.bytes / 1024} KiB.`,
    }),
    sentenceCount: z.int().min(0).meta({
      description:
        'All its sentences: `describeCertificate` of `@adaptor-marketplace/adaptor/certify` makes them from `certificate`.',
    }),
    packages: namedPackages,
  })
  .meta({ id: 'FunctionCertificate', description: 'A function, and the certificate of its bytecode.' });

const certificateBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    packageId: z.string().meta({ description: 'Package of the last verified version, else as registered.' }),
    manifestHash: z
      .string()
      .nullable()
      .meta({ description: 'The manifest whose ops call the functions. Null without a verified version.' }),
    analysis: z
      .int()
      .nullable()
      .meta({ description: 'Version of the analysis of the package. Null while it is pending.' }),
    state: z.enum(['pending', 'computed', 'unread']).meta({
      description:
        '`computed`: each function of the package that a transaction can call has a certificate. `unread`: some have none, ' +
        'for `reason`.',
    }),
    reason: z.string().nullable(),
    count: z.int().min(0).meta({ description: 'Functions in this answer.' }),
    functions: z
      .array(functionSchema)
      .meta({ description: 'Functions that the ops call, by package, module and name.' }),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'ListingCertificate' });

const versionExample = { originalId: packageId, id: packageId, version: '1' };
const exampleCertificate: Certificate = {
  analysis: 1,
  package: versionExample,
  module: 'adaptor',
  function: 'ping',
  parameters: ['u64'],
  closure: [versionExample],
  claims: [{ kind: 'takes', rest: true, verdict: 'cannot' }],
  functions: [],
  writers: [],
  authorities: [],
};

/** Returns the sentences of a function, which name their claims by position. */
function toWords(brief: CertificateBrief | null) {
  if (!brief) return { sentences: [], sentenceCount: 0, packages: [] };
  const { sentences, sentenceCount, packages } = brief;
  const words = sentences.map(({ kind, verdict, text, claims }) => ({ kind, verdict, text, claims }));
  return { sentences: words, sentenceCount, packages };
}

/** The certificates of the functions that a listing's ops call. */
export const getCertificate = route({
  method: 'get',
  path: '/api/adaptors/:serviceType/certificate',
  parameters,
  cacheControl,
  query: listingQuery.extend({
    limit: wholeNumber(pageMax).meta({ description: `Most functions; default: ${pageDefault}.` }),
    cursor: cursorParameter,
    include: z.enum(['sentences', 'claims']).optional().meta({
      description: '`claims`: also `certificate`, up to 1 MiB for each function. Default: `sentences` alone.',
    }),
  }),
  operation: {
    operationId: 'getAdaptorCertificate',
    tag: 'catalog',
    summary: 'Read what the code of a listing can do',
    response: {
      description: 'Functions with their certificates.',
      schema: certificateBody,
      headers: indexedHeader,
    },
    conditional: true,
    refusals,
    example: {
      query: { limit: '1' },
      answer: {
        network: 'testnet',
        serviceType,
        publisher,
        packageId,
        manifestHash,
        analysis: 1,
        state: 'computed',
        reason: null,
        count: 1,
        functions: [
          {
            packageId,
            module: 'adaptor',
            function: 'ping',
            ops: [0],
            state: 'computed',
            reason: null,
            hash: manifestHash,
            analysis: 1,
            certificate: exampleCertificate,
            ...toWords(briefCertificate(exampleCertificate)),
          },
        ],
      },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const found = await findListing(request, dependencies);
    const { db, network, listing } = found;
    const { serviceType, publisher } = listing;
    const entry = await readListingEntry(found);
    const { packageId } = entry ?? listing;
    const { limit: first = pageDefault, cursor: after } = request.query;
    const ops = entry?.manifest.ops ?? [];
    const page = listCalledFunctions({ packageId, ops }, { first, after });
    const keys = page.items.map((called) => ({ network, ...called }));
    const [[certified], certificates] = await Promise.all([
      readCertifiedPackages(db, [{ network, packageId }]),
      request.query.include === 'claims'
        ? readCertificates(db, keys, answerBytesMax)
        : readCertificateBriefs(db, keys),
    ]);
    const items = certificates.map(({ brief, parameters: _, ...certificate }, at) => ({
      ...page.items[at]!,
      certificate: null,
      ...certificate,
      ...toWords(brief),
    }));
    const { items: functions, nextCursor } = cutPage({
      items,
      cursors: page.cursors,
      hasMore: page.hasMore || items.length < page.items.length,
    });
    const manifestHash = entry?.manifestHash ?? null;
    const listed = { network, serviceType, publisher, packageId, manifestHash };
    return { ...listed, ...certified!, count: functions.length, functions, nextCursor };
  },
});
