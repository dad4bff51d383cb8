import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readSecretFile } from '@adaptor-marketplace/adaptor/secret-file';
import {
  type CreateWebhookData,
  type ListWebhookDeliveriesData,
  MarketplaceError,
  type ResendEventsData,
} from '@adaptor-marketplace/sdk';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { parseResponse, readPatiently, toCommandError } from '../api.ts';
import { CommandFailedError, formatTable, type Io, UsageError } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  answer,
  countArgument,
  createApiCommand,
  createMarketplaceClient,
  deliveryArgument,
  eventsArgument,
  hoursArgument,
  pickNetwork,
  serviceArgument,
  timeArgument,
  webhookArgument,
  webhookUrlArgument,
} from '../options.ts';

const webhook = z.looseObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  state: z.string(),
  signing: z.string(),
  backlog: z.int(),
});
const webhookList = z.looseObject({ webhooks: z.array(webhook), missing: z.array(z.string()) });
const delivery = z.looseObject({
  id: z.string(),
  eventId: z.string(),
  event: z.string(),
  state: z.string(),
  attempts: z.array(
    z.looseObject({ outcome: z.string(), status: z.int().nullable(), error: z.string().nullable() }),
  ),
});
const deliveries = z.looseObject({ deliveries: z.array(delivery), nextCursor: z.string().optional() });
type Webhook = z.infer<typeof webhook>;
type Delivery = z.infer<typeof delivery>;

/** `webhooks`: subscribes urls to events. */
export function createWebhooksCommand(io: Io) {
  const command = new Command('webhooks').description(
    'Sends events of the registry and of the marketplace to urls of yours. Needs an API key in MARKETPLACE_API_KEY, or the file MARKETPLACE_API_KEY_FILE.',
  );
  for (const make of [
    list,
    add,
    test,
    listDeliveries,
    resend,
    rotate,
    change('pause', 'paused'),
    change('resume', 'active'),
    remove,
  ]) {
    command.addCommand(make(io));
  }
  return addExamples(
    command,
    'webhooks add https://app.example/hook --events Registered,Updated',
    'webhooks add https://app.example/hook --events Updated,Unlisted --publisher 0x5d1e...',
    'webhooks list',
    'webhooks test wh_8sQm2Kd1',
    'webhooks resend wh_8sQm2Kd1 --since 2026-03-14T00:00:00Z',
    'webhooks rotate wh_8sQm2Kd1 --keep-previous 24',
  );
}

const list = (io: Io) =>
  createApiCommand('list', 'Lists your webhooks.').action(async (options: ApiOptions) => {
    const { api } = await createMarketplaceClient(io, options);
    const body = await api.listWebhooks();
    const { webhooks, missing } = parseResponse(webhookList, body);
    answer(io, options, body, () => [
      ...(webhooks.length === 0 ? ['no webhooks'] : formatWebhooks(webhooks, io.columns)),
      ...missing.map(
        (id) => `${id}: the marketplace has lost it. It receives nothing until the operator restores it.`,
      ),
    ]);
  });

function formatWebhooks(webhooks: readonly Webhook[], columns: number | undefined): string[] {
  const rows = webhooks.map(({ id, state, signing, backlog, events, url }) => [
    id,
    state,
    signing,
    String(backlog),
    events.join(','),
    url,
  ]);
  return formatTable(['ID', 'STATE', 'SECRET', 'WAITING', 'EVENTS', 'URL'], rows, columns);
}

interface SecretOptions extends ApiOptions {
  secretFile?: string;
}

const secretOption = [
  '--secret-file <file>',
  'file with the secret, which only you can read (default: a new secret, which is printed once)',
] as const;

async function readOrCreateSecret({
  secretFile,
}: SecretOptions): Promise<{ secret: string; isNew: boolean }> {
  if (secretFile === undefined) {
    return { secret: `whsec_${randomBytes(24).toString('base64')}`, isNew: true };
  }
  const secret = await readSecretFile(secretFile).catch((error: Error) => {
    throw new UsageError(`--secret-file: ${error.message}.`);
  });
  return { secret, isNew: false };
}

/**
 * Sends a secret and prints the webhook that has it, and the secret if this command created it. Without a response that says
 * if it is stored, the error has the secret: the marketplace never returns one.
 */
async function sendSecret(
  io: Io,
  options: ApiOptions,
  { secret, isNew }: { secret: string; isNew: boolean },
  send: () => Promise<object>,
): Promise<void> {
  let body: object;
  let found: Webhook;
  try {
    body = await send();
    found = parseResponse(webhook, body);
  } catch (error) {
    const isRefused = error instanceof MarketplaceError && error.status < 500;
    if (!isNew || isRefused) throw error;
    const { message } = toCommandError(error) as Error;
    throw new CommandFailedError(
      `${message}\nThe webhook may have the new secret ${secret}, which is not shown again. See webhooks list.`,
    );
  }
  answer(io, options, { ...body, ...(isNew && { secret }) }, () => [
    ...formatWebhooks([found], io.columns),
    ...(isNew ? [`secret  ${secret}  (it is not shown again)`] : []),
  ]);
}

interface AddOptions extends SecretOptions {
  events: CreateWebhookData['body']['events'];
  wallet?: string;
  serviceType?: string;
  publisher?: string;
}

const add = (io: Io) =>
  createApiCommand('add', 'Subscribes a url to events of the registry and of the marketplace.')
    .argument('<url>', 'http or https, at a public address', webhookUrlArgument)
    .requiredOption('--events <events>', 'names of events, separated by commas', eventsArgument)
    .option('--wallet <id>', 'only events about services that this wallet has granted to', addressArgument)
    .option('--service-type <type>', 'only events about this adaptor', serviceArgument)
    .option('--publisher <address>', 'only events about listings of this publisher', addressArgument)
    .option(...secretOption)
    .action(async (url: string, options: AddOptions) => {
      const given = await readOrCreateSecret(options);
      const { api } = await createMarketplaceClient(io, options);
      const { events, wallet, serviceType, publisher } = options;
      const body = { url, events, secret: given.secret, wallet, serviceType, publisher };
      await sendSecret(io, options, given, () => api.createWebhook({ body }));
    });

const rotate = (io: Io) =>
  createApiCommand('rotate', 'Replaces the secret of a webhook.')
    .argument('<id>', 'its id', webhookArgument)
    .option(...secretOption)
    .option(
      '--keep-previous <hours>',
      'hours in which deliveries have both signatures (default: 24)',
      hoursArgument,
      24,
    )
    .action(async (id: string, options: SecretOptions & { keepPrevious: number }) => {
      const given = await readOrCreateSecret(options);
      const { api } = await createMarketplaceClient(io, options);
      const keepPreviousSecretMs = options.keepPrevious * 3_600_000;
      const body = { secret: given.secret, keepPreviousSecretMs };
      await sendSecret(io, options, given, () => api.updateWebhook({ path: { id }, body }));
    });

const change = (name: string, state: 'active' | 'paused') => (io: Io) =>
  createApiCommand(
    name,
    state === 'paused' ? 'Stops deliveries; later events are not queued.' : 'Resumes deliveries.',
  )
    .argument('<id>', 'id of the webhook', webhookArgument)
    .action(async (id: string, options: ApiOptions) => {
      const { api } = await createMarketplaceClient(io, options);
      const body = await api.updateWebhook({ path: { id }, body: { state } });
      const found = parseResponse(webhook, body);
      answer(io, options, body, () => formatWebhooks([found], io.columns));
    });

const remove = (io: Io) =>
  createApiCommand('remove', 'Deletes a webhook with its deliveries.')
    .argument('<id>', 'its id', webhookArgument)
    .action(async (id: string, options: ApiOptions) => {
      const { api } = await createMarketplaceClient(io, options);
      await api.deleteWebhook({ path: { id } });
      answer(io, options, { removed: id }, () => [`removed  ${id}`]);
    });

const patienceMs = 60_000;
const pauseMs = 250;

const test = (io: Io) =>
  createApiCommand('test', 'Sends the event Test to a webhook, and shows how its first attempt ended.')
    .argument('<id>', 'id of the webhook', webhookArgument)
    .action(async (id: string, options: ApiOptions) => {
      const { api } = await createMarketplaceClient(io, options);
      const { id: deliveryId } = parseResponse(delivery, await api.sendTestEvent({ path: { id } }));
      const until = performance.now() + patienceMs;
      for (;;) {
        const read = () => api.getWebhookDelivery({ path: { id, deliveryId } });
        const sent = parseResponse(delivery, await readPatiently(read, until));
        if (sent.attempts.length > 0) {
          answer(io, options, sent, () => formatDeliveries([sent], io.columns));
          if (sent.state === 'delivered') return;
          const { error } = sent.attempts.at(-1)!;
          throw new CommandFailedError(
            `The receiver did not accept the event. ${error ?? describeOutcome(sent)}`,
          );
        }
        if (performance.now() > until) {
          throw new CommandFailedError(
            `No attempt within ${patienceMs / 1000} seconds. Look later: webhooks deliveries ${id}`,
          );
        }
        await delay(pauseMs);
      }
    });

function describeOutcome({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (!last) return 'no attempt yet';
  return [last.outcome, last.status ?? ''].join(' ').trim();
}

function formatDeliveries(found: readonly Delivery[], columns: number | undefined): string[] {
  const rows = found.map((one) => [
    one.id,
    one.state,
    String(one.attempts.length),
    describeOutcome(one),
    one.event,
    one.eventId,
  ]);
  return formatTable(['DELIVERY', 'STATE', 'ATTEMPTS', 'LAST', 'EVENT', 'EVENT ID'], rows, columns);
}

const listDeliveries = (io: Io) =>
  createApiCommand('deliveries', 'Lists the deliveries of a webhook, newest first.')
    .argument('<id>', 'id of the webhook', webhookArgument)
    .addOption(new Option('--state <state>', 'only these').choices(['pending', 'delivered', 'failed']))
    .option('--limit <count>', 'maximum number', countArgument, '20')
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .action(async (id: string, options: ApiOptions & { state?: string; limit: string; cursor?: string }) => {
      const { state, cursor } = options;
      const { api } = await createMarketplaceClient(io, options);
      const query = { limit: Number(options.limit), ...(state && { state }), ...(cursor && { cursor }) };
      const body = await api.listWebhookDeliveries({
        path: { id },
        query: query as ListWebhookDeliveriesData['query'],
      });
      const page = parseResponse(deliveries, body);
      answer(io, options, body, () => [
        ...(page.deliveries.length === 0 ? ['no deliveries'] : formatDeliveries(page.deliveries, io.columns)),
        ...(page.nextCursor ? [`More: --cursor ${page.nextCursor}`] : []),
      ]);
    });

const resend = (io: Io) =>
  createApiCommand('resend', 'Sends one delivery again, or all events since a time.')
    .argument('<id>', 'id of the webhook', webhookArgument)
    .argument('[delivery]', 'id of the delivery', deliveryArgument)
    .option('--since <time>', 'all events since this time, for example 2026-03-14T00:00:00Z', timeArgument)
    .action(async (id: string, deliveryId: string | undefined, options: ApiOptions & { since?: string }) => {
      const { since } = options;
      if ((deliveryId === undefined) === (since === undefined)) {
        throw new UsageError('Give either the id of a delivery, or --since with a time.');
      }
      const { api } = await createMarketplaceClient(io, options);
      if (deliveryId !== undefined) {
        const body = await api.resendWebhookDelivery({ path: { id, deliveryId } });
        const found = parseResponse(delivery, body);
        return answer(io, options, body, () => formatDeliveries([found], io.columns));
      }
      const request = { since, ...pickNetwork(options) } as ResendEventsData['body'];
      const body = await api.resendEvents({ path: { id }, body: request });
      const { count, nextSinceMs } = parseResponse(
        z.looseObject({ count: z.int(), nextSinceMs: z.int().optional() }),
        body,
      );
      answer(io, options, body, () => [
        `sends again  ${count} ${count === 1 ? 'event' : 'events'}`,
        ...(nextSinceMs === undefined ? [] : [`More: --since ${new Date(nextSinceMs).toISOString()}`]),
      ]);
    });
