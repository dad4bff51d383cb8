import { type Network, normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import type { z } from 'zod';
import { type CatalogQuery, catalogFilter, toFilters } from '../db/queries/catalog/query.ts';
import type { EventSource } from '../db/queries/events.ts';
import type { Paging } from '../db/queries/lists.ts';
import { type FieldError, type ProblemError, problem } from '../lib/errors/index.ts';
import { builder, chainEnum, type GraphContext, networkEnum } from './builder.ts';
import { firstDefault, firstMax } from './query-limits.ts';

type Nullable<T> = { [K in keyof T]?: T[K] | null };
type FilterInput = Nullable<z.infer<typeof catalogFilter>> & {
  serviceTypes?: readonly string[] | null;
  sourceMatches?: boolean | null;
  includeUnverified?: boolean | null;
};

/** Maximum number of service types of one filter. */
const serviceTypesMax = 100;

/** The conditions of a filter. Null counts as absent. @throws ProblemError 400 with an entry for each invalid field */
export function parseFilter({
  sourceMatches,
  includeUnverified,
  serviceTypes,
  ...input
}: FilterInput): Omit<CatalogQuery, 'network'> {
  const conditions = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const parsed = catalogFilter.safeParse(conditions);
  if (!parsed.success) {
    throw invalidArgument(
      parsed.error.issues.map(({ path, message }) => ({ path: `filter.${path.join('.')}`, message })),
    );
  }
  const ids = serviceTypes == null ? undefined : parseServiceTypes(serviceTypes, 'filter.serviceTypes');
  return {
    ...toFilters(parsed.data),
    ids,
    sourceMatches: sourceMatches ?? false,
    includeUnverified: includeUnverified ?? false,
  };
}

/**
 * The canonical forms of a list of service types.
 * @throws ProblemError 400 when there are too many, or one has no canonical form
 */
export function parseServiceTypes(serviceTypes: readonly string[], path: string): string[] {
  if (serviceTypes.length > serviceTypesMax)
    throw invalidArgument([{ path, message: `expected ${serviceTypesMax} service types at most` }]);
  return serviceTypes.map((type, at) => {
    const named = parseServiceType(type);
    if (!('error' in named)) return named.canonical;
    throw invalidArgument([{ path: `${path}.${at}`, message: named.error }]);
  });
}

/** The canonical service type and publisher. @throws ProblemError 400 when a name has no canonical form */
export function parseIdentity(
  args: { serviceType: string; publisher?: string | null | undefined },
  path = 'serviceType',
) {
  const named = parseServiceType(args.serviceType);
  if ('error' in named) throw invalidArgument([{ path, message: named.error }]);
  if (args.publisher == null) return { serviceType: named.canonical };
  const publisher = normalizeAddress(args.publisher);
  if (publisher === undefined) throw invalidArgument([{ path: 'publisher', message: 'expected an address' }]);
  return { serviceType: named.canonical, publisher };
}

/** An address or object id with all its 64 digits. @throws ProblemError 400 that names the argument */
export function parseAddress(text: string, path: string): string {
  const address = /^0x/.test(text) ? normalizeAddress(text) : undefined;
  if (address !== undefined) return address;
  throw invalidArgument([{ path, message: 'expected 0x and up to 64 hex digits' }]);
}

export function invalidArgument(errors: FieldError[]): ProblemError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problem('invalid_argument', detail, { errors });
}

export const pagingArgs = builder.args((t) => ({
  first: t.int({
    description: `Items of the page, from the beginning of the list: 1 to ${firstMax}. Default: ${firstDefault}.`,
  }),
  after: t.string({ description: 'Cursor of the item before the page.' }),
  last: t.int({ description: `Instead of \`first\`: items from the end of the list, 1 to ${firstMax}.` }),
  before: t.string({ description: 'Cursor of the item behind the page.' }),
}));

/** Returns the options of a field with a list of its parent, which is read by pages. */
export const buildListOptions = <Connection>(statement: string, type: Connection, description: string) => ({
  type,
  description,
  args: pagingArgs,
  extensions: { statement },
});

export type PagingArgs = Nullable<{ first: number; after: string; last: number; before: string }>;

/** @throws ProblemError 400 when a number is out of bounds, or both are given */
export function readPaging({ first, after, last, before }: PagingArgs): Paging & { first: number } {
  if (first != null && last != null) {
    const message = 'set only one of first and last';
    throw invalidArgument(['first', 'last'].map((path) => ({ path, message })));
  }
  const size = first ?? last ?? firstDefault;
  if (size < 1 || size > firstMax) {
    throw invalidArgument([{ path: last == null ? 'first' : 'last', message: `must be 1 to ${firstMax}` }]);
  }
  return { first: size, after: after ?? undefined, before: before ?? undefined, backward: last != null };
}

export const chainArgs = builder.args((t) => ({
  chain: t.field({
    type: chainEnum,
    description: 'Default: the network that the host has set, normally `TESTNET`.',
  }),
  network: t.field({
    type: networkEnum,
    description: 'As `chain`.',
    deprecationReason: 'Use `chain`, whose values are in capitals.',
  }),
}));

/**
 * Returns the requested network, or the default, if its sources are indexed.
 * @throws ProblemError for a network or a source that is not served, and for two different networks
 */
export function chooseNetwork(
  { chain, network }: Nullable<{ chain: Network; network: Network }>,
  { choose, requireSource }: Pick<GraphContext, 'choose' | 'requireSource'>,
  ...sources: readonly EventSource[]
): Network {
  if (chain != null && network != null && chain !== network) {
    throw invalidArgument([{ path: 'network', message: 'differs from chain' }]);
  }
  const chosen = choose(chain ?? network ?? undefined);
  for (const source of sources) requireSource(chosen, source);
  return chosen;
}

export const checkpointRange = builder.inputType('CheckpointRange', {
  description: 'Checkpoints from `gte`, up to and without `lt`.',
  fields: (t) => ({
    gte: t.field({ type: 'Count', description: 'The first one.' }),
    lt: t.field({ type: 'Count', description: 'The one behind the last.' }),
  }),
});

export const timeRange = builder.inputType('TimeRange', {
  description: 'Times from `gte`, up to and without `lt`.',
  fields: (t) => ({
    gte: t.field({ type: 'Milliseconds', description: 'The first one.' }),
    lt: t.field({ type: 'Milliseconds', description: 'The one behind the last.' }),
  }),
});

export const addressFilter = builder.inputType('AddressFilter', {
  description: 'Conditions on an address. Set one of them.',
  fields: (t) => ({
    eq: t.string({ description: 'This address.' }),
    in: t.stringList({ description: 'Any of these addresses, at most 100.' }),
  }),
});

type RangeInput = Nullable<{ gte: number; lt: number }> | null | undefined;

/** @throws ProblemError 400 for a negative end, or an end before the beginning */
export function readRange(range: RangeInput, path: string, max = Number.MAX_SAFE_INTEGER) {
  if (range == null) return undefined;
  const [gte, lt] = [range.gte ?? undefined, range.lt ?? undefined];
  for (const [name, value] of Object.entries({ gte, lt })) {
    if (value !== undefined && (value < 0 || value > max))
      throw invalidArgument([{ path: `${path}.${name}`, message: `must be 0 to ${max}` }]);
  }
  if (gte !== undefined && lt !== undefined && lt < gte) {
    throw invalidArgument([{ path: `${path}.lt`, message: 'must not be below gte' }]);
  }
  return { gte, lt };
}

/** Latest time: the end of the year 9999. JavaScript and PostgreSQL format later years differently. */
export const timeMax = 253_402_300_799_999;

type AddressInput = Nullable<{ eq: string; in: readonly string[] }> | null | undefined;

/** The addresses that a filter allows, with all their digits. @throws ProblemError 400 */
export function readAddresses(filter: AddressInput, path: string): string[] | undefined {
  if (filter == null) return undefined;
  if ((filter.eq == null) === (filter.in == null)) {
    throw invalidArgument([{ path, message: 'set exactly one of eq and in' }]);
  }
  if (filter.eq != null) return [parseAddress(filter.eq, `${path}.eq`)];
  const several = filter.in ?? [];
  if (several.length > firstMax) {
    throw invalidArgument([{ path: `${path}.in`, message: `expected ${firstMax} addresses at most` }]);
  }
  return [...new Set(several.map((one, at) => parseAddress(one, `${path}.in.${at}`)))];
}
