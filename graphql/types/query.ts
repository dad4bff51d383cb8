import type { EntryKey } from '../../db/queries/catalog/find.ts';
import { readListed } from '../../db/queries/catalog/list.ts';
import { readIndexState } from '../../db/queries/state.ts';
import { builder } from '../builder.ts';
import { parseFilter, parseIdentity } from '../filter.ts';
import { pagingArgs, readPaging, toConnection } from '../paging.ts';
import { adaptorType, loadAdaptors } from './adaptor.ts';
import { networkEnum, sortEnum } from './enums.ts';
import { sourceType } from './source.ts';

const filterInput = builder.inputType('AdaptorFilter', {
  description: 'All given conditions must hold.',
  fields: (t) => ({
    q: t.string({ description: 'Words that must all occur in name, summary, integrator or service type.' }),
    category: t.string({ description: 'Exact category, such as Swap or Lend.' }),
    coin: t.string({ description: 'Coin type that is supported by name or by taking any coin.' }),
    publisher: t.string({ description: 'Address that registered the listing.' }),
    integrator: t.string({ description: 'Exact integrator id.' }),
    alike: t.string({
      description:
        'A name: finds the listings whose names look like it, by characters that are easily confused.',
    }),
    includeUnverified: t.boolean({
      description:
        'Also listings whose publisher is not verified, and those that stand behind an earlier one of the same service ' +
        'type by another verified publisher.',
    }),
  }),
});

const adaptorConnection = builder.connectionObject({
  type: adaptorType,
  name: 'AdaptorConnection',
  fields: (t) => ({
    totalCount: t.int({
      description: 'Entries that match, over all pages.',
      resolve: ({ totalCount }) => totalCount ?? 0,
    }),
  }),
});

builder.queryFields((t) => ({
  adaptors: t.field({
    type: adaptorConnection,
    description:
      'The catalog of one network: listings of verified publishers, unless the filter includes others.',
    extensions: { statement: 'each' },
    args: {
      network: t.arg({ type: networkEnum }),
      filter: t.arg({ type: filterInput }),
      sort: t.arg({ type: sortEnum }),
      ...pagingArgs,
    },
    async resolve(_, args, { db, choose }) {
      const network = choose(args.network ?? undefined);
      const { first, after } = readPaging(args);
      const page = await readListed(db, {
        network,
        ...parseFilter(args.filter ?? {}),
        sort: args.sort ?? undefined,
        limit: first,
        cursor: after,
      });
      const items = page.entries.map((entry) => ({ ...entry, network }));
      return { ...toConnection({ ...page, items }, after), totalCount: page.total };
    },
  }),
  adaptor: t.loadable({
    type: adaptorType,
    nullable: true,
    extensions: { statement: 'adaptor' },
    description:
      'One adaptor. Without a publisher: the one that the catalog shows by default for the service type. With a publisher, ' +
      'also one that it does not show by default, such as one with `publisherVerified: false`.',
    args: {
      network: t.arg({ type: networkEnum }),
      serviceType: t.arg.string({ required: true }),
      publisher: t.arg.string(),
    },
    loaderOptions: { cacheKeyFn: (key: EntryKey) => JSON.stringify(key) },
    resolve: (_, args, { choose }) => ({
      network: choose(args.network ?? undefined),
      ...parseIdentity(args),
    }),
    load: loadAdaptors,
  }),
  sources: t.field({
    type: [sourceType],
    description: 'How far each source of events has been read.',
    extensions: { statement: 'each' },
    resolve: async (_, __, { db }) => (await readIndexState(db)).sources,
  }),
}));
