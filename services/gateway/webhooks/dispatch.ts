import { type Network, networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { sendJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { forScheduler, keyStoreProblems } from '../access/caller.ts';
import { type NetworkChoice, networkParameter } from '../openapi/parts.ts';

export const dispatchBody = z
  .object({
    network: z.enum(networks),
    cursor: z.string().nullable().meta({
      description: 'Cursor of the last registry event whose deliveries are written, as in the events feed.',
    }),
    events: z
      .int()
      .min(0)
      .meta({ description: 'Registry events whose deliveries were written in this run.' }),
    delivered: z.int().min(0).meta({ description: 'Attempts that succeeded.' }),
    failed: z.int().min(0).meta({ description: 'Attempts that failed; most are retried.' }),
    pending: z.int().min(0).meta({ description: 'Deliveries that still have to be sent, now or later.' }),
    missing: z.int().min(0).meta({
      description: 'Known subscriptions that the key-value store has lost; the cursor waits for them.',
    }),
  })
  .meta({ id: 'Dispatch' });

export interface Dispatcher {
  /** One run of the dispatcher. */
  dispatch(network: Network): Promise<z.infer<typeof dispatchBody>>;
}

export interface DispatchDependencies {
  choose: NetworkChoice;
  /** Absent where the service has no key-value store; then no caller has the secret. */
  webhooks: Dispatcher | undefined;
}

export const dispatchWebhooks = route({
  method: 'get',
  path: '/api/adaptors/webhooks/dispatch',
  ...forScheduler,
  query: z.strictObject({ network: networkParameter }),
  operation: {
    operationId: 'dispatchWebhooks',
    tag: 'webhooks',
    summary: 'Run the dispatcher once',
    description:
      'For the scheduler of a deployment without the dispatcher role. It sends the admin secret or the cron secret. A ' +
      'run takes up to half a minute, and runs may overlap.',
    response: { description: 'What the run did.', schema: dispatchBody },
    refusals: ['network_not_configured', ...keyStoreProblems],
    example: {
      answer: {
        ...{ network: 'testnet', cursor: '17.0.2' },
        ...{ events: 3, delivered: 3, failed: 0, pending: 0, missing: 0 },
      },
    },
  },
  async handler({ exchange, query: { network } }, { choose, webhooks }: DispatchDependencies) {
    await sendJson(exchange, await webhooks!.dispatch(choose(network)));
  },
});
