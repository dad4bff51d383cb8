import { address, moveType } from '@adaptor-marketplace/adaptor/call-spec';
import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { category } from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names/skeleton';
import { normalizeStructTag } from '@mysten/sui/utils';
import { z } from 'zod';
import type { CatalogQuery } from './query.ts';

/** What callers may filter by, over REST and GraphQL alike. */
export const catalogFilter = z.object({
  q: z
    .string()
    .max(200)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'expected text without U+0000')
    .refine((text) => text.split(/\s+/).length <= 16, 'expected 16 words at most')
    .optional()
    .meta({ description: 'Words that must all occur in name, summary, integrator or service type.' }),
  category: category
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'expected text without U+0000')
    .optional()
    .meta({ description: 'Exact category, such as Swap or Lend.' }),
  coin: moveType.optional().meta({
    description:
      'Coin type that the adaptor supports by name or by taking any coin, such as `0x2::sui::SUI`.',
  }),
  publisher: address.optional().meta({ description: 'Address that registered the listing.' }),
  integrator: z
    .string()
    .min(1)
    .max(128)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'expected text without U+0000')
    .optional()
    .meta({ description: 'Exact integrator id.' }),
  alike: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({
      description:
        'A name. Finds the listings whose names look like it: equal but for case, spaces, punctuation, accents and ' +
        'characters that are easily confused (UTS #39).',
    }),
});

/** Brings what callers spell in many ways into the forms that the read model holds. */
export function toFilters(filter: z.infer<typeof catalogFilter>): Omit<CatalogQuery, 'network'> {
  return {
    q: filter.q,
    category: filter.category,
    coin: filter.coin === undefined ? undefined : coinSpellings(filter.coin),
    publisher: filter.publisher === undefined ? undefined : normalizeAddress(filter.publisher),
    integrator: filter.integrator,
    alike: filter.alike === undefined ? undefined : nameSkeleton(filter.alike),
  };
}

/** Manifests name coins in long or short form, and are served as they were hashed, so both are looked for. */
function coinSpellings(coin: string): string[] {
  const long = coin.includes('::') ? normalizeStructTag(coin) : coin;
  const short = long.replace(/0x0*([0-9a-f]+)/g, '0x$1');
  return [...new Set([coin, long, short])];
}
