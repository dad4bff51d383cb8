import { decodeContent } from '../../../db/queries/package-sources/content.ts';
import { readOfferedContent, readPackageSource } from '../../../db/queries/package-sources/read.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { toChain } from '../../../web/frame/page.ts';
import {
  type SourceListing,
  type SourceTexts,
  sourceDocument,
  sourcePage,
} from '../../../web/pages/source.ts';
import { siteRoute } from '../pages/site.ts';
import { listTexts } from './body.ts';

/** The page with the source of a listing's package. */
export const sourcePageRoute = siteRoute<{ db: Queryable }>(
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
    return sourcePage(listing, await readTexts(db, { network, packageId }), request);
  },
);

async function readTexts(
  db: Queryable,
  key: { network: string; packageId: string },
): Promise<SourceTexts | undefined> {
  const source = await readPackageSource(db, key);
  const content = source && (await readOfferedContent(db, source.hash));
  if (!content) return undefined;
  const { folder, packages } = await decodeContent(content);
  return { folder: folder.slice(1), texts: listTexts(packages) };
}
