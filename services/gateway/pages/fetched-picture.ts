import { canonicalType, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { readPicture } from '../../../db/queries/pictures.ts';
import { problem } from '../../../lib/errors/index.ts';
import { computeDigest, sendContent } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';
import type { CatalogDependencies } from '../catalog/route.ts';
import { buildPageRequest, pickParameters, runInShare, type SiteDependencies } from './site.ts';

/**
 * A picture that the indexer fetched and checked. A stranger made it: the policy keeps a browser that opens it from running
 * anything.
 * @param toSubject returns undefined if nothing can have such a picture
 */
function createPictureRoute(
  path: string,
  toSubject: (parameters: Record<string, string>) => string | undefined,
  absent: string,
): Route<CatalogDependencies & SiteDependencies> {
  return {
    method: 'get',
    path,
    mediaType: 'image/*',
    unlimited: true,
    parameters: pickParameters(path),
    async answer(exchange, parameters, { reads, site }) {
      const { network } = buildPageRequest(exchange, parameters, site);
      const subject = toSubject(parameters);
      const found =
        subject === undefined
          ? undefined
          : await runInShare(exchange, site, () => readPicture(reads.begin(), network, subject));
      if (!found) throw problem('not_found', absent);
      const { picture: body, mediaType: contentType } = found;
      const headers = ['content-security-policy', "default-src 'none'; sandbox"];
      // An operator can hide a picture, so no copy outlives that for long.
      const cacheControl = 'public, max-age=300';
      await sendContent(exchange, { body, contentType, cacheControl, tag: computeDigest(body), headers });
    },
  };
}

/** The logos of coins, and the icons of publishers. */
export const pictureRoutes = [
  createPictureRoute(
    '/coins/:network/:coinType/logo',
    ({ coinType }) => canonicalType(coinType!),
    'There is no logo of this coin.',
  ),
  createPictureRoute(
    '/publishers/:network/:address/icon',
    ({ address }) => normalizeAddress(address!),
    'There is no icon of this publisher.',
  ),
];
