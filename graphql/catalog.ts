import type { EntryKey } from '../db/queries/catalog/find.ts';
import { readListed } from '../db/queries/catalog/list.ts';
import { type ListedRule, readRules } from '../db/queries/rules.ts';
import { readIndexState, type SourceState } from '../db/queries/state.ts';
import { adaptorType, loadAdaptors, witnessWarningType } from './adaptor.ts';
import { pagingArgs, parseFilter, parseIdentity, readPaging, toConnection } from './arguments.ts';
import { builder, networkEnum, sortEnum } from './builder.ts';

const filterInput = builder.inputType('AdaptorFilter', {
  description: 'Conditions on listings. A listing must meet all of them.',
  fields: (t) => ({
    q: t.string({
      description:
        'Words to search for in name, summary, integrator and service type, with one typo from five letters on. All must occur.',
    }),
    category: t.string({ description: 'Exact category, such as Swap or Lend.' }),
    coin: t.string({
      description: 'Coin type that the adaptor supports, by name or because it takes any coin.',
    }),
    publisher: t.string({ description: 'Address that registered the listing.' }),
    integrator: t.string({ description: 'Exact integrator id.' }),
    alike: t.string({
      description:
        'A name. Finds listings whose names look like it, with characters that are easily confused.',
    }),
    includeUnverified: t.boolean({
      description:
        'Include listings whose publisher is not verified, and listings that come after one of the same service type by ' +
        'another verified publisher.',
    }),
  }),
});

const adaptorConnection = builder.connectionObject({
  type: adaptorType,
  name: 'AdaptorConnection',
  fields: (t) => ({
    totalCount: t.int({
      description: 'Number of matching entries on all pages.',
      resolve: ({ totalCount }) => totalCount ?? 0,
    }),
  }),
});

builder.queryFields((t) => ({
  adaptors: t.field({
    type: adaptorConnection,
    description:
      'The catalog of one network. Contains listings of verified publishers only, unless the filter includes others.',
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
      'One adaptor. Without a publisher: the adaptor that the catalog shows by default for the service type. With a ' +
      'publisher: its adaptor, even if the catalog does not show it by default (`publisherVerified: false`).',
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
    description: 'Progress of each source of events.',
    extensions: { statement: 'each' },
    resolve: async (_, __, { db }) => (await readIndexState(db)).sources,
  }),
}));

const ruleType = builder.objectRef<ListedRule>('Rule').implement({
  description: 'A rule in the rule registry, which policies can require.',
  fields: (t) => ({
    ruleType: t.exposeString('ruleType'),
    kind: t.exposeString('kind', { description: '`auth` or `caveat`.' }),
    packageId: t.exposeString('packageId'),
    manifestUri: t.exposeString('manifestUri'),
    publisher: t.exposeString('publisher'),
    publisherVerified: t.exposeBoolean('publisherVerified'),
    version: t.exposeInt('version'),
    name: t.exposeString('name', {
      nullable: true,
      description:
        'Name in the manifest. Null unless the manifest was fetched, has the registered hash and describes this rule.',
    }),
    warnings: t.expose('warnings', {
      type: [witnessWarningType],
      description: 'Reasons in the bytecode not to require the rule. Empty if there are none.',
    }),
  }),
});

const ruleConnection = builder.connectionObject({ type: ruleType, name: 'RuleConnection' });

builder.queryFields((t) => ({
  rules: t.field({
    type: ruleConnection,
    extensions: { statement: 'each' },
    description: 'The rules in the rule registry, sorted by type.',
    args: { network: t.arg({ type: networkEnum }), ...pagingArgs },
    async resolve(_, args, { db, choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'rules');
      const { first, after } = readPaging(args);
      return toConnection(await readRules(db, { network, limit: first, cursor: after }), after);
    },
  }),
}));

const sourceType = builder.objectRef<SourceState>('Source').implement({
  description: 'Progress of one source of events.',
  fields: (t) => ({
    network: t.exposeString('network'),
    name: t.exposeString('name'),
    chainId: t.exposeString('chainId'),
    checkpoint: t.expose('checkpoint', {
      type: 'Count',
      nullable: true,
      description: 'Highest checkpoint that is indexed completely.',
    }),
    checkpointMs: t.expose('checkpointAtMs', { type: 'Milliseconds', nullable: true }),
    chainTip: t.expose('chainTip', { type: 'Count', nullable: true }),
    events: t.expose('eventCount', { type: 'Count' }),
    undecodedEvents: t.expose('undecodedCount', { type: 'Count' }),
    lastError: t.exposeString('lastError', { nullable: true }),
    stoppedMs: t.expose('stoppedAtMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'Time when it stopped because of lastError. Null while it runs or is retried.',
    }),
    removedMs: t.expose('removedAtMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'Time when the operator removed it from the settings. Null while it is indexed.',
    }),
  }),
});
