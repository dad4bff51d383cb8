import { z } from 'zod';
import { catalogFilter, toFilters } from '../../../db/queries/catalog/filter.ts';
import { type CatalogQuery, catalogSorts } from '../../../db/queries/catalog/query.ts';
import { networks } from '../../../lib/config/index.ts';

/** The query of `GET /api/adaptors`; beyond `network`, all of it is additive. */
export const catalogRequest = z.object({
  network: z
    .enum(networks)
    .optional()
    .meta({ description: 'Defaults to the network that the host has set, normally testnet.' }),
  ...catalogFilter.shape,
  include: z.literal('unverified').optional().meta({
    description: 'Also the listings of a service type that stand behind the one shown for it.',
  }),
  sort: z.enum(catalogSorts).optional().meta({
    description: 'Defaults to the best match where q is given, else to usage. Ties go by service type.',
  }),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'expected a whole number from 1 to 500')
    .transform(Number)
    .pipe(z.int().max(500))
    .optional()
    .meta({
      description: 'Most entries per page; absent: all.',
      override: ({ jsonSchema }) => {
        delete jsonSchema.pattern;
        Object.assign(jsonSchema, { type: 'integer', minimum: 1, maximum: 500 });
      },
    }),
  cursor: z
    .string()
    .min(1)
    .max(2048)
    .optional()
    .meta({ description: '`nextCursor` of the page before, with the same other parameters.' }),
});

export type CatalogRequest = z.infer<typeof catalogRequest>;

export function toCatalogQuery(request: CatalogRequest, network: string): CatalogQuery {
  const { sort, limit, cursor } = request;
  const includeUnverified = request.include === 'unverified';
  return { ...toFilters(request), network, includeUnverified, sort, limit, cursor };
}
