import type { KnownCap } from '../../db/queries/wallets/caps.ts';
import { builder } from '../builder.ts';

const capType = builder.objectRef<KnownCap>('Cap').implement({
  description: 'A cap as the events of its wallet tell of it. Who holds it now is not among them.',
  fields: (t) => ({
    capId: t.exposeString('capId'),
    kind: t.exposeString('kind', { description: 'bearer or scoped.' }),
    walletId: t.exposeString('walletId'),
    recipient: t.exposeString('recipient', {
      nullable: true,
      description: 'Whom it was minted for, where known.',
    }),
    policyVersion: t.expose('policyVersion', { type: 'Count', nullable: true }),
    coin: t.exposeString('coin', { nullable: true, description: 'Of a scoped cap, like all up to parent.' }),
    budget: t.exposeString('budget', { nullable: true, description: 'As minted, in base units.' }),
    remaining: t.exposeString('remaining', { nullable: true }),
    depth: t.exposeInt('depth', { nullable: true, description: '0 for one that the owner minted.' }),
    maxDepth: t.exposeInt('maxDepth', { nullable: true }),
    parent: t.exposeString('parent', { nullable: true, description: 'The cap that it was split from.' }),
    mintedMs: t.expose('mintedMs', { type: 'Milliseconds' }),
    revokedMs: t.expose('revokedMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'When this very cap was revoked; it is void also with an ancestor, or an earlier policy.',
    }),
    burnedMs: t.expose('burnedMs', { type: 'Milliseconds', nullable: true }),
  }),
});

export const capConnection = builder.connectionObject({ type: capType, name: 'CapConnection' });
