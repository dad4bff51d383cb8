import type { Grant } from '../../db/queries/wallets/grants.ts';
import { builder } from '../builder.ts';

export const grantType = builder.objectRef<Grant>('ServiceGrant').implement({
  description: 'What a service may pull of a coin, by the grant of the owner.',
  fields: (t) => ({
    serviceType: t.exposeString('serviceType'),
    coin: t.exposeString('coin'),
    allowance: t.exposeString('allowance', {
      nullable: true,
      description: 'What is left of it, in base units; null where the package of the wallet bounds no grant.',
    }),
    pullCap: t.exposeString('pullCap', {
      nullable: true,
      description: "What is left to pull at another's request; null where the owner has not allowed that.",
    }),
    grantedMs: t.expose('grantedMs', { type: 'Milliseconds' }),
  }),
});
