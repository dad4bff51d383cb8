import { type Network, networks } from '@adaptor-marketplace/adaptor/networks';
import SchemaBuilder from '@pothos/core';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import RelayPlugin from '@pothos/plugin-relay';
import { catalogSorts } from '../db/queries/catalog/query.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import type { SourceName } from '../lib/config/sources.ts';
import type { Manifests } from './manifests.ts';

/** What one request's resolvers share. */
export interface GraphContext {
  db: Queryable;
  manifests: Manifests;
  /** The network that a query means; throws for one that is not served. */
  choose: (requested: Network | undefined) => Network;
  /** Throws where the host does not follow a source of the network: nothing would be a false answer. */
  requireSource: (network: Network, source: SourceName) => void;
}

export const builder = new SchemaBuilder<{
  Context: GraphContext;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  /** What a connection may carry beside edges and page info. */
  Connection: { totalCount?: number };
  Scalars: {
    ID: { Input: string; Output: string };
    /** Milliseconds since the epoch, a JSON number. */
    Milliseconds: { Input: number; Output: number };
    /** A whole number beyond 32 bits, a JSON number below 2^53. */
    Count: { Input: number; Output: number };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [RelayPlugin, DataloaderPlugin],
  defaultFieldNullability: false,
  relay: {
    edgesFieldOptions: { nullable: { list: false, items: false } },
    nodesOnConnection: false,
    nodeQueryOptions: { extensions: { statement: 'adaptor' } },
    nodesQueryOptions: false,
  },
});

builder.queryType({
  description:
    'The verified catalog of wallet adaptors, and the wallets, rules, agents and jobs that go with it.',
});

function wholeNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new TypeError('expected a whole number below 2^53');
}

builder.scalarType('Milliseconds', {
  description: 'An instant in milliseconds since the epoch, as a JSON number.',
  serialize: wholeNumber,
  parseValue: wholeNumber,
});

builder.scalarType('Count', {
  description: 'A whole number that may exceed 32 bits, as a JSON number.',
  serialize: wholeNumber,
  parseValue: wholeNumber,
});

builder.scalarType('JSON', {
  description: 'Any JSON value, as it was published.',
  serialize: (value) => value,
  parseValue: (value) => value,
});

// Spelt as REST spells them, so that one vocabulary serves both.
export const networkEnum = builder.enumType('Network', { values: networks });
export const sortEnum = builder.enumType('AdaptorSort', {
  description:
    'Ties go by service type. Without a sort: the best match where q is given, else the most used.',
  values: catalogSorts,
});
