import type { ListingVersion, RegistryEvent } from '../../db/queries/history.ts';
import { builder } from '../builder.ts';

export const versionType = builder.objectRef<ListingVersion>('AdaptorVersion').implement({
  description: 'A listing as one registration, update or unlisting left it.',
  fields: (t) => ({
    version: t.exposeInt('version'),
    listed: t.exposeBoolean('listed', { description: 'False where it was unlisted.' }),
    packageId: t.exposeString('packageId', { nullable: true }),
    manifestUri: t.exposeString('manifestUri', { nullable: true }),
    manifestHash: t.exposeString('manifestHash', { nullable: true }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds' }),
    checkpoint: t.expose('checkpoint', { type: 'Count' }),
  }),
});

export const eventType = builder.objectRef<RegistryEvent>('RegistryEvent').implement({
  description: 'An event of the on-chain registry.',
  fields: (t) => ({
    eventId: t.exposeString('id', { description: '`<transaction digest>:<event index>`.' }),
    name: t.exposeString('name', { description: 'Registered, Updated, Unlisted or Attested.' }),
    type: t.exposeString('type'),
    sender: t.exposeString('sender'),
    txDigest: t.exposeString('txDigest'),
    checkpoint: t.expose('checkpoint', { type: 'Count' }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds' }),
    data: t.expose('data', {
      type: 'JSON',
      nullable: true,
      description: "The event's own fields; null where its bytes did not decode.",
    }),
  }),
});

export const versionConnection = builder.connectionObject({
  type: versionType,
  name: 'AdaptorVersionConnection',
});
export const eventConnection = builder.connectionObject({ type: eventType, name: 'RegistryEventConnection' });
