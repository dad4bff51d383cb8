import type { z } from 'zod';
import { wakeDispatchers } from '../../../db/queries/webhooks/deliveries.ts';
import {
  markRemoved,
  readExpectedSubscriptions,
  removeDeliveries,
} from '../../../db/queries/webhooks/subscriptions.ts';
import { randomId } from '../../../lib/credentials/token.ts';
import { problem } from '../../../lib/errors/index.ts';
import { route } from '../../../lib/http/route.ts';
import type { Subscription } from '../../../lib/webhooks/subscriptions.ts';
import { forKeyHolders, keyStoreProblems } from '../access/caller.ts';
import { atMs } from '../openapi/parts.ts';
import { addWebhook, buildSecretChange, changeWebhook, seal, webhookNotFound } from './changes.ts';
import {
  findOwnSubscription,
  isOwnAndLost,
  requireOwner,
  type SubscriptionSettings,
  type WebhookDependencies,
} from './ownership.ts';
import {
  changeRequest,
  idParameter,
  subscribeRequest,
  subscriptionBody,
  subscriptionsBody,
  webhookId,
} from './subscription-shapes.ts';
import { findWeakness, readProgress, toSubscriptionBody } from './subscription-view.ts';

const example = {
  id: webhookId,
  url: 'https://example.com/hooks/adaptors',
  events: ['Registered', 'Updated'],
  wallet: null,
  serviceType: null,
  publisher: null,
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
    refusals: keyStoreProblems,
    example: { answer: { count: 1, webhooks: [example], missing: [] } },
  },
  async handler({ exchange }, { db, webhooks }: WebhookDependencies) {
    const { visibleOwner } = requireOwner(exchange);
    // In this order, a webhook that is created meanwhile is not reported as missing.
    const expected = await readExpectedSubscriptions(db, visibleOwner);
    const found = await webhooks!.subscriptions.list(visibleOwner);
    const present = new Set(found.map(({ id }) => id));
    const progress = await readProgress(db, found);
    const shown = found.map((one) =>
      toSubscriptionBody(webhooks!, one, progress(one), visibleOwner === undefined),
    );
    const missing = expected.filter((id) => !present.has(id));
    return { count: shown.length, webhooks: shown, missing } satisfies z.infer<typeof subscriptionsBody>;
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
    summary: 'Subscribe a url to events',
    description:
      'The url receives every matching event from now on: of the registry, and of the service. A url that resolves to an address that is ' +
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
  async handler({ exchange, body }, dependencies: WebhookDependencies) {
    const { url, events, wallet, serviceType, publisher, secret } = body;
    const { owner } = requireOwner(exchange);
    const webhooks = dependencies.webhooks!;
    await requirePublic(webhooks, url);
    const id = randomId('wh_');
    const sealedSecret = secret === undefined ? undefined : seal(webhooks.secrets, secret, id);
    const subscription: Subscription = {
      id,
      owner,
      url,
      events,
      ...(wallet !== undefined && { wallet }),
      ...(serviceType !== undefined && { serviceType }),
      ...(publisher !== undefined && { publisher }),
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
    summary: 'Change a webhook: pause it, or change its events, url or secret',
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
    const { id } = await findOwnSubscription(dependencies, exchange, parameters.id);
    const { db, sessions } = dependencies;
    const webhooks = dependencies.webhooks!;
    const { state, events, url } = body;
    if (url !== undefined) await requirePublic(webhooks, url);
    const changeSecret = buildSecretChange(webhooks.secrets, id, body);
    const change = (subscription: Subscription): Subscription => {
      const { disabledReason, ...rest } = changeSecret(subscription);
      const next: Subscription = { ...rest, ...(events && { events }), ...(url !== undefined && { url }) };
      if (state !== undefined) return { ...next, state };
      return { ...next, ...(disabledReason && { disabledReason }) };
    };
    // Failures of the previous url say nothing about the new one.
    const forgets = state === 'active' || url !== undefined;
    const changed = await changeWebhook({ sessions, ...webhooks }, id, change, { forgets });
    const progress = await readProgress(db, [changed]);
    const showOwner = requireOwner(exchange).visibleOwner === undefined;
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
    if (!isLost) await findOwnSubscription(dependencies, exchange, id);
    await markRemoved(dependencies.db, id);
    const removed = await dependencies.webhooks!.subscriptions.remove(id);
    await removeDeliveries(dependencies.db, id);
    await dependencies.db.query(wakeDispatchers);
    if (!removed && !isLost) throw webhookNotFound();
  },
});

export const subscriptionRoutes = [list, create, update, remove];
