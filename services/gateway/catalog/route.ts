import type { Pool } from 'pg';
import { z } from 'zod';
import { readCatalog } from '../../../db/queries/catalog/list.ts';
import {
  type CatalogQuery,
  catalogFilter,
  catalogSorts,
  toFilters,
} from '../../../db/queries/catalog/query.ts';
import {
  alreadyHeld,
  digestOf,
  etagOf,
  requireEncoding,
  sendContent,
  sendNotModified,
  sendRepresentation,
} from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import {
  atMs,
  cursorParameter,
  indexedHeader,
  limitParameter,
  manifest,
  manifestHash,
  manifestUri,
  type NetworkChoice,
  networkParameter,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import type { CatalogSource } from './hot.ts';
import { catalogCacheControl, catalogJson } from './prepared.ts';
import { catalogBody } from './response.ts';

export interface CatalogDependencies {
  db: Pool;
  catalog: CatalogSource;
  choose: NetworkChoice;
}

const catalogRequest = z.object({
  network: networkParameter,
  ...catalogFilter.shape,
  include: z
    .literal('unverified')
    .optional()
    .meta({
      description:
        'Includes listings whose publisher is not verified, and those after an earlier listing of the same service type ' +
        'by another verified publisher.',
    }),
  sort: z.enum(catalogSorts).optional().meta({
    description: 'Default: best match where q is given, else usage. Ties are sorted by service type.',
  }),
  limit: limitParameter.meta({
    description: 'Most entries per page; default: 1,000 entries or 4 MB, whichever comes first.',
  }),
  cursor: cursorParameter,
});

type CatalogRequest = z.infer<typeof catalogRequest>;

function toCatalogQuery(request: CatalogRequest, network: string): CatalogQuery {
  const { sort, limit, cursor } = request;
  const includeUnverified = request.include === 'unverified';
  return { ...toFilters(request), network, includeUnverified, sort, limit, cursor };
}

/** Filtered and paged reads, and the whole catalog where the query is written unusually. */
export const listAdaptors = route({
  method: 'get',
  path: '/api/adaptors',
  query: catalogRequest,
  operation: {
    operationId: 'listAdaptors',
    tag: 'catalog',
    summary: 'List adaptors',
    description:
      'The verified catalog of one network: all of it, or what matches the filters, in pages if you set a limit.',
    response: { description: 'The catalog.', schema: catalogBody, headers: indexedHeader },
    conditional: true,
    refusals: ['bad_cursor', 'network_not_configured', 'database_unavailable', 'timeout'],
    example: {
      query: { q: 'tip', limit: '1' },
      answer: {
        network: 'testnet',
        count: 1,
        adaptors: [
          {
            serviceType,
            packageId,
            publisher,
            publisherVerified: true,
            manifestUri,
            manifestHash,
            version: 1,
            updatedAtMs: atMs,
            manifest,
            notExecutable: [],
            manifestVerified: true,
            source: 'registry',
            usage: { actions: 12, uniqueVaults: 5, lastActionMs: atMs },
            reviews: { count: 2, avg: 4.5, verifiedCount: 1, verifiedAvg: 5, lastMs: atMs },
            warnings: [],
            firstListedAtMs: atMs,
            alikeNames: [],
          },
        ],
      },
    },
  },
  async handler({ exchange, query: request }, { db, catalog, choose }: CatalogDependencies) {
    const { req, res } = exchange;
    const { prepared, watch } = catalog;
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

    const page = await readCatalog(db, query);
    await sendContent(exchange, {
      body: catalogJson(network, page),
      contentType: 'application/json',
      cacheControl: catalogCacheControl,
      tag: tagOf(query, page.version),
    });
  },
});

/** The catalog's version and the question decide the answer, so its tag is known before it is read. */
function tagOf(query: CatalogQuery, version: number): string {
  return `${version}-${digestOf(JSON.stringify(query))}`;
}
