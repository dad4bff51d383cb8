import type { Network } from '@adaptor-marketplace/adaptor';
import { invalidArgument } from './arguments.ts';
import { builder, chainEnum, type IndexingProgress, nullableTime, sourceEnum } from './builder.ts';

const metaSource = builder.objectRef<IndexingProgress['sources'][number]>('MetaSource').implement({
  description: 'How far one source of events was indexed.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: '`registry`, `wallet`, `rules`, `agents`, `escrow` or `statements`.',
    }),
    checkpoint: t.expose('checkpoint', {
      type: 'Count',
      nullable: true,
      description: 'Highest checkpoint that is indexed completely. Null before the first.',
    }),
    checkpointMs: t.expose('checkpointAtMs', nullableTime('Time of that checkpoint.')),
  }),
});

const meta = builder.objectRef<IndexingProgress & { network: Network }>('Meta').implement({
  description: 'How far the data of an answer was indexed. The data may be newer, and is not older.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'The network.' }),
    checkpoint: t.expose('checkpoint', {
      type: 'Count',
      nullable: true,
      description: 'Highest checkpoint that all sources cover. Null before the first.',
    }),
    sources: t.expose('sources', { type: [metaSource], description: 'The sources of the network.' }),
  }),
});

/** The argument that the transport reads before it executes a query. */
export const atLeastCheckpoint = 'atLeastCheckpoint';

builder.queryFields((t) => ({
  _meta: t.field({
    type: meta,
    description: 'How far a network was indexed when the query began.',
    extensions: { statement: 'index state' },
    args: {
      chain: t.arg({
        type: chainEnum,
        description: 'Default: the network that the host has set, normally `TESTNET`.',
      }),
      [atLeastCheckpoint]: t.arg({
        type: 'Count',
        description:
          'Waits up to 10 seconds until the sources cover this checkpoint, before the query reads anything. Send the ' +
          'checkpoint of your transaction to read what it changed. Errors: `checkpoint_not_reached`, `too_many_waiting`.',
      }),
      sources: t.arg({
        type: [sourceEnum],
        description:
          'The sources that `atLeastCheckpoint` waits for. Default: all. A source without events in a checkpoint may ' +
          'take seconds to cover it, so name those that your transaction has events of.',
      }),
    },
    resolve(_, { chain, atLeastCheckpoint: checkpoint, sources }, { choose, indexed, requireSource }) {
      if (checkpoint != null && checkpoint < 0)
        throw invalidArgument([{ path: atLeastCheckpoint, message: 'must not be negative' }]);
      const chosen = choose(chain ?? undefined);
      for (const source of sources ?? []) requireSource(chosen, source);
      return { network: chosen, ...indexed(chosen) };
    },
  }),
}));
