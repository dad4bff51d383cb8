import type { Database } from '../../../db/client.ts';
import { readCatalog } from '../../../db/queries/catalog/list.ts';
import type { CatalogQuery } from '../../../db/queries/catalog/query.ts';
import { type Exchange, splitUrl } from '../../../lib/http/exchange.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import {
  alreadyHeld,
  digestOf,
  etagOf,
  requireEncoding,
  sendContent,
  sendNotModified,
  sendRepresentation,
} from '../../../lib/http/representation.ts';
import type { NetworkChoice } from '../request/network.ts';
import type { CatalogSource } from './hot.ts';
import { catalogCacheControl, catalogJson } from './prepared.ts';
import { catalogRequest, toCatalogQuery } from './request.ts';

/** `GET /api/adaptors`: filtered and paged reads, and the whole catalog where the query is spelt unusually. */
export function listAdaptors(db: Database, { prepared, watch }: CatalogSource, choose: NetworkChoice) {
  return async (exchange: Exchange): Promise<void> => {
    const { req, res } = exchange;
    const request = parseQuery(catalogRequest, splitUrl(req.url ?? '').search);
    const network = choose(request.network);
    const encoding = requireEncoding(req);
    const checkpoint = watch.checkpoint(network, 'registry');
    if (checkpoint !== undefined) res.setHeader('x-indexed-checkpoint', checkpoint);

    const filtered = Object.entries(request).some(
      ([name, value]) => name !== 'network' && value !== undefined,
    );
    const whole = filtered ? undefined : prepared.get(network);
    if (whole) return sendRepresentation(exchange, whole[encoding]);

    const query = toCatalogQuery(request, network);
    const known = etagOf(tagOf(query, watch.catalogVersion(network)), encoding);
    if (alreadyHeld(req, known)) return sendNotModified(exchange, known, catalogCacheControl);

    const page = await readCatalog(db.pool, query);
    await sendContent(exchange, {
      body: catalogJson(network, page),
      contentType: 'application/json',
      cacheControl: catalogCacheControl,
      tag: tagOf(query, page.version),
    });
  };
}

/** The catalog's version and the question decide the answer, so its tag is known before it is read. */
function tagOf(query: CatalogQuery, version: number): string {
  return `${version}-${digestOf(JSON.stringify(query))}`;
}
