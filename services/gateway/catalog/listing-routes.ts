import { networks, normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import {
  type ListingStanding,
  readListingStanding,
  readReviews,
} from '../../../db/queries/catalog/listing.ts';
import { readEvents, readVersions } from '../../../db/queries/history.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import {
  addressParameter,
  atMs,
  cursorParameter,
  digest,
  id,
  indexedHeader,
  limitParameter,
  manifestHash,
  manifestUri,
  networkParameter,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import { viewOf } from './prepared.ts';
import { type CatalogDependencies, catalogEntry, exampleEntry } from './route.ts';

const statuses = [
  'shown',
  'unlisted',
  'name_invalid',
  'manifest_mismatch',
  'manifest_invalid',
  'manifest_unreachable',
  'manifest_pending',
  'witness_invalid',
  'witness_pending',
  'publisher_unverified',
  'publisher_pending',
  'other_publisher_shown',
] as const;
type Status = (typeof statuses)[number];

/** Why the catalog does not show a listing by default: the first of the rules that it fails. */
function standingOf(listing: ListingStanding): { status: Status; reason: string | null } {
  const because = (error: string | null) => (error === null ? '' : `: ${error}`);
  const { fetchStatus, publisherCheck, witnessCheck } = listing;
  if (!listing.listed) return { status: 'unlisted', reason: 'The publisher has unlisted it.' };
  if (listing.nameError !== null) {
    return { status: 'name_invalid', reason: `The service type is not valid: ${listing.nameError}.` };
  }
  if (listing.shownPublisher === listing.publisher) return { status: 'shown', reason: null };
  if (listing.manifestError !== null) {
    return {
      status: 'manifest_invalid',
      reason: `The manifest does not belong to this listing: ${listing.manifestError}.`,
    };
  }
  if (fetchStatus === 'mismatch') {
    return {
      status: 'manifest_mismatch',
      reason: `The file at the manifest's uri does not have the registered hash${because(listing.fetchError)}.`,
    };
  }
  if (fetchStatus === 'invalid') {
    return { status: 'manifest_invalid', reason: `The manifest is not valid${because(listing.fetchError)}.` };
  }
  if (witnessCheck === 'invalid') {
    return {
      status: 'witness_invalid',
      reason: `The package has no usable witness of this name${because(listing.checkError)}.`,
    };
  }
  if (fetchStatus === 'unreachable') {
    return {
      status: 'manifest_unreachable',
      reason: `The manifest cannot be fetched${because(listing.fetchError)}. The indexer tries again.`,
    };
  }
  if (fetchStatus !== 'verified') {
    return { status: 'manifest_pending', reason: 'The indexer has not fetched the manifest yet.' };
  }
  if (witnessCheck === 'pending') {
    return { status: 'witness_pending', reason: 'The indexer has not checked the witness yet.' };
  }
  if (publisherCheck === 'pending') {
    return { status: 'publisher_pending', reason: 'The indexer has not checked the publisher yet.' };
  }
  if (publisherCheck !== 'verified') {
    const unknown = publisherCheck === 'unknown' ? ' The node no longer has the proof.' : '';
    return {
      status: 'publisher_unverified',
      reason: `The publisher neither published the package nor owns its UpgradeCap, as far as the indexer can see.${unknown} include=unverified shows it.`,
    };
  }
  return {
    status: 'other_publisher_shown',
    reason: `The earlier listing of ${listing.shownPublisher ?? 'another verified publisher'} is shown. include=unverified shows both.`,
  };
}

const listingBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    status: z.enum(statuses).meta({
      description: '`shown`, or the first reason why the catalog does not show the listing by default.',
    }),
    reason: z.string().nullable().meta({ description: 'The same in words; null if it is shown.' }),
    registered: z
      .object({
        packageId: z.string(),
        manifestUri: z.string(),
        manifestHash: z.string(),
        version: z.int().min(0),
        updatedAtMs: z.int(),
      })
      .meta({ description: 'The newest version as registered, verified or not.' }),
    adaptor: catalogEntry
      .nullable()
      .meta({ description: 'The entry: also one that only `include=unverified` shows. Null without one.' }),
  })
  .meta({ id: 'Listing' });

const parameters = {
  serviceType: {
    description: 'Percent-encoded. A form that is not canonical finds the canonical one.',
    example: serviceType,
  },
};

const listingQuery = z.object({
  network: networkParameter,
  publisher: addressParameter.optional().meta({
    description:
      'Default: the publisher whose listing the catalog shows, else that of the listing nearest to it.',
  }),
});
const pageDefault = 50;
const historyQuery = listingQuery.extend({
  limit: limitParameter.meta({ description: `Most items; default: ${pageDefault}.` }),
  cursor: cursorParameter,
});

interface ListingRequest {
  exchange: Exchange;
  parameters: { serviceType: string };
  query: z.infer<typeof listingQuery>;
}

/** @throws ProblemError 404 `listing_not_found` */
async function findListing(
  { exchange, parameters, query }: ListingRequest,
  { db, catalog, choose }: CatalogDependencies,
) {
  const network = choose(query.network);
  const checkpoint = catalog.watch.checkpoint(network, 'registry');
  if (checkpoint !== undefined) exchange.res.setHeader('x-indexed-checkpoint', checkpoint);
  const named = parseServiceType(parameters.serviceType);
  const serviceType = 'error' in named ? parameters.serviceType : named.canonical;
  const publisher = query.publisher && normalizeAddress(query.publisher);
  const listing = await readListingStanding(db, { network, serviceType, publisher });
  if (listing) return { network, listing };
  const by = publisher === undefined ? '' : ` by ${publisher}`;
  throw problem('listing_not_found', `No listing of ${serviceType.slice(0, 200)}${by} on ${network}.`);
}

const cacheControl = 'public, no-cache';
const refusals = ['network_not_configured', 'listing_not_found', 'database_unavailable'] as const;

/** A listing, whether the catalog shows it or not. */
const getAdaptor = route({
  method: 'get',
  path: '/api/adaptors/:serviceType',
  parameters,
  cacheControl,
  query: listingQuery,
  operation: {
    operationId: 'getAdaptor',
    tag: 'catalog',
    summary: 'Read a listing, and why the catalog does not show it',
    response: { description: 'The listing.', schema: listingBody, headers: indexedHeader },
    conditional: true,
    refusals,
    example: {
      answer: {
        network: 'testnet',
        serviceType,
        publisher,
        status: 'shown',
        reason: null,
        registered: { packageId, manifestUri, manifestHash, version: 1, updatedAtMs: atMs },
        adaptor: exampleEntry,
      },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const { network, listing } = await findListing(request, dependencies);
    const { serviceType, publisher, packageId, manifestUri, manifestHash, version, updatedAtMs } = listing;
    const [entry] = listing.hasEntry
      ? await readEntries(dependencies.db, [{ network, serviceType, publisher }])
      : [];
    return {
      network,
      serviceType,
      publisher,
      ...standingOf(listing),
      registered: { packageId, manifestUri, manifestHash, version, updatedAtMs },
      adaptor: entry ? viewOf(entry) : null,
    };
  },
});

const time = { timestampMs: z.int(), checkpoint: z.int().min(0) };

/** Body of a page of a listing's history. */
const pageOf = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    count: z.int().min(0).meta({ description: 'Items in this answer, the newest first.' }),
    [name]: z.array(item),
    nextCursor: z.string().optional(),
  });

interface HistoryKey {
  network: string;
  serviceType: string;
  publisher: string;
  first: number;
  after: string | undefined;
}

/** A route below a listing that answers one of its lists, the newest first. */
function historyRoute<Item>(definition: {
  name: 'versions' | 'events' | 'reviews';
  operationId: string;
  summary: string;
  item: z.ZodType;
  example: Item;
  read(
    db: CatalogDependencies['db'],
    key: HistoryKey,
  ): Promise<{ items: Item[]; cursors: string[]; hasMore: boolean }>;
}) {
  const { name, operationId, summary, item, example, read } = definition;
  return route({
    method: 'get',
    path: `/api/adaptors/:serviceType/${name}`,
    parameters,
    cacheControl,
    query: historyQuery,
    operation: {
      operationId,
      tag: 'catalog',
      summary,
      response: { description: 'The newest first.', schema: pageOf(name, item), headers: indexedHeader },
      conditional: true,
      refusals: [...refusals, 'bad_cursor'],
      example: {
        query: { limit: '1' },
        answer: { network: 'testnet', serviceType, publisher, count: 1, [name]: [example] },
      },
    },
    async handler(request, dependencies: CatalogDependencies) {
      const { network, listing } = await findListing(request, dependencies);
      const { serviceType, publisher } = listing;
      const { limit: first = pageDefault, cursor: after } = request.query;
      const key = { network, serviceType, publisher, first, after };
      const { items, cursors, hasMore } = cutPage(await read(dependencies.db, key));
      const nextCursor = hasMore ? cursors.at(-1) : undefined;
      return { network, serviceType, publisher, count: items.length, [name]: items, nextCursor };
    },
  });
}

/** Routes of one listing. They come after all other routes below /api/adaptors, which are not service types. */
export const listingRoutes = [
  getAdaptor,
  historyRoute({
    name: 'versions',
    operationId: 'listAdaptorVersions',
    summary: 'List the versions of a listing',
    item: z
      .object({
        version: z.int().min(0),
        listed: z.boolean().meta({ description: 'False for an unlisting, which has no manifest.' }),
        packageId: z.string().nullable(),
        manifestUri: z.string().nullable(),
        manifestHash: z.string().nullable(),
        ...time,
      })
      .meta({ id: 'ListingVersion' }),
    example: {
      version: 1,
      listed: true,
      packageId,
      manifestUri,
      manifestHash,
      timestampMs: atMs,
      checkpoint: 17,
    },
    read: async (db, key) => (await readVersions(db, [key]))[0]!,
  }),
  historyRoute({
    name: 'events',
    operationId: 'listAdaptorEvents',
    summary: 'List the events of a listing and the attestations of its service',
    item: z
      .object({
        id: z.string(),
        name: z.string(),
        type: z.string(),
        sender: z.string(),
        txDigest: z.string(),
        data: z.looseObject({}).nullable(),
        ...time,
      })
      .meta({ id: 'ListingEvent' }),
    example: {
      id: `${digest}:0`,
      name: 'Registered',
      type: `${id('e')}::registry::AdaptorRegistered`,
      sender: publisher,
      txDigest: digest,
      data: { publisher, serviceType, packageId, manifestUri, version: 1 },
      timestampMs: atMs,
      checkpoint: 17,
    },
    read: async (db, key) => (await readEvents(db, [key]))[0]!,
  }),
  historyRoute({
    name: 'reviews',
    operationId: 'listAdaptorReviews',
    summary: "List the reviews of a listing: each attester's latest",
    item: z
      .object({
        attester: z.string(),
        score: z.int().min(1).max(5),
        commentUri: z.string(),
        verified: z.boolean().meta({ description: 'The attester used the service before.' }),
        ...time,
      })
      .meta({ id: 'Review' }),
    example: {
      attester: id('a'),
      score: 5,
      commentUri: 'https://example.org/review',
      verified: true,
      timestampMs: atMs,
      checkpoint: 17,
    },
    read: readReviews,
  }),
];
