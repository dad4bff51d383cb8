import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { catalogEntry, registration } from '../../../db/queries/catalog/entry-schema.ts';
import { deriveStanding, statuses } from '../../../db/queries/catalog/standing.ts';
import { route } from '../../../lib/http/route.ts';
import {
  atMs,
  indexedHeader,
  manifestHash,
  manifestUri,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import { getCanaries } from './canaries-route.ts';
import { getCertificateChanges } from './certificate-changes-route.ts';
import { getCertificate } from './certificate-route.ts';
import {
  cacheControl,
  findListing,
  listingQuery,
  parameters,
  readListingEntry,
  refusals,
} from './find-listing.ts';
import { historyRoutes } from './history-routes.ts';
import { getRatings } from './ratings-route.ts';
import { toEntryBody } from './render.ts';
import { type CatalogDependencies, exampleEntry } from './route.ts';
import { getSource } from './source-route.ts';
import { getUsage } from './usage-route.ts';

const listingBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    status: z.enum(statuses).meta({
      description: '`shown`, or the first reason why the catalog does not show the listing by default.',
    }),
    reason: z.string().nullable().meta({ description: 'The same in words; null if it is shown.' }),
    quarantined: z
      .object({ reason: z.string(), sinceMs: z.int() })
      .nullable()
      .meta({
        description:
          'The quarantine that an operator of this marketplace holds the service type or the publisher in. Null ' +
          'without one. It does not change the chain: owners revoke grants as always.',
      }),
    registered: registration,
    adaptor: catalogEntry
      .nullable()
      .meta({ description: 'The entry: also one that only `include=unverified` shows. Null without one.' }),
  })
  .meta({ id: 'Listing' });

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
        quarantined: null,
        registered: { packageId, manifestUri, manifestHash, version: 1, updatedAtMs: atMs },
        adaptor: exampleEntry,
      },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const found = await findListing(request, dependencies);
    const { network, listing } = found;
    const { serviceType, publisher, packageId, manifestUri, manifestHash, version, updatedAtMs } = listing;
    const entry = await readListingEntry(found);
    return {
      network,
      serviceType,
      publisher,
      ...deriveStanding(listing),
      quarantined: listing.quarantined,
      registered: { packageId, manifestUri, manifestHash, version, updatedAtMs },
      adaptor: entry ? toEntryBody(entry) : null,
    };
  },
});

/** Routes of one listing. They come after all other routes below /api/adaptors, which are not service types. */
export const listingRoutes = [
  getAdaptor,
  getCertificate,
  getCertificateChanges,
  getCanaries,
  getSource,
  getUsage,
  getRatings,
  ...historyRoutes,
];
