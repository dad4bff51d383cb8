import type { EntryKey } from '../db/queries/catalog/find.ts';
import { readListed } from '../db/queries/catalog/list.ts';
import { type ListedRule, readRules } from '../db/queries/rules.ts';
import { readIndexState, type SourceState } from '../db/queries/state.ts';
import { adaptorType, loadAdaptors, witnessWarningType } from './adaptor.ts';
import { pagingArgs, parseFilter, parseIdentity, readPaging, toConnection } from './arguments.ts';
import { builder, networkEnum, sortEnum } from './builder.ts';

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

const ruleType = builder.objectRef<ListedRule>('Rule').implement({
  description: 'A rule that policies can ask for, as the rule registry lists it.',
  fields: (t) => ({
    ruleType: t.exposeString('ruleType'),
    kind: t.exposeString('kind', { description: 'auth or caveat.' }),
    packageId: t.exposeString('packageId'),
    manifestUri: t.exposeString('manifestUri'),
    publisher: t.exposeString('publisher'),
    publisherVerified: t.exposeBoolean('publisherVerified'),
    version: t.exposeInt('version'),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Of its manifest, where that was fetched, has the registered hash and is about this rule.',
    }),
    warnings: t.expose('warnings', {
      type: [witnessWarningType],
      description: 'What the bytecode says against asking for the rule; empty where nothing does.',
    }),
  }),
});

const ruleConnection = builder.connectionObject({ type: ruleType, name: 'RuleConnection' });

builder.queryFields((t) => ({
  rules: t.field({
    type: ruleConnection,
    extensions: { statement: 'each' },
    description: 'The rules of the rule registry, by type.',
    args: { network: t.arg({ type: networkEnum }), ...pagingArgs },
    async resolve(_, args, { db, choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'rules');
      const { first, after } = readPaging(args);
      return toConnection(await readRules(db, { network, limit: first, cursor: after }), after);
    },
  }),
}));

export const sourceType = builder.objectRef<SourceState>('Source').implement({
  description: 'How far one source of events has been read.',
  fields: (t) => ({
    network: t.exposeString('network'),
    name: t.exposeString('name'),
    chainId: t.exposeString('chainId'),
    checkpoint: t.expose('checkpoint', {
      type: 'Count',
      nullable: true,
      description: 'Highest checkpoint covered in full.',
    }),
    checkpointMs: t.expose('checkpointAtMs', { type: 'Milliseconds', nullable: true }),
    chainTip: t.expose('chainTip', { type: 'Count', nullable: true }),
    events: t.expose('eventCount', { type: 'Count' }),
    undecodedEvents: t.expose('undecodedCount', { type: 'Count' }),
    lastError: t.exposeString('lastError', { nullable: true }),
    stoppedMs: t.expose('stoppedAtMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'When it stopped for good, for lastError; null while it runs or is being retried.',
    }),
    removedMs: t.expose('removedAtMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'When the host ceased to follow it; null while it is followed.',
    }),
  }),
});
