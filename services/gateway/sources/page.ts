import { readPackageSource } from '../../../db/queries/package-sources/read.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { toChain } from '../../../web/frame/page.ts';
import { type SourceListing, sourceDocument, sourcePage } from '../../../web/pages/source.ts';
import { createSiteRoute } from '../pages/site.ts';
import { readTexts } from './texts.ts';

/** The page with the source of a listing's package. */
export const sourcePageRoute = createSiteRoute<{ db: Queryable }>(
  '/a/:network/:serviceType/source',
  async (request, { db, site }) => {
    const { network, parameters, search } = request;
    const { listing } = (await site.data.read(sourceDocument, {
      chain: toChain(network),
      serviceType: parameters.serviceType,
      publisher: search.get('publisher') || undefined,
    })) as { listing: SourceListing | null };
    if (!listing) return undefined;
    const { packageId } = listing.adaptor ?? listing.registered;
    const source = await readPackageSource(db, { network, packageId });
    const texts = source && (await readTexts(db, source.hash));
    return sourcePage(listing, texts, source?.report ?? null, request);
  },
);
