import type { SourceState } from '../../db/queries/state.ts';
import { builder } from '../builder.ts';

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
