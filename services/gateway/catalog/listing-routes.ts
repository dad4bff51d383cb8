import { networks, normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { readListingStandings, reviewList } from '../../../db/queries/catalog/listing.ts';
import { deriveStanding, statuses } from '../../../db/queries/catalog/standing.ts';
import { readCoins } from '../../../db/queries/coins.ts';
import { readEvents, readVersions } from '../../../db/queries/history.ts';
import { readPages } from '../../../db/queries/lists.ts';
import { coinsOfDayMax, readUsageDays, type UsageDay } from '../../../db/queries/usage.ts';
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
  wholeNumber,
} from '../openapi/parts.ts';
import { toEntryBody } from './render.ts';
import { type CatalogDependencies, catalogEntry, exampleEntry } from './route.ts';

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
  const [listing] = await readListingStandings(db, [{ network, serviceType, publisher }]);
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
      ...deriveStanding(listing),
      registered: { packageId, manifestUri, manifestHash, version, updatedAtMs },
      adaptor: entry ? toEntryBody(entry) : null,
    };
  },
});

const time = { timestampMs: z.int(), checkpoint: z.int().min(0) };

/** Body of a page of a listing's history. */
const buildPageSchema = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
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

/** Returns a route below a listing. It answers one of the listing's lists, the newest items first. */
function historyRoute(definition: {
  name: 'versions' | 'events' | 'reviews';
  operationId: string;
  summary: string;
  item: z.ZodType;
  example: object;
  read(
    db: CatalogDependencies['db'],
    key: HistoryKey,
  ): Promise<{ items: { txIndex: number; eventIndex: number }[]; cursors: string[]; hasMore: boolean }>;
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
      response: {
        description: 'The newest first.',
        schema: buildPageSchema(name, item),
        headers: indexedHeader,
      },
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
      const { items, nextCursor } = cutPage(await read(dependencies.db, key));
      const shown = items.map(({ txIndex: _, eventIndex: _index, ...item }) => item);
      return { network, serviceType, publisher, count: items.length, [name]: shown, nextCursor };
    },
  });
}

const daysMax = 366;
const daysDefault = 30;
const exampleDay = {
  day: '2026-01-31',
  actions: 3,
  wallets: 2,
  coins: [
    { coin: '0x2::sui::SUI', symbol: 'SUI', decimals: 9, actions: 3, taken: '1500000000', brought: '0' },
  ],
};

const amount = z.string().regex(/^\d+$/);
const usageBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'In UTC.' }),
          actions: z.int().min(1),
          wallets: z.int().min(1).meta({ description: 'Distinct wallets of the day.' }),
          coins: z
            .array(
              z.object({
                coin: z.string(),
                symbol: z.string().nullable().meta({ description: 'Null while unknown.' }),
                decimals: z.int().min(0).max(255).nullable(),
                actions: z.int().min(1).meta({ description: 'Actions that moved the coin.' }),
                taken: amount.meta({ description: 'Left the wallets, in base units.' }),
                brought: amount.meta({ description: 'Came into the wallets, in base units.' }),
              }),
            )
            .meta({
              description: `Coins that were moved, those of most actions first; at most ${coinsOfDayMax}.`,
            }),
        }),
      )
      .meta({ description: 'The days with use, the oldest first.' }),
  })
  .meta({ id: 'ListingUsage' });

/** Adds symbol and decimals to each coin. */
async function withUnits(db: CatalogDependencies['db'], network: string, days: readonly UsageDay[]) {
  const moved = new Set(days.flatMap(({ coins }) => coins.map(({ coin }) => coin)));
  const keys = [...moved].map((coinType) => ({ network, coinType }));
  const found = keys.length > 0 ? await readCoins(db, keys) : [];
  const units = new Map(found.map((coin) => [coin?.coinType, coin]));
  return days.map(({ coins, ...day }) => ({
    ...day,
    coins: coins.map(({ coin, ...amounts }) => {
      const { symbol = null, decimals = null } = units.get(coin) ?? {};
      return { coin, symbol, decimals, ...amounts };
    }),
  }));
}

/** Usage is counted by service, so it is the same for each publisher of the service. */
const getUsage = route({
  method: 'get',
  path: '/api/adaptors/:serviceType/usage',
  parameters,
  cacheControl,
  query: listingQuery.extend({
    days: wholeNumber(daysMax).meta({ description: `Days until today; default: ${daysDefault}.` }),
  }),
  operation: {
    operationId: 'getAdaptorUsage',
    tag: 'catalog',
    summary: 'Read the use of a service by day and coin',
    response: { description: 'The days with use.', schema: usageBody, headers: indexedHeader },
    conditional: true,
    refusals,
    example: {
      query: { days: '30' },
      answer: { network: 'testnet', serviceType, publisher, days: [exampleDay] },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const { network, listing } = await findListing(request, dependencies);
    const { serviceType, publisher } = listing;
    const { days = daysDefault } = request.query;
    return {
      network,
      serviceType,
      publisher,
      days: await withUnits(
        dependencies.db,
        network,
        (await readUsageDays(dependencies.db, [{ network, serviceType, days }]))[0]!,
      ),
    };
  },
});

/** Routes of one listing. They come after all other routes below /api/adaptors, which are not service types. */
export const listingRoutes = [
  getAdaptor,
  getUsage,
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
    async read(db, key) {
      const [page] = await readVersions(db, [key]);
      return {
        cursors: page!.cursors,
        hasMore: page!.hasMore,
        items: page!.items.map(({ previous: _previous, known: _known, ...version }) => version),
      };
    },
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
      type: `${id('e')}::registry::Registered`,
      sender: publisher,
      txDigest: digest,
      data: { publisher, serviceType, packageId, manifestUri, version: 1 },
      timestampMs: atMs,
      checkpoint: 17,
    },
    async read(db, key) {
      const [page] = await readEvents(db, [key]);
      return {
        cursors: page!.cursors,
        hasMore: page!.hasMore,
        items: page!.items.map(({ source: _, ...event }) => event),
      };
    },
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
    read: async (db, key) => (await readPages(db, reviewList, [key]))[0]!,
  }),
];
