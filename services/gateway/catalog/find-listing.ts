import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { readListingStandings } from '../../../db/queries/catalog/listing.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { wholeNumber } from '../../../lib/http/parse.ts';
import { addressParameter, networkParameter, serviceType } from '../openapi/parts.ts';
import type { CatalogDependencies } from './route.ts';

export const parameters = {
  serviceType: {
    description: 'Percent-encoded. A form that is not canonical finds the canonical one.',
    example: serviceType,
  },
};

export const listingQuery = z.object({
  network: networkParameter,
  publisher: addressParameter.optional().meta({
    description:
      'Default: the publisher whose listing the catalog shows, else that of the listing nearest to it.',
  }),
});

const daysMax = 366;
export const daysDefault = 30;

/** Query for figures of a listing by day. */
export const listingDaysQuery = listingQuery.extend({
  days: wholeNumber(daysMax).meta({ description: `Days until today; default: ${daysDefault}.` }),
});

interface ListingRequest {
  exchange: Exchange;
  parameters: { serviceType: string };
  query: z.infer<typeof listingQuery>;
}

/**
 * Reads the listing that a request names, and sets the header `x-indexed-checkpoint`.
 * @throws ProblemError 404 `listing_not_found`
 */
export async function findListing(
  { exchange, parameters, query }: ListingRequest,
  { reads, catalog, choose }: CatalogDependencies,
) {
  const network = choose(query.network);
  const db = reads.begin();
  const checkpoint = catalog.watch.checkpoint(network, 'registry');
  if (checkpoint !== undefined) exchange.res.setHeader('x-indexed-checkpoint', checkpoint);
  const parsed = parseServiceType(parameters.serviceType);
  const serviceType = 'error' in parsed ? parameters.serviceType : parsed.canonical;
  const publisher = query.publisher && normalizeAddress(query.publisher);
  const [listing] = await readListingStandings(db, [{ network, serviceType, publisher }]);
  if (listing) return { db, network, listing };
  const by = publisher === undefined ? '' : ` by ${publisher}`;
  throw problem('listing_not_found', `No listing of ${serviceType.slice(0, 200)}${by} on ${network}.`);
}

type FoundListing = Awaited<ReturnType<typeof findListing>>;

/** Reads the entry of a listing in the catalog. Undefined without one. */
export async function readListingEntry({ db, network, listing }: FoundListing) {
  const { serviceType, publisher, hasEntry } = listing;
  const [entry] = hasEntry ? await readEntries(db, [{ network, serviceType, publisher }]) : [];
  return entry;
}

export const cacheControl = 'public, no-cache';
export const refusals = ['network_not_configured', 'listing_not_found', 'database_unavailable'] as const;
