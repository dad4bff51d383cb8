import { readUsage, type Usage, type UsageKey } from '../../db/queries/usage.ts';
import { builder } from '../builder.ts';
import { parseIdentity } from '../filter.ts';
import { networkEnum } from './enums.ts';

export const usageType = builder.objectRef<Usage>('Usage').implement({
  description: 'Counted use by wallets on the chain.',
  fields: (t) => ({
    actions: t.expose('actions', { type: 'Count' }),
    uniqueVaults: t.expose('uniqueVaults', { type: 'Count' }),
    lastActionMs: t.expose('lastActionMs', { type: 'Milliseconds', nullable: true }),
  }),
});

builder.queryFields((t) => ({
  usage: t.loadable({
    type: usageType,
    extensions: { statement: 'usage' },
    description: 'Counted use of any service, whether it is in the catalog or not.',
    args: { network: t.arg({ type: networkEnum }), serviceType: t.arg.string({ required: true }) },
    loaderOptions: { cacheKeyFn: (key: UsageKey) => JSON.stringify(Object.values(key)) },
    resolve: (_, { network, serviceType }, { choose }) => ({
      network: choose(network ?? undefined),
      serviceType: parseIdentity({ serviceType }).serviceType,
    }),
    load: (keys: UsageKey[], { db }) => readUsage(db, keys),
  }),
}));
