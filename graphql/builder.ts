import { type Network, networks } from '@adaptor-marketplace/adaptor';
import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import RelayPlugin from '@pothos/plugin-relay';
import { GraphQLError, type ValueNode } from 'graphql';
import type { ReadFilterValues } from '../db/queries/catalog/filter-values.ts';
import { catalogSorts } from '../db/queries/catalog/query.ts';
import type { EventSource } from '../db/queries/events.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { problem } from '../lib/errors/index.ts';
import type { Manifests } from './manifests.ts';
import { estimateFieldCost, firstMax } from './query-limits.ts';

export interface IndexingProgress {
  /** Highest checkpoint that all sources cover; null before the first. */
  checkpoint: number | null;
  sources: readonly { name: string; checkpoint: number | null; checkpointAtMs: number | null }[];
}

/** Context of one request, shared by all of its resolvers. */
export interface GraphContext {
  db: Queryable;
  manifests: Manifests;
  /** The requested network, or the default. Throws when the network is not served. */
  choose: (requested: Network | undefined) => Network;
  /** Throws when the source of the network is not indexed: an empty answer would be wrong. */
  requireSource: (network: Network, source: EventSource) => void;
  /** Returns the indexing progress at the last look, without a database read. The network may be further by now. */
  indexed: (network: Network) => IndexingProgress;
  /** Shared by all requests: it caches the values of a revision. */
  readFilterValues: ReadFilterValues;
  /** Values cached for the request, by the function that makes them. */
  values?: Map<unknown, unknown>;
}

/** Names of the types whose objects have ids. */
export const nodeTypes = new Set<string>();

export const builder = new SchemaBuilder<{
  Context: GraphContext;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  /** Fields of a connection besides `edges` and `pageInfo`. The total is counted only if the query requests it. */
  Connection: { total: () => number | Promise<number> };
  Scalars: {
    ID: { Input: string; Output: string };
    /** Milliseconds since the Unix epoch, a JSON number. */
    Milliseconds: { Input: number; Output: number };
    /** An integer that may exceed 32 bits, a JSON number below 2^53. */
    Count: { Input: number; Output: number };
    JSON: { Input: unknown; Output: unknown };
    /** A day in UTC: `2026-01-31`. */
    Date: { Input: string; Output: string };
  };
}>({
  plugins: [RelayPlugin, DataloaderPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  // The cost of a document is checked before its execution, so the plugin's own check is disabled.
  complexity: { disabled: true, fieldComplexity: (args, _, field) => estimateFieldCost(args, field) },
  relay: {
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The items of the page, in the order of the list.',
    },
    nodeFieldOptions: { description: 'The item.' },
    cursorFieldOptions: { description: 'Its cursor: send it as `after` or `before`.' },
    pageInfoFieldOptions: { description: 'Where the page begins and ends.' },
    pageInfoTypeOptions: { description: 'Where a page begins and ends.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on behind the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list begins before the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first item. Null for an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last item. Null for an empty page.' },
    nodeTypeOptions: { description: 'An object with an id of its own.' },
    idFieldOptions: { description: 'Opaque id, for `node` and `nodes`.' },
    defaultConnectionTypeOptions: { description: 'A page of a list.' },
    defaultEdgeTypeOptions: { description: 'An item of a list, with its cursor.' },
    nodesOnConnection: false,
    decodeGlobalID(text) {
      const [, typename = '', id = ''] = /^(\w+):(.*)$/s.exec(Buffer.from(text, 'base64').toString()) ?? [];
      if (nodeTypes.has(typename)) return { typename, id };
      const message = 'expected an id of this graph';
      throw problem('invalid_argument', `id: ${message}`, { errors: [{ path: 'id', message }] });
    },
    // The cost is fixed. To compute it from the arguments, the plugin would parse the ids, whose errors belong to the
    // field.
    nodeQueryOptions: {
      complexity: { field: 1, multiplier: 1 },
      extensions: { statement: 'each' },
      description: 'The object with an id. Null if there is no such object, or no longer.',
      args: { id: { description: 'An `id` of this graph.' } },
    },
    nodesQueryOptions: {
      complexity: { field: 1, multiplier: firstMax },
      extensions: { statement: 'each' },
      description: 'The objects with some ids, in their order. At most 100.',
      args: { ids: { description: 'Each an `id` of this graph.' } },
      resolve(_root, { ids }, _context, _info, resolveNodes) {
        if (ids.length <= firstMax) return resolveNodes(ids);
        const message = `expected ${firstMax} ids at most`;
        throw problem('invalid_argument', `ids: ${message}`, { errors: [{ path: 'ids', message }] });
      },
    },
  },
});

/** Options of an exposed field that can be null. */
export const nullable = (description: string) => ({ nullable: true as const, description });

export const nullableTime = (description: string) => ({
  ...nullable(description),
  type: 'Milliseconds' as const,
});

builder.queryType({
  description: 'The verified catalog of wallet adaptors, with wallets, rules, agents and jobs.',
});

function serializeInteger(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new TypeError('expected an integer below 2^53');
}

/** Checks an integer of the caller. @param node the value in the document; absent for a variable @throws GraphQLError */
function checkInteger(value: unknown, node?: ValueNode): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError('expected an integer below 2^53', { nodes: node ?? null });
}

const integerScalar = {
  serialize: serializeInteger,
  parseValue: (value: unknown) => checkInteger(value),
  parseLiteral: (node: ValueNode) =>
    checkInteger(
      node.kind === 'IntValue' || node.kind === 'FloatValue' ? Number(node.value) : undefined,
      node,
    ),
};

builder.scalarType('Milliseconds', {
  description: 'A time in milliseconds since the Unix epoch, as a JSON number.',
  specifiedByURL: 'https://tc39.es/ecma262/#sec-time-values-and-time-range',
  ...integerScalar,
});

builder.scalarType('Count', {
  description: 'An integer that may exceed 32 bits, as a JSON number below 2^53.',
  specifiedByURL: 'https://tc39.es/ecma262/#sec-number.issafeinteger',
  ...integerScalar,
});

builder.scalarType('JSON', {
  description: 'Any JSON value, as published.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
  parseValue: (value) => value,
});

builder.scalarType('Date', {
  description: 'A day in UTC, such as `2026-01-31`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date',
  serialize: String,
  parseValue: String,
});

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    nullable: false,
    description: 'Number of items on all pages, counted up to 10,000. Counted only if you request it.',
    extensions: { statement: 'count' },
    resolve: ({ total }) => total(),
  }),
);

const describeValues = <Name extends string>(from: readonly Name[], description: (value: Name) => string) =>
  Object.fromEntries(from.map((value) => [value, { value, description: description(value) }])) as {
    [Value in Name]: { value: Value; description: string };
  };

/** Networks by their names in the REST API. `Chain` has the same values in capitals. */
export const networkEnum = builder.enumType('Network', {
  description: 'A network of the chain. `Chain` is its successor.',
  values: describeValues(networks, (name) => `The ${name} of Sui.`),
});

export const sourceEnum = builder.enumType('EventSource', {
  description: 'What events are read from: the packages of one kind.',
  values: {
    REGISTRY: { value: 'registry', description: 'The registry of adaptors.' },
    WALLET: { value: 'wallet', description: 'Wallets, with their delegates, caps and policies.' },
    RULES: { value: 'rules', description: 'The registry of policy rules, and allowlists.' },
    AGENTS: { value: 'agents', description: 'The registry of agents for hire.' },
    ESCROW: { value: 'escrow', description: 'Jobs and their payments.' },
  } as const,
});

export const chainEnum = builder.enumType('Chain', {
  description: 'A network of the chain.',
  values: {
    MAINNET: { value: 'mainnet', description: 'The mainnet of Sui.' },
    TESTNET: { value: 'testnet', description: 'The testnet of Sui.' },
  } as const,
});

export const sortEnum = builder.enumType('AdaptorSort', {
  description:
    'Order of the catalog. Ties are sorted by service type. Default: best match if q is given, otherwise `RANK`. ' +
    '`AdaptorOrder` is its successor.',
  values: describeValues(catalogSorts, (name) => `As \`${name.toUpperCase()}\` of \`AdaptorOrder\`.`),
});

export const orderEnum = builder.enumType('AdaptorOrder', {
  description:
    'Order of the catalog. Ties are sorted by service type. Default: best match if q is given, otherwise `RANK`.',
  values: {
    RANK: {
      value: 'rank',
      description:
        'Use by independent owners, weighted as the document on ranking describes. What the catalog shows first without `q`.',
    },
    TRENDING: {
      value: 'trending',
      description:
        'Most growth of the owners that used it in 7 days, as the document on ranking describes. Deprecated ones last.',
    },
    RECENT: { value: 'recent', description: 'Most actions in 30 days first, then most actions.' },
    USAGE: { value: 'usage', description: 'Most actions first, then most wallets.' },
    RATING: { value: 'rating', description: 'Best average score first, then most reviews.' },
    UPDATED: { value: 'updated', description: 'Last updated first.' },
    NAME: { value: 'name', description: 'By name, without regard to case.' },
  } as const,
});
