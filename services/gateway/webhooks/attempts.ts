import { z } from 'zod';
import { attemptOutcomes } from '../../../db/queries/webhooks/attempts.ts';
import { readStatistics } from '../../../db/queries/webhooks/statistics.ts';
import { route } from '../../../lib/http/route.ts';
import { forKeyHolders, keyStoreProblems } from '../access/caller.ts';
import { atMs } from '../openapi/parts.ts';
import { findOwnSubscription, requireOwner, type WebhookDependencies } from './ownership.ts';
import { idParameter, milliseconds } from './subscription-shapes.ts';

export const attemptBody = z
  .object({
    number: z.int().min(1),
    startedMs: milliseconds,
    durationMs: z.int().min(0),
    outcome: z.enum(attemptOutcomes),
    status: z.int().nullable().meta({ description: 'HTTP status, where there was a response.' }),
    error: z.string().nullable(),
    response: z.string().nullable().meta({ description: "Beginning of the response's body." }),
  })
  .meta({ id: 'WebhookAttempt' });

const tookMs = z.int().min(0).nullable();

export const statisticsBody = z
  .object({
    count: z.int().min(0),
    webhooks: z.array(
      z.object({
        id: z.string().meta({ description: '`wh_...`' }),
        attempts: z.int().min(0),
        delivered: z.int().min(0).meta({ description: 'Attempts that succeeded.' }),
        medianMs: tookMs.meta({ description: 'Half of the attempts that succeeded took at most so long.' }),
        p95Ms: tookMs.meta({ description: '95 of a hundred of them took at most so long.' }),
        lastFailure: attemptBody
          .pick({ startedMs: true, outcome: true, status: true, error: true })
          .nullable()
          .meta({ description: 'The latest attempt that failed.' }),
      }),
    ),
  })
  .meta({ id: 'WebhookStatistics', description: 'Of attempts in the last 24 hours.' });

const { description, example } = idParameter.id;

/** Success rate and latency of webhooks. */
export const listWebhookStatistics = route({
  method: 'get',
  path: '/api/adaptors/webhooks/statistics',
  ...forKeyHolders,
  query: z.strictObject({
    id: z
      .string()
      .optional()
      .meta({ description: `${description} Default: all that this credential created.` }),
  }),
  operation: {
    operationId: 'listWebhookStatistics',
    tag: 'webhooks',
    summary: 'List how the attempts of your webhooks went in the last 24 hours',
    description:
      'Of each webhook, the latest 1,000 deliveries that are settled and 1,000 that are sent again are read.',
    response: { description: 'One row for each webhook, the oldest webhook first.', schema: statisticsBody },
    refusals: ['webhook_not_found', ...keyStoreProblems],
    example: {
      query: { id: example },
      answer: {
        count: 1,
        webhooks: [
          {
            id: example,
            attempts: 40,
            delivered: 39,
            medianMs: 84,
            p95Ms: 310,
            lastFailure: { startedMs: atMs, outcome: 'http_status', status: 500, error: 'HTTP status 500' },
          },
        ],
      },
    },
  },
  async handler({ exchange, query: { id } }, dependencies: WebhookDependencies) {
    const { owner } = requireOwner(exchange);
    const webhooks =
      id === undefined
        ? await dependencies.webhooks!.subscriptions.list(owner)
        : [await findOwnSubscription(dependencies, exchange, id)];
    const rows = await readStatistics(
      dependencies.db,
      webhooks.map((one) => one.id),
    );
    const shown = rows.map(({ subscription, ...row }) => ({ id: subscription, ...row }));
    return { count: shown.length, webhooks: shown } satisfies z.infer<typeof statisticsBody>;
  },
});
