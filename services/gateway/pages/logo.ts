import { normalizeStructTag } from '@mysten/sui/utils';
import { readLogo } from '../../../db/queries/logos.ts';
import { problem } from '../../../lib/errors/index.ts';
import { computeDigest, sendContent } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';
import type { CatalogDependencies } from '../catalog/route.ts';
import { buildPageRequest, inShare, pickParameters, type SiteDependencies } from './site.ts';

const path = '/coins/:network/:coinType/logo';

/** Returns the canonical form of a coin type; undefined if it is not a type. */
function toCanonical(coinType: string): string | undefined {
  try {
    return normalizeStructTag(coinType);
  } catch {
    return undefined;
  }
}

/**
 * The logo of a coin, which the indexer fetched and checked. A stranger made it: the policy keeps a browser that opens it
 * from running anything.
 */
export const logoRoute: Route<CatalogDependencies & SiteDependencies> = {
  method: 'get',
  path,
  mediaType: 'image/*',
  unlimited: true,
  parameters: pickParameters(path),
  async answer(exchange, parameters, { reads, site }) {
    const { network } = buildPageRequest(exchange, parameters, site);
    const coinType = toCanonical(parameters.coinType!);
    const logo =
      coinType === undefined
        ? undefined
        : await inShare(exchange, site, () => readLogo(reads.begin(), network, coinType));
    if (!logo) throw problem('not_found', 'There is no logo of this coin.');
    const { picture: body, mediaType: contentType } = logo;
    const headers = ['content-security-policy', "default-src 'none'; sandbox"];
    const cacheControl = 'public, max-age=86400';
    await sendContent(exchange, { body, contentType, cacheControl, tag: computeDigest(body), headers });
  },
};
