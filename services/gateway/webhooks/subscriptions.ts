import type { Pool } from 'pg';
import { z } from 'zod';
import { wakeDispatchers } from '../../../db/queries/webhooks/deliveries.ts';
import { readBacklogs } from '../../../db/queries/webhooks/positions.ts';
import {
  forgetFailures,
  markRemoved,
  readFailing,
  readLostSubscriptionOwner,
  removeDeliveries,
} from '../../../db/queries/webhooks/subscriptions.ts';
import { randomId } from '../../../lib/credentials/token.ts';
import { problem } from '../../../lib/errors/index.ts';
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
import { addWebhook, changeWebhook, seal, secretChange, webhookNotFound } from './changes.ts';

/** Services of the process that the subscription routes use. */
export interface SubscriptionSettings {
  subscriptions: Subscriptions;
  /** Encrypts subscribers' secrets. Absent without an admin secret. */
  secrets: SecretBox | undefined;
  outbound: Pick<Outbound, 'checkResolved'>;
}

export interface WebhookDependencies {
  db: Pool;
  /** Absent without a key-value store; then no caller has an API key. */
  webhooks: SubscriptionSettings | undefined;
}

/** Owner of the subscriptions that the admin creates. */
const adminOwner = 'admin';

/**
 * Returns the owner of new subscriptions of the caller (`own`), and the owner whose subscriptions it sees (`sees`;
 * undefined: all).
 */
export function requireOwner(exchange: Exchange): { own: string; sees: string | undefined } {
  const caller = requireCaller(exchange, 'key');
  if (caller.kind === 'admin') return { own: adminOwner, sees: undefined };
  return { own: caller.keyId, sees: caller.keyId };
}

/**
 * Finds the caller's subscription of this id.
 * @throws ProblemError 404 also for another caller's subscription, so that an id reveals nothing
 */
export async function ownSubscription(
  { webhooks }: WebhookDependencies,
  exchange: Exchange,
  id: string,
): Promise<Subscription> {
  const { sees } = requireOwner(exchange);
  const found = /^wh_[0-9A-Za-z]{1,40}$/.test(id) ? await webhooks!.subscriptions.find(id) : undefined;
  if (!found || (sees !== undefined && found.owner !== sees)) throw webhookNotFound();
  return found;
}

const webhookId = 'wh_8sQm2Kd1';
/** The parameter of the paths below one webhook. */
export const idParameter = { id: { description: 'Id of the webhook, `wh_...`.', example: webhookId } };

export const milliseconds = z.int().meta({ description: 'Milliseconds since the epoch.' });

const secretLengthMax = 256;
/** A shorter secret can be guessed from one delivery: its signature tells whether a guess is right. */
const secretLengthAdvised = 16;

const secret = z
  .string()
  .min(1)
  .max(secretLengthMax)
  .refine((text) => text.isWellFormed(), 'expected well-formed Unicode')
  .meta({
    description: `Signs the deliveries; never shown again. At least ${secretLengthAdvised} characters. Best: whsec_ followed by base64.`,
  });

const eventNames = z
  .array(z.enum(webhookEvents))
  .min(1, 'name at least one event')
  .max(webhookEvents.length, `name each of the ${webhookEvents.length} events once`)
  .refine((events) => new Set(events).size === events.length, 'names an event twice');

const webhookUrl = z
  .string()
  .min(1)
  .max(2048)
  .meta({ description: 'http or https, resolving to a public address.' });

const subscribeRequest = z.strictObject({
  url: webhookUrl,
  events: eventNames,
  secret: secret.optional(),
});

/** A week. */
const rotationMsMax = 604_800_000;

const changeRequest = z
  .strictObject({
    state: z.enum(['active', 'paused']).optional(),
    events: eventNames.optional().meta({
      description: 'Events from now on. Those that happened before are still sent by the list of then.',
    }),
    url: webhookUrl.optional(),
    secret: secret
      .nullable()
      .optional()
      .meta({ description: 'A new secret, or null for none. Deliveries are signed with it from now on.' }),
    keepPreviousSecretMs: z
      .int()
      .min(0)
      .max(rotationMsMax)
      .optional()
      .meta({
        description:
          'With a new secret: for so long, deliveries are signed with the previous one too. 0 alone: the previous one ' +
          'is no longer valid.',
      }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'give state, events, url, secret or keepPreviousSecretMs',
  })
  .refine(({ secret, keepPreviousSecretMs }) => !keepPreviousSecretMs || typeof secret === 'string', {
    path: ['keepPreviousSecretMs'],
    error: 'give the new secret too',
  });

/** Highest number of events that a backlog counts, for each network. */
const backlogMax = 1_000;

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
    backlog: z
      .int()
      .min(0)
      .meta({
        description: `Events that wait for their first attempt; counted up to ${backlogMax.toLocaleString('en')} for each network.`,
      }),
    previousSecretUntilMs: milliseconds
      .nullable()
      .meta({ description: 'Until then, deliveries are signed with the previous secret too.' }),
    failingSinceMs: milliseconds.nullable().meta({ description: 'First failure since the last success.' }),
    createdMs: milliseconds,
    owner: z.string().optional().meta({ description: 'Id of the API key that created it; for the admin.' }),
    warnings: z
      .array(z.object({ code: z.literal('short_secret'), detail: z.string() }))
      .optional()
      .meta({ description: 'Weaknesses of what the request has set.' }),
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
  previousSecretUntilMs: null,
  backlog: 0,
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
    const { sees } = requireOwner(exchange);
    const found = await webhooks!.subscriptions.list(sees);
    const progress = await readProgress(db, found);
    const shown = found.map((one) => toSubscriptionBody(webhooks!, one, progress(one), sees === undefined));
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
    const { own } = requireOwner(exchange);
    const webhooks = dependencies.webhooks!;
    await requirePublic(webhooks, url);
    const id = randomId('wh_');
    const sealedSecret = secret === undefined ? undefined : seal(webhooks.secrets, secret, id);
    const subscription: Subscription = {
      id,
      owner: own,
      url,
      events,
      ...(sealedSecret !== undefined && { sealedSecret }),
      state: 'active',
      createdMs: Date.now(),
    };
    await addWebhook({ db: dependencies.db, ...webhooks }, subscription);
    return {
      ...toSubscriptionBody(webhooks, subscription, { backlog: 0, failingSinceMs: null }, false),
      ...findWeakness(secret),
    };
  },
});

/** @throws ProblemError `invalid_url` if requests to the address of the url are not allowed */
async function requirePublic({ outbound }: SubscriptionSettings, url: string): Promise<void> {
  const refusal = await outbound.checkResolved(url);
  if (refusal === undefined) return;
  throw problem('invalid_url', `body.url: ${refusal}`, { errors: [{ path: 'body.url', message: refusal }] });
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
    summary: 'Change a webhook: pause or resume it, change its events or its url, rotate its secret',
    description:
      'Events that happen while it is paused are not queued. To get them, use resend. What happened before a pause or a ' +
      'change of `events` is still sent. Deliveries that wait are sent to a new url.',
    response: { description: 'The webhook as it is now.', schema: subscriptionBody },
    refusals: [
      'webhook_not_found',
      'invalid_url',
      'too_many_filter_changes',
      'admin_secret_not_configured',
      ...keyStoreProblems,
    ],
    example: { request: { state: 'paused' }, answer: { ...example, state: 'paused' } },
  },
  async handler({ exchange, parameters, body }, dependencies: WebhookDependencies) {
    const own = await ownSubscription(dependencies, exchange, parameters.id);
    const { db } = dependencies;
    const webhooks = dependencies.webhooks!;
    const { state, events, url } = body;
    if (url !== undefined) await requirePublic(webhooks, url);
    const changeSecret = secretChange(webhooks.secrets, own.id, body);
    const changed = await changeWebhook({ db, ...webhooks }, own.id, (subscription) => {
      const { disabledReason, ...rest } = changeSecret(subscription);
      const next: Subscription = { ...rest, ...(events && { events }), ...(url !== undefined && { url }) };
      if (state !== undefined) return { ...next, state };
      return { ...next, ...(disabledReason && { disabledReason }) };
    });
    // Failures of the previous url say nothing about the new one.
    if (state === 'active' || url !== undefined) await forgetFailures(db, own.id);
    const progress = await readProgress(db, [changed]);
    const showOwner = requireOwner(exchange).sees === undefined;
    return {
      ...toSubscriptionBody(webhooks, changed, progress(changed), showOwner),
      ...findWeakness(body.secret),
    };
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
    const { id } = parameters;
    const isLost = await isOwnAndLost(dependencies, exchange, id);
    if (!isLost) await ownSubscription(dependencies, exchange, id);
    await markRemoved(dependencies.db, id);
    const removed = await dependencies.webhooks!.subscriptions.remove(id);
    await removeDeliveries(dependencies.db, id);
    await dependencies.db.query(wakeDispatchers);
    if (!removed && !isLost) throw webhookNotFound();
  },
});

/**
 * Returns `true` if the store has lost the caller's subscription of this id, so that only the database knows its owner.
 */
async function isOwnAndLost({ db, webhooks }: WebhookDependencies, exchange: Exchange, id: string) {
  const { sees } = requireOwner(exchange);
  const owner = await readLostSubscriptionOwner(db, id);
  if (owner === undefined || (sees !== undefined && owner !== sees)) return false;
  return (await webhooks!.subscriptions.find(id)) === undefined;
}

export const subscriptionRoutes = [list, create, update, remove];

interface Progress {
  backlog: number;
  failingSinceMs: number | null;
}

/** Reads the backlogs and failures of subscriptions. Returns a lookup by subscription. */
async function readProgress(
  db: Pool,
  subscriptions: readonly Subscription[],
): Promise<(subscription: Subscription) => Progress> {
  const ids = subscriptions.map(({ id }) => id);
  const [failing, backlogs] = await Promise.all([readFailing(db, ids), readBacklogs(db, ids, backlogMax)]);
  const backlogBySubscription = Map.groupBy(backlogs, ({ subscription }) => subscription);
  return ({ id }) => ({
    backlog: (backlogBySubscription.get(id) ?? []).reduce((sum, { events }) => sum + events, 0),
    failingSinceMs: failing.get(id) ?? null,
  });
}

function findWeakness(secret: string | null | undefined): Pick<z.infer<typeof subscriptionBody>, 'warnings'> {
  if (!secret || secret.length >= secretLengthAdvised) return {};
  const detail = `The secret has fewer than ${secretLengthAdvised} characters. Anyone who sees a delivery can guess it.`;
  return { warnings: [{ code: 'short_secret', detail }] };
}

/** Returns a subscription without its secret. Only the admin sees the owner. */
function toSubscriptionBody(
  { secrets }: SubscriptionSettings,
  subscription: Subscription,
  progress: Progress,
  showOwner: boolean,
): z.infer<typeof subscriptionBody> {
  const { id, url, events, state, disabledReason, sealedSecret, previousSecret, createdMs, owner } =
    subscription;
  const readable = sealedSecret === undefined || secrets?.open(sealedSecret, id) !== undefined;
  return {
    id,
    url,
    events,
    state,
    ...(disabledReason && { disabledReason }),
    signing: sealedSecret === undefined ? 'none' : readable ? 'ready' : 'unreadable',
    previousSecretUntilMs:
      previousSecret && previousSecret.untilMs > Date.now() ? previousSecret.untilMs : null,
    ...progress,
    createdMs,
    ...(showOwner && { owner }),
  };
}
