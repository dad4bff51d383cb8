import { networks, parseServiceType } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { ChangesQuery } from '../../../db/queries/catalog/changes.ts';
import { catalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { searchedMax, sortedMax } from '../../../db/queries/catalog/matches.ts';
import { totalMax } from '../../../db/queries/catalog/page-statement.ts';
import {
  type CatalogQuery,
  catalogFilter,
  catalogSorts,
  sourceMatchesDescription,
  toFilters,
} from '../../../db/queries/catalog/query.ts';
import { splitWords } from '../../../db/queries/catalog/search.ts';
import { isId } from '../../../db/queries/catalog/typos.ts';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import { problem } from '../../../lib/errors/index.ts';
import {
  buildEtag,
  computeDigest,
  isAlreadyHeld,
  requireEncoding,
  sendContent,
  sendNotModified,
  signalDeparture,
} from '../../../lib/http/exchange.ts';
import { describeInteger } from '../../../lib/http/parse.ts';
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
  pageBound,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import { type CatalogSource, catalogCacheControl, sendPrepared } from './prepared.ts';
import { renderCatalog, renderChanges } from './render.ts';

const count = z.int().min(0);

/** Answer of `GET /api/adaptors`. */
export const catalogBody = z
  .object({
    network: z.enum(networks),
    count: count.meta({ description: 'Entries in this answer.' }),
    total: count.max(totalMax).meta({
      description: `Matching entries of all pages, counted up to ${totalMax}; of a search in a catalog with more than ${sortedMax} entries, up to ${searchedMax}.`,
    }),
    adaptors: z.array(catalogEntry),
    nextCursor: z
      .string()
      .optional()
      .meta({ description: 'Present where limit, or the size of the answer, left something out.' }),
  })
  .meta({ id: 'Catalog', title: 'Entries' });

/** Answer of `GET /api/adaptors?sinceRevision=`. */
export const changesBody = z
  .object({
    network: z.enum(networks),
    revision: count.meta({ description: 'The newest revision of the catalog.' }),
    changed: z.array(catalogEntry),
    removed: z
      .array(z.object({ serviceType: z.string(), publisher: z.string() }))
      .meta({ description: 'What the catalog no longer shows. You may not have it.' }),
    nextRevision: count.meta({ description: 'All changes up to it were sent: the next `sinceRevision`.' }),
    hasMore: z.boolean(),
    nextCursor: z.string().optional().meta({
      description: 'Present where one revision is larger than an answer: send it with the same parameters.',
    }),
  })
  .meta({ id: 'CatalogChanges', title: 'Changes, with `sinceRevision`' });

export const exampleEntry: z.infer<typeof catalogEntry> = {
  serviceType,
  displayName: manifest.name,
  packageId,
  publisher,
  publisherVerified: true,
  publisherEverVerified: true,
  publisherName: 'harbour.sui',
  packageName: '@harbour/swap',
  publisherDomain: { domain: 'harbour.example', lastSeenMs: atMs },
  manifestUri,
  manifestHash,
  version: 1,
  updatedAtMs: atMs,
  manifest,
  notExecutable: [],
  opCoins: [],
  manifestVerified: true,
  source: 'registry',
  usage: { actions: 12, uniqueVaults: 5, lastActionMs: atMs },
  owners: 4,
  newOwners: 1,
  reviews: { count: 2, avg: 4.5, verifiedCount: 1, verifiedAvg: 5, lastMs: atMs },
  sourceVerdict: 'exact',
  canaryState: 'up',
  canarySinceMs: atMs,
  warnings: [],
  firstListedAtMs: atMs,
  alikeNames: [],
  pending: null,
};

export interface CatalogDependencies {
  reads: ReadPools;
  catalog: CatalogSource;
  choose: NetworkChoice;
}

const idsMax = 100;
const ids = z
  .string()
  .transform((text) => text.split(','))
  .pipe(
    z
      .array(
        z.string().transform((text, context) => {
          const named = parseServiceType(text);
          if (!('error' in named)) return named.canonical;
          context.addIssue(`${text.slice(0, 100)}: ${named.error}`);
          return z.NEVER;
        }),
      )
      .max(idsMax, `expected ${idsMax} service types at most`),
  )
  .optional()
  .meta({
    description: `Service types, separated by commas: ${idsMax} at most.`,
    override: ({ jsonSchema }) => {
      for (const key of Object.keys(jsonSchema)) if (key !== 'description') delete jsonSchema[key];
      jsonSchema.type = 'string';
    },
  });

const catalogRequest = z.object({
  network: networkParameter,
  ids,
  ...catalogFilter.shape,
  sourceMatches: z.literal('true').optional().meta({ description: sourceMatchesDescription }),
  include: z
    .literal('unverified')
    .optional()
    .meta({
      description:
        'Includes listings whose publisher is not verified, and those after an earlier listing of the same service type ' +
        'by another verified publisher.',
    }),
  sort: z
    .enum(catalogSorts)
    .optional()
    .meta({
      description:
        'Default: best match where q is given, else `rank`: use by independent owners, deprecated ones last (/docs/ranking). ' +
        '`trending`: their growth in 7 days. `recent`: uses in 30 days. `usage`: all uses.',
    }),
  sinceRevision: z
    .string()
    .regex(/^\d{1,15}$/, 'expected a whole number from 0')
    .transform(Number)
    .optional()
    .meta({
      description:
        'For copies: only what changed after this revision. Takes `network`, `include` and `cursor`.',
      ...describeInteger({ minimum: 0 }),
    }),
  limit: limitParameter.meta({
    description: `Most entries per page; default: ${pageBound}.`,
  }),
  cursor: cursorParameter,
});

type CatalogRequest = z.infer<typeof catalogRequest>;

function toCatalogQuery(request: CatalogRequest, network: string): CatalogQuery {
  const { ids, sort, limit, cursor } = request;
  const includeUnverified = request.include === 'unverified';
  const sourceMatches = request.sourceMatches === 'true';
  return { ...toFilters(request), network, ids, sourceMatches, includeUnverified, sort, limit, cursor };
}

/** Filtered and paged reads, and requests for the whole catalog that `createHotCatalog` leaves to the route. */
export const listAdaptors = route({
  method: 'get',
  path: '/api/adaptors',
  query: catalogRequest,
  operation: {
    operationId: 'listAdaptors',
    tag: 'catalog',
    summary: 'List adaptors',
    description: 'The verified catalog of one network, or what matches the filters, in pages.',
    response: {
      description: 'The catalog.',
      schema: z.union([catalogBody, changesBody]),
      headers: indexedHeader,
    },
    conditional: true,
    refusals: ['network_not_configured', 'database_unavailable', 'timeout'],
    example: {
      query: { q: 'tip', limit: '1' },
      answer: {
        network: 'testnet',
        count: 1,
        total: 1,
        adaptors: [exampleEntry],
      },
    },
  },
  async handler(
    { exchange, query: request },
    { db, reads, catalog, choose }: CatalogDependencies & { db: Pool },
  ) {
    const { req, res } = exchange;
    const { prepared, watch } = catalog;
    const network = choose(request.network);
    const encoding = requireEncoding(req);
    const isFiltered = Object.entries(request).some(
      ([name, value]) => name !== 'network' && value !== undefined,
    );
    const whole = isFiltered ? undefined : prepared.get(network);
    const checkpoint = whole ? watch.catalogCheckpoint(network) : watch.checkpoint(network, 'registry');
    if (checkpoint !== undefined) res.setHeader('x-indexed-checkpoint', checkpoint);
    if (whole) return await sendPrepared(exchange, whole, encoding);

    const signal = signalDeparture(exchange);
    if (request.sinceRevision !== undefined) {
      const query = toChangesQuery(request, network, request.sinceRevision);
      const render = (pool: Pool) => renderChanges(pool, query, signal);
      // A revision that was not announced here came from another server. Only the primary is sure to have it.
      const { body, nextRevision } = await (query.since > watch.catalogVersion(network)
        ? render(db)
        : reads.begin().run(render));
      prepared.get(network)?.traces.recordSent(exchange, query.since, nextRevision);
      return await sendContent(exchange, {
        body,
        contentType: 'application/json',
        cacheControl: catalogCacheControl,
        tag: computeDigest(body),
      });
    }

    const query = toCatalogQuery(request, network);
    const isVersioned = !splitWords(query.q).some(isId);
    const etag = buildEtag(computeTag(query, watch.catalogVersion(network)), encoding);
    if (isVersioned && isAlreadyHeld(req, etag)) {
      return sendNotModified(exchange, { etag, cacheControl: catalogCacheControl });
    }

    const { body, version } = await reads.begin().run((pool) => renderCatalog(pool, query, signal));
    await sendContent(exchange, {
      body,
      contentType: 'application/json',
      cacheControl: catalogCacheControl,
      tag: isVersioned ? computeTag(query, version) : computeDigest(body),
    });
  },
});

/** @throws ProblemError `invalid_query` */
function toChangesQuery(request: CatalogRequest, network: string, since: number): ChangesQuery {
  const takes = ['network', 'include', 'cursor', 'sinceRevision'];
  const errors = Object.entries(request)
    .filter(([name, value]) => value !== undefined && !takes.includes(name))
    .map(([name]) => ({ path: `query.${name}`, message: 'cannot be combined with sinceRevision' }));
  if (errors.length > 0) {
    throw problem('invalid_query', 'sinceRevision takes network, include and cursor only.', { errors });
  }
  const { include, cursor } = request;
  return { network, since, cursor, includeUnverified: include === 'unverified' };
}

/**
 * Returns the tag of a response. The catalog's version and the query determine the response, so the tag is known before
 * the read: unless a word is an id, which finds what a wallet granted to, and grants change no version.
 */
function computeTag(query: CatalogQuery, version: number): string {
  return `${version}-${computeDigest(JSON.stringify(query))}`;
}
