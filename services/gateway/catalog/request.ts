import { z } from 'zod';
import { catalogFilter, toFilters, type CatalogQuery, catalogSorts } from '../../../db/queries/catalog/query.ts';
import { cursorParameter, limitParameter, networkParameter } from '../request/parameters.ts';

/** The query of `GET /api/adaptors`; beyond `network`, all of it is additive. */
export const catalogRequest = z.object({
  network: networkParameter,
  ...catalogFilter.shape,
  include: z
    .literal('unverified')
    .optional()
    .meta({
      description:
        'Also listings whose publisher is not verified, and those that stand behind an earlier one of the same service ' +
        'type by another verified publisher.',
    }),
  sort: z.enum(catalogSorts).optional().meta({
    description: 'Defaults to the best match where q is given, else to usage. Ties go by service type.',
  }),
  limit: limitParameter.meta({
    description: 'Most entries per page; absent: 1,000 entries or 4 MB, whichever is first.',
  }),
  cursor: cursorParameter,
});

export type CatalogRequest = z.infer<typeof catalogRequest>;

export function toCatalogQuery(request: CatalogRequest, network: string): CatalogQuery {
  const { sort, limit, cursor } = request;
  const includeUnverified = request.include === 'unverified';
  return { ...toFilters(request), network, includeUnverified, sort, limit, cursor };
}
