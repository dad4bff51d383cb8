import { networks } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import { lastEventPositions, lockFanOut } from '../../../db/queries/webhooks/fan-out.ts';
import {
  addSubscriptions,
  forgetFailures,
  lockOwner,
  markRemoved,
  readFailing,
  removeDeliveries,
} from '../../../db/queries/webhooks/subscriptions.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { randomId } from '../../../lib/credentials/token.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import type { SecretBox } from '../../../lib/webhooks/signing.ts';
import {
  disabledReasons,
  type Subscription,
  type Subscriptions,
  subscriptionStates,
  webhookEvents,
} from '../../../lib/webhooks/subscriptions.ts';
import { forKeyHolders, keyStoreProblems, requireCaller } from '../access/caller.ts';
import { atMs } from '../openapi/parts.ts';

/** What subscriptions need of the process that serves them. */
export interface SubscriptionSettings {
  subscriptions: Subscriptions;
  /** Encrypts subscribers' secrets. Absent where the service has no admin secret. */
  secrets: SecretBox | undefined;
  outbound: Pick<Outbound, 'checkResolved'>;
}

export interface WebhookDependencies {
  db: Pool;
  /** Absent where the service has no key-value store; then no caller has an API key. */
  webhooks: SubscriptionSettings | undefined;
}

/** Owner of the subscriptions that the admin makes. */
const adminOwner = 'admin';

/** Whose subscriptions a caller sees; undefined: all. */
function ownerOf(exchange: Exchange): { own: string; sees: string | undefined } {
  const caller = requireCaller(exchange, 'key');
  if (caller.kind === 'admin') return { own: adminOwner, sees: undefined };
  return { own: caller.keyId, sees: caller.keyId };
}

/**
 * The caller's subscription of this id.
 * @throws ProblemError 404 also for another caller's subscription, so that an id reveals nothing
 */
export async function ownSubscription(
  { webhooks }: WebhookDependencies,
  exchange: Exchange,
  id: string,
): Promise<Subscription> {
  const { sees } = ownerOf(exchange);
  const found = /^wh_[0-9A-Za-z]{1,40}$/.test(id) ? await webhooks!.subscriptions.find(id) : undefined;
  if (!found || (sees !== undefined && found.owner !== sees)) throw webhookNotFound();
  return found;
}

function webhookNotFound(): ProblemError {
  return problem(
    'webhook_not_found',
    'You have no webhook of this id. GET /api/adaptors/webhooks lists your webhooks.',
  );
}

const webhookId = 'wh_8sQm2Kd1';
/** The parameter of the paths below one webhook. */
export const idParameter = { id: { description: 'Id of the webhook, `wh_...`.', example: webhookId } };

export const milliseconds = z.int().meta({ description: 'Milliseconds since the epoch.' });

const perOwnerMax = 100;
const secretLength = { min: 8, max: 256 };
const secretLengthMessage = `expected ${secretLength.min} to ${secretLength.max} characters`;

const secret = z
  .string()
  .min(secretLength.min, secretLengthMessage)
  .max(secretLength.max, secretLengthMessage)
  .regex(/^[\x21-\x7e]+$/, 'expected printable ASCII without spaces')
  .meta({ description: 'Signs the deliveries; never shown again. Best: whsec_ followed by base64.' });

const subscribeRequest = z.strictObject({
  url: z.string().min(1).max(2048).meta({ description: 'http or https, resolving to a public address.' }),
  events: z
    .array(z.enum(webhookEvents))
    .min(1, 'name at least one event')
    .max(webhookEvents.length, `name each of the ${webhookEvents.length} events once`)
    .refine((events) => new Set(events).size === events.length, 'names an event twice'),
  secret: secret.optional(),
});

const changeRequest = z
  .strictObject({
    state: z.enum(['active', 'paused']).optional(),
    secret: secret
      .nullable()
      .optional()
      .meta({ description: 'A new secret, or null for none. Deliveries are signed with it from now on.' }),
  })
  .refine(({ state, secret }) => state !== undefined || secret !== undefined, {
    error: 'give state, secret or both',
  });

export const subscriptionBody = z
  .object({
    id: z.string().meta({ description: '`wh_...`' }),
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    state: z.enum(subscriptionStates),
    disabledReason: z
      .enum(disabledReasons)
      .optional()
      .meta({ description: 'gone: the receiver answered 410. failing: every attempt of five days failed.' }),
    signing: z.enum(['none', 'ready', 'unreadable']).meta({
      description:
        'unreadable: the service can no longer decrypt the secret. Nothing is sent until you set it again.',
    }),
    failingSinceMs: milliseconds.nullable().meta({ description: 'First failure since the last success.' }),
    createdMs: milliseconds,
    owner: z.string().optional().meta({ description: 'Id of the API key that created it; for the admin.' }),
  })
  .meta({ id: 'Webhook' });

export const subscriptionsBody = z
  .object({ count: z.int().min(0), webhooks: z.array(subscriptionBody) })
  .meta({ id: 'Webhooks', description: 'Oldest first.' });

const example = {
  id: webhookId,
  url: 'https://example.com/hooks/adaptors',
  events: ['Registered', 'Updated'],
  state: 'active',
  signing: 'ready',
  failingSinceMs: null,
  createdMs: atMs,
};

const path = '/api/adaptors/webhooks';

const list = route({
  method: 'get',
  path,
  ...forKeyHolders,
  operation: {
    operationId: 'listWebhooks',
    tag: 'webhooks',
    summary: 'List your webhooks',
    description: 'The admin sees all webhooks.',
    response: { description: 'Your webhooks, without their secrets.', schema: subscriptionsBody },
    conditional: true,
    refusals: keyStoreProblems,
    example: { answer: { count: 1, webhooks: [example] } },
  },
  async handler({ exchange }, { db, webhooks }: WebhookDependencies) {
    const { sees } = ownerOf(exchange);
    const found = await webhooks!.subscriptions.list(sees);
    const ids = found.map(({ id }) => id);
    const failing = await readFailing(db, ids);
    const shown = found.map((one) => viewOf(webhooks!, one, failing.get(one.id) ?? null, sees === undefined));
    return { count: shown.length, webhooks: shown } satisfies z.infer<typeof subscriptionsBody>;
  },
});

const create = route({
  method: 'post',
  path,
  ...forKeyHolders,
  body: subscribeRequest,
  operation: {
    operationId: 'createWebhook',
    tag: 'webhooks',
    summary: 'Subscribe a url to registry events',
    description:
      'The url receives every event that the service indexes from now on. A url that resolves to an address that is ' +
      'not public is refused here, and again at every connection.',
    response: { description: 'The webhook.', schema: subscriptionBody },
    refusals: ['invalid_url', 'too_many_webhooks', 'admin_secret_not_configured', ...keyStoreProblems],
    example: {
      request: {
        url: example.url,
        events: example.events,
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      },
      answer: example,
    },
  },
  async handler({ exchange, body: { url, events, secret } }, dependencies: WebhookDependencies) {
    const { own } = ownerOf(exchange);
    const webhooks = dependencies.webhooks!;
    const refusal = await webhooks.outbound.checkResolved(url);
    if (refusal !== undefined) {
      const errors = [{ path: 'body.url', message: refusal }];
      throw problem('invalid_url', `body.url: ${refusal}`, { errors });
    }
    const id = randomId('wh_');
    const sealedSecret = secret === undefined ? undefined : seal(webhooks, secret, id);
    const subscription: Omit<Subscription, 'after'> = {
      id,
      owner: own,
      url,
      events,
      ...(sealedSecret !== undefined && { sealedSecret }),
      state: 'active',
      createdMs: Date.now(),
    };
    await add(dependencies, subscription);
    return viewOf(webhooks, subscription, null, false);
  },
});

/**
 * Adds a subscription under the lock of each network: either the process that writes deliveries sees it, or it was made
 * after the events of those deliveries.
 */
async function add(
  { db, webhooks }: WebhookDependencies,
  subscription: Omit<Subscription, 'after'>,
): Promise<void> {
  const { subscriptions } = webhooks!;
  await inTransaction(db, async (client) => {
    await lockOwner(client, subscription.owner);
    if ((await subscriptions.list(subscription.owner)).length >= perOwnerMax) {
      throw problem('too_many_webhooks', `An API key may have ${perOwnerMax} webhooks. Delete one first.`);
    }
    for (const network of networks) await lockFanOut(client, network, 'shared');
    const after = Object.fromEntries(await lastEventPositions(client));
    await subscriptions.add({ ...subscription, after });
    await addSubscriptions(client, [subscription.id]);
  });
}

const update = route({
  method: 'patch',
  path: `${path}/:id`,
  parameters: idParameter,
  ...forKeyHolders,
  body: changeRequest,
  operation: {
    operationId: 'updateWebhook',
    tag: 'webhooks',
    summary: 'Pause or resume a webhook, or change its secret',
    description: 'Events that happen while it is paused are not queued. To get them, use resend.',
    response: { description: 'The webhook as it is now.', schema: subscriptionBody },
    refusals: ['webhook_not_found', 'admin_secret_not_configured', ...keyStoreProblems],
    example: { request: { state: 'paused' }, answer: { ...example, state: 'paused' } },
  },
  async handler({ exchange, parameters, body }, dependencies: WebhookDependencies) {
    const own = await ownSubscription(dependencies, exchange, parameters.id);
    const { db } = dependencies;
    const webhooks = dependencies.webhooks!;
    const { state, secret } = body;
    const sealed = typeof secret === 'string' ? seal(webhooks, secret, own.id) : undefined;
    const changed = await webhooks.subscriptions.change(own.id, (subscription) => {
      const { disabledReason, sealedSecret, ...rest } = subscription;
      const current = secret === undefined ? sealedSecret : sealed;
      const next: Subscription = { ...rest, ...(current !== undefined && { sealedSecret: current }) };
      if (state !== undefined) return { ...next, state };
      return { ...next, ...(disabledReason && { disabledReason }) };
    });
    if (!changed) throw webhookNotFound();
    if (state === 'active') await forgetFailures(db, own.id);
    const failing = await readFailing(db, [own.id]);
    const showOwner = ownerOf(exchange).sees === undefined;
    return viewOf(webhooks, changed, failing.get(own.id) ?? null, showOwner);
  },
});

const remove = route({
  method: 'delete',
  path: `${path}/:id`,
  parameters: idParameter,
  ...forKeyHolders,
  operation: {
    operationId: 'deleteWebhook',
    tag: 'webhooks',
    summary: 'Delete a webhook',
    response: { description: 'Deleted, with its deliveries.' },
    refusals: ['webhook_not_found', ...keyStoreProblems],
    example: {},
  },
  async handler({ exchange, parameters }, dependencies: WebhookDependencies) {
    const { id } = await ownSubscription(dependencies, exchange, parameters.id);
    await markRemoved(dependencies.db, id);
    if (!(await dependencies.webhooks!.subscriptions.remove(id))) throw webhookNotFound();
    await removeDeliveries(dependencies.db, id);
  },
});

export const subscriptionRoutes = [list, create, update, remove];

/** @throws ProblemError 503 where the service cannot encrypt secrets */
function seal({ secrets }: SubscriptionSettings, secret: string, id: string): string {
  if (secrets) return secrets.seal(secret, id);
  throw problem(
    'admin_secret_not_configured',
    'This service cannot encrypt secrets: MARKETPLACE_ADMIN_SECRET is not set. Leave the secret out to receive ' +
      'deliveries without signatures.',
  );
}

/** What its owner sees of a subscription: everything but the secret. */
function viewOf(
  { secrets }: SubscriptionSettings,
  subscription: Omit<Subscription, 'after'>,
  failingSinceMs: number | null,
  showOwner: boolean,
): z.infer<typeof subscriptionBody> {
  const { id, url, events, state, disabledReason, sealedSecret, createdMs, owner } = subscription;
  const readable = sealedSecret === undefined || secrets?.open(sealedSecret, id) !== undefined;
  return {
    id,
    url,
    events,
    state,
    ...(disabledReason && { disabledReason }),
    signing: sealedSecret === undefined ? 'none' : readable ? 'ready' : 'unreadable',
    failingSinceMs,
    createdMs,
    ...(showOwner && { owner }),
  };
}
