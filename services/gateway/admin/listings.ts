import { networks } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import { listingFilters, readHostListings } from '../../../db/queries/catalog/listing.ts';
import { standingOf, statuses } from '../../../db/queries/catalog/standing.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import {
  atMs,
  cursorParameter,
  manifestHash,
  manifestUri,
  type NetworkChoice,
  networkParameter,
  packageId,
  publisher,
  serviceType,
  wholeNumber,
} from '../openapi/parts.ts';

export interface HostListingDependencies {
  db: Pool;
  choose: NetworkChoice;
}

const pageDefault = 50;

const hostListingsQuery = z.object({
  network: networkParameter,
  filter: z
    .enum(listingFilters)
    .default('hidden')
    .meta({
      description:
        '`hidden`: listed, and the catalog does not show them by default. `manifest`: their manifest is wrong or cannot ' +
        'be fetched.',
    }),
  limit: wholeNumber(200).meta({ description: `Most listings; default: ${pageDefault}.` }),
  cursor: cursorParameter,
});

const hostListing = z.object({
  serviceType: z.string(),
  publisher: z.string(),
  status: z.enum(statuses),
  reason: z.string().nullable().meta({ description: 'Why the catalog does not show it; null if it does.' }),
  packageId: z.string(),
  manifestUri: z.string(),
  manifestHash: z.string(),
  version: z.int().min(0),
  updatedAtMs: z.int(),
  fetchAttempts: z.int().min(0).meta({ description: 'Attempts to fetch the manifest since it was named.' }),
  nextFetchMs: z
    .int()
    .nullable()
    .meta({ description: 'When the manifest is fetched next; null: it is not.' }),
});

export const hostListingsBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0),
    listings: z.array(hostListing),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'HostListings', description: 'In the order of service types.' });

/** Every listing with the reason why the catalog does not show it. */
export const listHostListings = route({
  method: 'get',
  path: '/api/admin/listings',
  ...forAdmin,
  query: hostListingsQuery,
  operation: {
    operationId: 'listHostListings',
    tag: 'operator',
    summary: 'List the listings that the catalog does not show, with the reasons',
    response: { description: 'A page of listings.', schema: hostListingsBody },
    refusals: ['bad_cursor', 'network_not_configured', 'database_unavailable', ...keyStoreProblems],
    example: {
      query: { filter: 'manifest' },
      answer: {
        network: 'testnet',
        count: 1,
        listings: [
          {
            ...{ serviceType, publisher, status: 'manifest_unreachable' },
            reason: 'The manifest cannot be fetched: HTTP 404. The indexer tries again.',
            ...{ packageId, manifestUri, manifestHash, version: 1, updatedAtMs: atMs },
            ...{ fetchAttempts: 3, nextFetchMs: atMs + 60_000 },
          },
        ],
      },
    },
  },
  async handler({ query }, { db, choose }: HostListingDependencies) {
    const network = choose(query.network);
    const { filter, limit = pageDefault, cursor } = query;
    const page = cutPage(await readHostListings(db, { network, filter, limit, cursor }));
    const listings = page.items.map((listing) => {
      const { serviceType, publisher, packageId, manifestUri, manifestHash, version, updatedAtMs } = listing;
      const { fetchAttempts, nextFetchMs } = listing;
      return {
        ...{ serviceType, publisher, ...standingOf(listing), packageId, manifestUri, manifestHash, version },
        ...{ updatedAtMs, fetchAttempts, nextFetchMs },
      };
    });
    const nextCursor = page.hasMore ? page.cursors.at(-1) : undefined;
    return { network, count: listings.length, listings, nextCursor };
  },
});
