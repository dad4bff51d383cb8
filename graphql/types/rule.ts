import { type ListedRule, readRules } from '../../db/queries/rules.ts';
import { builder } from '../builder.ts';
import { pagingArgs, readPaging, toConnection } from '../paging.ts';
import { networkEnum } from './enums.ts';
import { witnessWarningType } from './witness-warning.ts';

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
