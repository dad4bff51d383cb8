import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { registryEvents } from '../chain/events/registry.ts';
import { type Kv, parseRecord } from '../kv/kv.ts';
import { serviceEventNames } from './service-events.ts';

/** Names of the events that a webhook can subscribe to: those of the registry, then those of the service. */
export const webhookEvents = [...registryEvents.names, ...serviceEventNames] as const;

/** Position of an event in its network: checkpoint, index of the transaction in it, index of the event in that. */
const eventPosition = z.tuple([z.int(), z.int(), z.int()]);

/** `disabled` by the dispatcher (410, or days of failure), `paused` by the owner. Neither gets events until resumed. */
export const subscriptionStates = ['active', 'paused', 'disabled'] as const;
export const disabledReasons = ['gone', 'failing'] as const;

const subscriptionRecord = z.object({
  id: z.string(),
  /** Id of the API key that made it, or `admin`. */
  owner: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  /** Only events about services that this wallet grants to. It cannot be changed. */
  wallet: z.string().optional(),
  /** Only events about this service type, in canonical form. It cannot be changed. */
  serviceType: z.string().optional(),
  /** Only events about listings of this publisher. It cannot be changed. */
  publisher: z.string().optional(),
  /** Encrypted secret. `openSecret` decrypts it. */
  sealedSecret: z.string().optional(),
  /** The secret before it, while both are valid. */
  previousSecret: z.object({ sealed: z.string(), untilMs: z.int() }).optional(),
  state: z.enum(subscriptionStates),
  disabledReason: z.enum(disabledReasons).optional(),
  /** Position of the last event at creation, by network. Only records without a position in the database have it. */
  after: z.partialRecord(z.enum(networks), eventPosition).optional(),
  createdMs: z.int(),
});
export type Subscription = z.infer<typeof subscriptionRecord>;

/** Returns the current filter of a subscription. It matches no events while the subscription is not active. */
export const toFilter = ({ id, events, wallet, serviceType, publisher, state, after }: Subscription) => ({
  subscription: id,
  events: state === 'active' ? events : [],
  wallet: wallet ?? null,
  serviceType: serviceType ?? null,
  publisher: publisher ?? null,
  madeAt: after,
});

/** Hash from subscription id to owner, used to list subscriptions. */
const indexKey = 'webhooks';
/** Key of a value that changes with every change of a subscription. */
const versionKey = 'webhooks:version';
const recordKey = (id: string) => `wh:${id}`;
const attemptsMax = 10;

/** The subscriptions in the key-value store. @throws KvUnavailableError while the store is out */
export interface Subscriptions {
  add(subscription: Subscription): Promise<void>;
  find(id: string): Promise<Subscription | undefined>;
  /** Returns the subscriptions of one owner, or all. The oldest is first. */
  list(owner?: string): Promise<Subscription[]>;
  /**
   * Returns all subscriptions, and the ids of all records in the store, readable or not. Records that the store has
   * lost are in neither. A subscription that has not changed since the last survey is the same object.
   */
  survey(): Promise<SubscriptionScan>;
  /**
   * Returns a version that differs if any subscription has changed, so that callers need not read them all to find out.
   * Undefined if the store has none. Read it before the subscriptions that it stands for. A change that was interrupted
   * may not show. If the store loses a record alone, that does not show either.
   */
  version(): Promise<string | undefined>;
  /** Replaces a subscription by the result of `change`, without losing a concurrent change; undefined if absent. */
  change(id: string, change: (subscription: Subscription) => Subscription): Promise<Subscription | undefined>;
  /** Resolves to `true` if there was one. */
  remove(id: string): Promise<boolean>;
}

interface SubscriptionScan {
  subscriptions: Subscription[];
  present: ReadonlySet<string>;
}

export function openSubscriptions(kv: Kv): Subscriptions {
  const parse = (text: string | undefined) => parseRecord(subscriptionRecord, text);
  /** Records of the last survey of all subscriptions, parsed, by their text. */
  let parsed = new Map<string, Subscription | undefined>();

  /** Sets a new version after a change. The change is valid even if this fails. */
  const markChanged = () => kv.set(versionKey, crypto.randomUUID()).catch(() => undefined);

  async function survey(owner?: string): Promise<SubscriptionScan> {
    const index = [...(await kv.hashAll(indexKey))];
    const ids = index.filter(([, of]) => owner === undefined || of === owner).map(([id]) => id);
    const texts = await kv.getMany(ids.map(recordKey));
    const read = new Map<string, Subscription | undefined>();
    for (const text of texts) {
      if (text !== undefined) read.set(text, parsed.has(text) ? parsed.get(text) : parse(text));
    }
    if (owner === undefined) parsed = read;
    const found = [...read.values()].filter((one) => one !== undefined);
    return {
      subscriptions: found.sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1)),
      present: new Set(ids.filter((_, at) => texts[at] !== undefined)),
    };
  }

  return {
    survey: () => survey(),
    version: () => kv.get(versionKey),
    async add(subscription) {
      // A failure between the two leaves a record whose id was never returned.
      await kv.set(recordKey(subscription.id), JSON.stringify(subscription));
      await kv.hashSet(indexKey, subscription.id, subscription.owner);
      await markChanged();
    },
    async find(id) {
      return parse(await kv.get(recordKey(id)));
    },
    async list(owner) {
      return (await survey(owner)).subscriptions;
    },
    async change(id, change) {
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const text = await kv.get(recordKey(id));
        const present = parse(text);
        if (text === undefined || present === undefined) return undefined;
        const changed = change(present);
        if (!(await kv.replace(recordKey(id), text, JSON.stringify(changed)))) continue;
        await markChanged();
        return changed;
      }
      throw new Error(`subscription ${id} is being changed without end`);
    },
    async remove(id) {
      // In this order, an interrupted removal can be repeated.
      await kv.hashDelete(indexKey, id);
      const was = await kv.delete(recordKey(id));
      await markChanged();
      return was;
    },
  };
}
