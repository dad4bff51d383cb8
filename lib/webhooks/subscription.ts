import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import type { RegistryEventName } from '../chain/events/registry.ts';

/** What a subscription can ask for. */
export const webhookEvents = [
  'Registered',
  'Updated',
  'Unlisted',
  'Attested',
] as const satisfies RegistryEventName[];

/** Place of an event in its network: checkpoint, index of the transaction in it, index of the event in that. */
export const eventPosition = z.tuple([z.int(), z.int(), z.int()]);
export type EventPosition = z.infer<typeof eventPosition>;

/**
 * `paused` by its owner; `disabled` by the dispatcher: the receiver said it is gone (410), or has failed for days.
 * Neither gets events until its owner resumes it.
 */
export const subscriptionStates = ['active', 'paused', 'disabled'] as const;
export const disabledReasons = ['gone', 'failing'] as const;

/** A subscription as the key-value store keeps it. */
export const subscriptionRecord = z.object({
  id: z.string(),
  /** Id of the API key that made it, or `admin`. */
  owner: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  /** Sealed: `openSecret` gives it back. */
  sealedSecret: z.string().optional(),
  state: z.enum(subscriptionStates),
  disabledReason: z.enum(disabledReasons).optional(),
  /** Place of the last event before it was made, by network; a network without events is absent. */
  after: z.partialRecord(z.enum(networks), eventPosition),
  createdMs: z.int(),
});
export type Subscription = z.infer<typeof subscriptionRecord>;
