import { type Network, networks } from '@adaptor-marketplace/adaptor';
import SchemaBuilder from '@pothos/core';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import RelayPlugin from '@pothos/plugin-relay';
import { catalogSorts } from '../db/queries/catalog/query.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import type { SourceName } from '../lib/config/networks.ts';
import type { Manifests } from './manifests.ts';

/** What all resolvers of one request share. */
export interface GraphContext {
  db: Queryable;
  manifests: Manifests;
  /** The requested network, or the default. Throws when the network is not served. */
  choose: (requested: Network | undefined) => Network;
  /** Throws when the source of the network is not indexed: an empty answer would be wrong. */
  requireSource: (network: Network, source: SourceName) => void;
}

export const builder = new SchemaBuilder<{
  Context: GraphContext;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  /** Fields of a connection beside edges and page info. */
  Connection: { totalCount?: number };
  Scalars: {
    ID: { Input: string; Output: string };
    /** Milliseconds since the Unix epoch, a JSON number. */
    Milliseconds: { Input: number; Output: number };
    /** An integer that may exceed 32 bits, a JSON number below 2^53. */
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
  description: 'The verified catalog of wallet adaptors, with wallets, rules, agents and jobs.',
});

function safeInteger(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new TypeError('expected an integer below 2^53');
}

builder.scalarType('Milliseconds', {
  description: 'A time in milliseconds since the Unix epoch, as a JSON number.',
  serialize: safeInteger,
  parseValue: safeInteger,
});

builder.scalarType('Count', {
  description: 'An integer that may exceed 32 bits, as a JSON number.',
  serialize: safeInteger,
  parseValue: safeInteger,
});

builder.scalarType('JSON', {
  description: 'Any JSON value, as published.',
  serialize: (value) => value,
  parseValue: (value) => value,
});

// The same names as in the REST API.
export const networkEnum = builder.enumType('Network', { values: networks });
export const sortEnum = builder.enumType('AdaptorSort', {
  description:
    'Order of the catalog. Ties are sorted by service type. Default: best match if q is given, otherwise most used.',
  values: catalogSorts,
});
