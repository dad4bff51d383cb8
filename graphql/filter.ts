import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import type { z } from 'zod';
import { catalogFilter, toFilters, type CatalogQuery } from '../db/queries/catalog/query.ts';
import { type FieldError, type ProblemError, problem } from '../lib/errors/index.ts';

type Nullable<T> = { [K in keyof T]?: T[K] | null };
type FilterInput = Nullable<z.infer<typeof catalogFilter>> & { includeUnverified?: boolean | null };

/**
 * The filter's conditions; null counts as not given.
 * @throws ProblemError 400 with one row per wrong field
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

/** @throws ProblemError 400 when a name has no canonical form */
export function parseIdentity(args: { serviceType: string; publisher?: string | null | undefined }) {
  const named = parseServiceType(args.serviceType);
  if ('error' in named) throw invalidArgument([{ path: 'serviceType', message: named.error }]);
  if (args.publisher == null) return { serviceType: named.canonical };
  const publisher = normalizeAddress(args.publisher);
  if (publisher === undefined) throw invalidArgument([{ path: 'publisher', message: 'is not an address' }]);
  return { serviceType: named.canonical, publisher };
}

/**
 * An address or object id in its long form.
 * @throws ProblemError 400 naming the argument
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
