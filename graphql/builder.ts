import SchemaBuilder from '@pothos/core';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import RelayPlugin from '@pothos/plugin-relay';
import type { GraphContext } from './context.ts';

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
