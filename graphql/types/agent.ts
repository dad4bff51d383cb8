import { type Agent, type Released, readAgents } from '../../db/queries/agents.ts';
import { builder } from '../builder.ts';
import { pagingArgs, readPaging, toConnection } from '../paging.ts';
import { networkEnum } from './enums.ts';

const releasedType = builder.objectRef<Released>('Released').implement({
  description: 'What was released to an agent in one coin.',
  fields: (t) => ({
    coinType: t.exposeString('coinType', { nullable: true }),
    amount: t.exposeString('amount', { description: 'Base units.' }),
    jobs: t.exposeInt('jobs'),
  }),
});

const agentType = builder.objectRef<Agent>('Agent').implement({
  description: 'An agent for hire.',
  fields: (t) => ({
    address: t.exposeString('address'),
    name: t.exposeString('name'),
    description: t.exposeString('description'),
    skills: t.exposeStringList('skills'),
    cardUrl: t.exposeString('cardUrl', { nullable: true }),
    version: t.exposeInt('version'),
    updatedMs: t.expose('updatedMs', { type: 'Milliseconds' }),
    completedJobs: t.exposeInt('completedJobs'),
    releasedValue: t.exposeString('releasedValue', {
      description: 'Sum over those jobs in base units, whatever their coins.',
    }),
    releasedByCoin: t.expose('releasedByCoin', {
      type: [releasedType],
      description: 'The 20 coins of most jobs.',
    }),
  }),
});

const agentConnection = builder.connectionObject({ type: agentType, name: 'AgentConnection' });

builder.queryFields((t) => ({
  agents: t.field({
    type: agentConnection,
    extensions: { statement: 'each' },
    description:
      'The agents that list themselves: those with the most completed jobs first, equal ones by name, then by address.',
    args: { network: t.arg({ type: networkEnum }), ...pagingArgs },
    async resolve(_, args, { db, choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'agents');
      requireSource(network, 'escrow');
      const { first, after } = readPaging(args);
      return toConnection(await readAgents(db, { network, limit: first, cursor: after }), after);
    },
  }),
}));
