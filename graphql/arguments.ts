import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import type { z } from 'zod';
import { type CatalogQuery, catalogFilter, toFilters } from '../db/queries/catalog/query.ts';
import type { Page } from '../db/queries/page.ts';
import { type FieldError, type ProblemError, problem } from '../lib/errors/index.ts';
import { builder } from './builder.ts';

type Nullable<T> = { [K in keyof T]?: T[K] | null };
type FilterInput = Nullable<z.infer<typeof catalogFilter>> & { includeUnverified?: boolean | null };

/**
 * The conditions of a filter. Null counts as absent.
 * @throws ProblemError 400 with one entry for each invalid field
 */
export function parseFilter({ includeUnverified, ...input }: FilterInput): Omit<CatalogQuery, 'network'> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const parsed = catalogFilter.safeParse(given);
  if (!parsed.success) {
    throw invalidArgument(
      parsed.error.issues.map(({ path, message }) => ({ path: `filter.${path.join('.')}`, message })),
    );
  }
  return { ...toFilters(parsed.data), includeUnverified: includeUnverified ?? false };
}

/**
 * The canonical service type and publisher.
 * @throws ProblemError 400 when a name has no canonical form
 */
export function parseIdentity(args: { serviceType: string; publisher?: string | null | undefined }) {
  const named = parseServiceType(args.serviceType);
  if ('error' in named) throw invalidArgument([{ path: 'serviceType', message: named.error }]);
  if (args.publisher == null) return { serviceType: named.canonical };
  const publisher = normalizeAddress(args.publisher);
  if (publisher === undefined) throw invalidArgument([{ path: 'publisher', message: 'expected an address' }]);
  return { serviceType: named.canonical, publisher };
}

/**
 * An address or object id with all its 64 digits.
 * @throws ProblemError 400 that names the argument
 */
export function parseAddress(text: string, path: string): string {
  const address = /^0x/.test(text) ? normalizeAddress(text) : undefined;
  if (address !== undefined) return address;
  throw invalidArgument([{ path, message: 'expected 0x and up to 64 hex digits' }]);
}

export function invalidArgument(errors: FieldError[]): ProblemError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problem('invalid_argument', detail, { errors });
}

export const firstDefault = 20;
export const firstMax = 100;

/** Arguments of forward paging. Lists have one direction, which their sort gives. */
export const pagingArgs = builder.args((t) => ({
  first: t.int({ defaultValue: firstDefault, description: `Items per page, 1 to ${firstMax}.` }),
  after: t.string({ description: 'Cursor of the last item of the previous page.' }),
}));

/** @throws ProblemError 400 when `first` is out of bounds */
export function readPaging(args: { first?: number | null; after?: string | null }) {
  const first = args.first ?? firstDefault;
  if (first >= 1 && first <= firstMax) return { first, after: args.after ?? undefined };
  throw invalidArgument([{ path: 'first', message: `must be 1 to ${firstMax}` }]);
}

/** A page as a Relay connection. */
export function toConnection<Item>(page: Page<Item>, after: string | undefined) {
  const { items, cursors, hasMore } = page;
  return {
    edges: items.map((node, at) => ({ node, cursor: cursors[at]! })),
    pageInfo: {
      hasNextPage: hasMore,
      hasPreviousPage: after !== undefined,
      startCursor: cursors[0] ?? null,
      endCursor: cursors.at(-1) ?? null,
    },
  };
}
