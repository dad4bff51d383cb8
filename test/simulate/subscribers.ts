import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { buildRequest } from '../support/build-request.ts';
import { eventually } from '../support/eventually.ts';
import { Random } from '../support/frames/random.ts';
import { issueTestKey } from '../support/keys.ts';
import type { World } from '../support/world/world.ts';
import type { ServicePackage } from './market/market.ts';
import type { Receiver } from './receiver.ts';
import type { Subscription } from './subscriptions.ts';

/** Holders of an API key, who add, change and remove webhooks. The first webhook gets all events and stays as it is. */
export interface Subscribers {
  subscriptions: readonly Subscription[];
  /** Resolves when each of them has ended, after the signal has aborted. */
  ended: Promise<void>;
  /**
   * Resumes what is paused, and asks for the deliveries that failed, as their owner does once the receiver works: the next
   * attempts are hours away.
   */
  settle(): Promise<void>;
}

interface SubscribersOptions {
  count: number;
  seed: number;
  signal: AbortSignal;
  /** Packages that subscriptions can be about. */
  packages: readonly ServicePackage[];
}

/** Webhooks of a subscriber that it goes on to change, at most. */
const changedMax = 4;
const betweenMs = [100, 800] as const;
/** Longer than a fault, so that only a process that ended leaves a request without an answer. */
const patienceMs = 20_000;
const againMs = 100;
/** Longest wait after a first failure, and some more. */
const soonMs = 10_000;
/** Maximum number of deliveries of a page. */
const deliveriesMax = 100;

export async function startSubscribers(
  world: World,
  receiver: Receiver,
  { count, seed, signal, packages }: SubscribersOptions,
): Promise<Subscribers> {
  const subscriptions: Subscription[] = [];
  const [gateway = ''] = world.gateways;
  const keys: string[] = [];
  for (let at = 0; at < count; at += 1)
    keys.push((await issueTestKey(gateway, { ratePerMin: 1_000_000 })).key);
  const subscribers = keys.map((key, at) =>
    openSubscriber(world, receiver, { key, random: new Random(seed * 1_000 + 500 + at), packages }),
  );
  subscriptions.push(await subscribers[0]!.add({ events: registryEvents.names, filter: {} }));
  async function play({ add, change, random }: ReturnType<typeof openSubscriber>): Promise<void> {
    const own: Subscription[] = [];
    while (!signal.aborted) {
      const changeable = own.filter(({ isUncertain, isRemoved }) => !isUncertain && !isRemoved);
      if (changeable.length < changedMax) {
        const added = await add();
        own.push(added);
        subscriptions.push(added);
      } else await change(random.pick(changeable));
      const [from, to] = betweenMs;
      await delay(from + random.integer(to - from), undefined, { signal }).catch(() => undefined);
    }
  }
  const ended = Promise.all(subscribers.map(play)).then(() => undefined);
  ended.catch(() => undefined);
  return {
    subscriptions,
    ended,
    async settle() {
      for (const { settle } of subscribers) await settle(subscriptions);
    },
  };
}

function openSubscriber(
  { gateways, db, storeChanges }: World,
  receiver: Receiver,
  { key, random, packages }: { key: string; random: Random; packages: readonly ServicePackage[] },
) {
  const countStored = () =>
    eventually(async () => {
      const { rows } = await db.pool.query<{ count: number }>(
        `select count(*)::int as count from events where source = 'registry'`,
      );
      return rows[0]!.count;
    });
  const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
  const pickEvents = ({ publisher }: Subscription['filter']) => {
    // Reviews belong to the publishers that had listed the type at that time.
    const names = registryEvents.names.filter((name) => publisher === undefined || name !== 'Attested');
    const picked = names.filter(() => random.chance(0.6));
    return picked.length > 0 ? picked : names;
  };
  const pickFilter = (): Subscription['filter'] => {
    const { serviceTypes, publisher } = random.pick(packages);
    return random.pick([{}, { serviceType: random.pick(serviceTypes) }, { publisher }]);
  };

  /** Sends a request. @returns the answer; undefined: there was none, and the request may still be carried out */
  async function ask(path: string, method: string, body?: unknown): Promise<Response | undefined> {
    const init = {
      ...buildRequest(body, { 'x-api-key': key }, method),
      signal: AbortSignal.timeout(patienceMs),
    };
    for (;;) {
      try {
        return await fetch(`${random.pick(gateways)}/api/adaptors/webhooks${path}`, init);
      } catch (error) {
        // No process got it.
        if ((error as { cause?: { code?: string } }).cause?.code !== 'ECONNREFUSED') return undefined;
        await delay(againMs);
      }
    }
  }

  /** Sends a request again while a part of the service is away, until the patience ends. */
  async function askUntilAnswered(path: string, method: string, body?: unknown) {
    for (const endMs = performance.now() + patienceMs; ; ) {
      const answer = await ask(path, method, body);
      if (!answer || answer.status < 500 || performance.now() > endMs) return answer;
      await delay(againMs);
    }
  }

  async function add({
    filter = pickFilter(),
    events = pickEvents(filter),
  }: {
    filter?: Subscription['filter'];
    events?: readonly string[];
  } = {}): Promise<Subscription> {
    const secret = newSecret();
    const path = receiver.addPath(secret);
    const subscription: Subscription = {
      id: undefined,
      paths: [path],
      filter,
      events,
      isPaused: false,
      isUncertain: false,
      isRemoved: false,
      stretches: [{ events: [], notBefore: 0, surelyFrom: 0 }],
    };
    await follow(subscription, async () => {
      // If it failed, it may have added the webhook: it is not repeated.
      const answer = await ask('', 'POST', { ...filter, events, secret, url: receiver.url + path });
      // The connection can end in the middle of the answer.
      if (answer?.ok)
        subscription.id = await answer.json().then(
          ({ id }) => id,
          () => undefined,
        );
      return subscription.id !== undefined;
    });
    return subscription;
  }

  /** Makes a change, and notes from which event on it applies. @param make returns whether it was certainly made */
  const follow = (subscription: Subscription, make: () => Promise<boolean>): Promise<void> =>
    storeChanges.run(async () => {
      const { events, isPaused, isRemoved, stretches } = subscription;
      const notBefore = await countStored();
      const isMade = await make();
      const surelyFrom = isMade ? await countStored() : Infinity;
      stretches.push({ events: isPaused || isRemoved ? [] : events, notBefore, surelyFrom });
      if (!isMade) subscription.isUncertain = true;
    });

  const patch = (subscription: Subscription, body: unknown): Promise<void> =>
    follow(
      subscription,
      async () => (await askUntilAnswered(`/${subscription.id}`, 'PATCH', body))?.ok === true,
    );

  const changes: Readonly<Record<string, (subscription: Subscription) => Promise<void>>> = {
    async pause(subscription) {
      subscription.isPaused = !subscription.isPaused;
      await patch(subscription, { state: subscription.isPaused ? 'paused' : 'active' });
    },
    async choose(subscription) {
      subscription.events = pickEvents(subscription.filter);
      await patch(subscription, { events: subscription.events });
    },
    async rotate(subscription) {
      const secret = newSecret();
      receiver.addSecret(subscription.paths.at(-1)!, secret);
      await patch(subscription, { secret, keepPreviousSecretMs: random.pick([0, 60_000]) });
    },
    async move(subscription) {
      const secret = newSecret();
      const path = receiver.addPath(secret);
      subscription.paths.push(path);
      await patch(subscription, { url: receiver.url + path, secret });
    },
    async remove(subscription) {
      subscription.isRemoved = true;
      await follow(subscription, async () => {
        const answer = await askUntilAnswered(`/${subscription.id}`, 'DELETE');
        return answer?.ok === true || answer?.status === 404;
      });
    },
  };

  return {
    add,
    random,
    change: (subscription: Subscription) => changes[random.pick(Object.keys(changes))]!(subscription),
    /** Resumes what is paused, and asks for the deliveries that failed. */
    async settle(subscriptions: readonly Subscription[]): Promise<void> {
      const read = async (path: string) => {
        const answer = await ask(path, 'GET');
        if (!answer?.ok) throw new Error(`webhooks${path}: ${answer?.status}`);
        return await answer.json();
      };
      for (const { id, url, state } of (await read('')).webhooks) {
        const subscription = subscriptions.find(({ paths }) => paths.some((path) => url.endsWith(path)))!;
        subscription.id = id;
        if (state === 'paused') {
          subscription.isPaused = false;
          await patch(subscription, { state: 'active' });
        }
        for (const due of ['pending', 'failed']) {
          const { deliveries } = await read(`/${id}/deliveries?state=${due}&limit=${deliveriesMax}`);
          for (const delivery of deliveries) {
            const isSoon = delivery.dueMs !== null && delivery.dueMs < Date.now() + soonMs;
            if (!isSoon) await ask(`/${id}/deliveries/${delivery.id}/resend`, 'POST');
          }
        }
      }
    },
  };
}
