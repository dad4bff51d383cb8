import type { Allowance, Delegate } from '../../db/queries/wallets/delegates.ts';
import { builder } from '../builder.ts';

const allowanceType = builder.objectRef<Allowance>('Allowance').implement({
  description: 'What a delegate may still spend: through one service, or of one coin.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Type of the service or the coin.' }),
    amount: t.exposeString('amount', { description: 'Base units.' }),
    unlimited: t.exposeBoolean('unlimited'),
  }),
});

const delegateType = builder.objectRef<Delegate>('Delegate').implement({
  description: 'An address that may spend for a wallet.',
  fields: (t) => ({
    address: t.exposeString('address'),
    addedMs: t.expose('addedMs', { type: 'Milliseconds' }),
    expiresMs: t.expose('expiresMs', { type: 'Milliseconds', nullable: true }),
    services: t.expose('services', { type: [allowanceType] }),
    coins: t.expose('coins', { type: [allowanceType] }),
    truncated: t.exposeBoolean('truncated', {
      description: 'Whether budgets beyond 200 of a kind were left out.',
    }),
  }),
});

export const delegateConnection = builder.connectionObject({
  type: delegateType,
  name: 'DelegateConnection',
});
