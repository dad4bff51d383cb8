import { createHash } from 'node:crypto';
import { canonicalType, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { address, category, moveType } from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import { z } from 'zod';
import { type CanaryState, canaryStates } from '../../../lib/canaries/judge.ts';
import { cursorText, decodeCursor, encodeCursor } from '../page.ts';
import { typoEntriesMax } from './typos.ts';

export const catalogSorts = ['rank', 'trending', 'recent', 'usage', 'rating', 'updated', 'name'] as const;
export type CatalogSort = (typeof catalogSorts)[number];

/** A catalog query. Absent filters do not filter. */
export interface CatalogQuery {
  network: string;
  /** Words that must all match name, summary, integrator, service type, coins, names or ids: see `buildSearch`. */
  q?: string | undefined;
  category?: string | undefined;
  /** A coin type as the chain spells it; matches adaptors that name it or take any coin. */
  coin?: string | undefined;
  publisher?: string | undefined;
  integrator?: string | undefined;
  /** Service types in canonical form; an entry has one of them. */
  ids?: string[] | undefined;
  /** Skeleton of the name; see `nameSkeleton`. Matches entries whose names look like it. */
  alike?: string | undefined;
  /** State of the ops in simulations. */
  canary?: CanaryState | undefined;
  /** `true`: only entries whose package does what its source says (`sourceMatches`). */
  sourceMatches?: boolean | undefined;
  /** Includes listings that are not shown by default. */
  includeUnverified?: boolean | undefined;
  /** Absent: the best match first if `q` is set, else the highest rank. */
  sort?: CatalogSort | undefined;
  /** Entries of a page. If it is absent or too large, a page has its maximum size. */
  limit?: number | undefined;
  cursor?: string | undefined;
  /** Cursor of the entry behind the page. */
  before?: string | undefined;
  /** `true`: the page has the last entries between the cursors, not the first. */
  backward?: boolean | undefined;
  /** `true` to skip the count over all pages. */
  uncounted?: boolean | undefined;
}

/** Returns `true` if the query has a condition besides words. */
export function hasFilter(query: CatalogQuery): boolean {
  const { network, q, includeUnverified, sort, limit, cursor, before, backward, uncounted, ...filters } =
    query;
  return Object.values(filters).some((filter) => filter !== undefined && filter !== false);
}

/** Sort keys and id of the entry that a page ended with. Numbers are text, exact as PostgreSQL wrote them. */
export interface CatalogPosition {
  keys: readonly string[];
  serviceType: string;
  publisher: string;
}

/** Types of sort keys in PostgreSQL. */
export type SortKeyType = 'bigint' | 'numeric' | 'float8' | 'timestamptz' | 'text';

const isNumber = (text: string) => /^-?\d{1,40}(\.\d{1,40})?$/.test(text);

/** Returns `true` for a date that PostgreSQL accepts. JavaScript reads 31 February as a day in March, and has a year 0. */
const isDay = (day: string) => day >= '0001' && new Date(day).toISOString().startsWith(day);
const isKey: Record<SortKeyType, (text: string) => boolean> = {
  bigint: (text) => /^-?\d{1,18}$/.test(text),
  numeric: isNumber,
  // PostgreSQL writes a float8 of 1e15 and more with an exponent.
  float8: (text) => isNumber(text.replace(/e\+\d\d$/, '')),
  timestamptz: (text) =>
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d$/.test(text) &&
    !Number.isNaN(Date.parse(`${text}:00`)) &&
    isDay(text.slice(0, 10)),
  text: () => true,
};

/** Fingerprint of the query that a cursor belongs to. With another query its position would skip or repeat entries. */
function computeFingerprint(query: CatalogQuery): string {
  const known = fingerprints.get(query);
  if (known !== undefined) return known;
  const {
    limit: _,
    cursor: _after,
    before: _before,
    backward: _backward,
    uncounted: _counted,
    ...rest
  } = query;
  const canonical = JSON.stringify(
    Object.entries(rest)
      .filter(([, value]) => value !== undefined && value !== false)
      .sort(),
  );
  const fingerprint = createHash('sha256').update(canonical).digest('base64url').slice(0, 8);
  fingerprints.set(query, fingerprint);
  return fingerprint;
}

/** Cached fingerprints of queries in progress: each entry of a page has a cursor. */
const fingerprints = new WeakMap<CatalogQuery, string>();

export function positionToCursor(query: CatalogQuery, at: CatalogPosition): string {
  return encodeCursor([computeFingerprint(query), ...at.keys, at.serviceType, at.publisher]);
}

/**
 * @param types of the sort keys, in order
 * @throws ProblemError `bad_cursor`
 */
export function cursorToPosition(
  query: CatalogQuery,
  cursor: string | undefined,
  types: readonly SortKeyType[],
): CatalogPosition | undefined {
  if (cursor === undefined) return undefined;
  const shape = z
    .array(cursorText)
    .length(types.length + 3)
    .refine(
      ([fingerprint, ...parts]) =>
        fingerprint === computeFingerprint(query) && types.every((type, at) => isKey[type](parts[at]!)),
    );
  const [, ...parts] = decodeCursor(cursor, shape);
  const keys = parts.slice(0, types.length);
  return { keys, serviceType: parts.at(-2)!, publisher: parts.at(-1)! };
}

/** Filters that callers may use, over REST and GraphQL alike. */
export const catalogFilter = z.object({
  q: z
    .string()
    .max(200)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'expected text without U+0000')
    .refine((text) => text.split(/\s+/).length <= 16, 'expected 16 words at most')
    .optional()
    .meta({
      description:
        'Words that must all occur in name, summary, integrator, service type, names of publisher, package or coins, or symbols of coins: as a ' +
        `part of a word or, for 5 to 24 letters and digits, as its beginning with one typo, unless more than ${typoEntriesMax} entries have it as ` +
        'written. At most two words may have a typo: those that the fewest entries have. If the database has no index for search, ' +
        'only as the beginning of a word. At most 16. Without `sort`, matches of the name come first, then of the ' +
        'integrator, then others; equal ones by use and rating. Ids of packages, publishers, objects of operations and wallets that used it are words too.',
    }),
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
  canary: z.enum(canaryStates).optional().meta({ description: 'Only adaptors with this `canaryState`.' }),
});

export const sourceMatchesDescription =
  'Only adaptors whose package was compared with source and has the verdict `exact` or `same_code`.';

/** Converts callers' spellings into the canonical forms of the read model. */
export function toFilters(filter: z.infer<typeof catalogFilter>): Omit<CatalogQuery, 'network'> {
  return {
    q: filter.q,
    category: filter.category,
    coin: filter.coin === undefined ? undefined : (canonicalType(filter.coin) ?? filter.coin),
    publisher: filter.publisher === undefined ? undefined : normalizeAddress(filter.publisher),
    integrator: filter.integrator,
    alike: filter.alike === undefined ? undefined : nameSkeleton(filter.alike),
    canary: filter.canary,
  };
}
