import { z } from 'zod';
import { readPackageSource } from '../../../db/queries/package-sources/read.ts';
import { route } from '../../../lib/http/route.ts';
import { indexedHeader, publisher, serviceType } from '../openapi/parts.ts';
import { exampleSource, packageSourceShape, renderSource, sourceQuery } from '../sources/body.ts';
import {
  cacheControl,
  findListing,
  listingQuery,
  parameters,
  readListingEntry,
  refusals,
} from './find-listing.ts';
import type { CatalogDependencies } from './route.ts';

/** Returns the source of a listing's package, with the verdict of its comparison with the code on chain. */
export const getSource = route({
  method: 'get',
  path: '/api/adaptors/:serviceType/source',
  parameters,
  cacheControl,
  query: listingQuery.extend(sourceQuery),
  operation: {
    operationId: 'getAdaptorSource',
    tag: 'catalog',
    summary: 'Read the source of a listing, and its verdict',
    response: {
      description: 'The source that was offered with the best verdict.',
      schema: z
        .object({ serviceType: z.string(), publisher: z.string(), ...packageSourceShape })
        .meta({ id: 'ListingSource' }),
      headers: indexedHeader,
    },
    conditional: true,
    refusals: [...refusals, 'file_not_found'],
    example: { answer: { serviceType, publisher, ...exampleSource } },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const found = await findListing(request, dependencies);
    const { db, network, listing } = found;
    const { serviceType, publisher } = listing;
    const entry = await readListingEntry(found);
    const { packageId } = entry ?? listing;
    const source = await readPackageSource(db, { network, packageId });
    const { query } = request;
    return { serviceType, publisher, ...(await renderSource(db, { network, packageId, source, query })) };
  },
});
