import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readRatingDays } from '../../../db/queries/catalog/rating-days.ts';
import { route } from '../../../lib/http/route.ts';
import { indexedHeader, publisher, serviceType } from '../openapi/parts.ts';
import {
  cacheControl,
  daysDefault,
  findListing,
  listingDaysQuery,
  parameters,
  refusals,
} from './find-listing.ts';
import type { CatalogDependencies } from './route.ts';

const ratingsBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'In UTC.' }),
          count: z.int().min(1).meta({
            description:
              'Attestations of the day. A later one by the same address counts on its own day too.',
          }),
          avg: z.number().min(1).max(5).meta({ description: 'Average of the day, with two decimals.' }),
        }),
      )
      .meta({ description: 'The days with ratings, the oldest first.' }),
  })
  .meta({ id: 'ListingRatings' });

/** Ratings belong to the service: the same for each publisher that is or was verified, and none for the others. */
export const getRatings = route({
  method: 'get',
  path: '/api/adaptors/:serviceType/ratings',
  parameters,
  cacheControl,
  query: listingDaysQuery,
  operation: {
    operationId: 'getAdaptorRatings',
    tag: 'catalog',
    summary: 'Read the ratings of a listing by day',
    response: { description: 'The days with ratings.', schema: ratingsBody, headers: indexedHeader },
    conditional: true,
    refusals,
    example: {
      query: { days: '30' },
      answer: {
        network: 'testnet',
        serviceType,
        publisher,
        days: [{ day: '2026-01-31', count: 2, avg: 4.5 }],
      },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const { db, network, listing } = await findListing(request, dependencies);
    const { serviceType, publisher } = listing;
    const { days: length = daysDefault } = request.query;
    const keys = listing.publisherEverVerified ? [{ network, serviceType, days: length }] : [];
    const [days = []] = await readRatingDays(db, keys);
    return { network, serviceType, publisher, days };
  },
});
