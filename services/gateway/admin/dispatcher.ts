import type { Pool } from 'pg';
import { z } from 'zod';
import { readDispatchState } from '../../../db/queries/webhooks/dispatch-state.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import { atMs } from '../openapi/parts.ts';

const count = z.int().min(0);
const instant = z.int().nullable();

export const dispatcherBody = z
  .object({
    heads: z.record(z.string(), count.nullable()).meta({
      description: 'By network: checkpoint of the last registry event that is indexed.',
    }),
    subscriptions: z.object({
      known: count,
      leased: count.meta({ description: 'A dispatcher works for them now.' }),
      held: count.meta({ description: 'Their receivers are overloaded: first attempts wait.' }),
      failing: count.meta({ description: 'Every attempt since the last success failed.' }),
      missing: count.meta({ description: 'The key-value store has lost them.' }),
    }),
    lastTakenMs: instant.meta({ description: 'When a dispatcher last began to send. Null: never.' }),
    retries: z.object({
      waiting: count.meta({ description: 'Deliveries that are sent again.' }),
      overdue: count.meta({ description: 'Of these, due for more than a minute: no dispatcher keeps up.' }),
      oldestDueMs: instant,
    }),
  })
  .meta({ id: 'DispatcherState' });

/** How the dispatchers of this host fare. */
export const getDispatcher = route({
  method: 'get',
  path: '/api/admin/dispatcher',
  ...forAdmin,
  operation: {
    operationId: 'getDispatcher',
    tag: 'operator',
    summary: 'Get how the webhook dispatchers fare',
    description: 'With the admin secret, GET /api/adaptors/webhooks lists each webhook with its backlog.',
    response: { description: 'Counts of all dispatchers together.', schema: dispatcherBody },
    refusals: ['database_unavailable', ...keyStoreProblems],
    example: {
      answer: {
        heads: { testnet: 2041 },
        subscriptions: { known: 3, leased: 1, held: 0, failing: 0, missing: 0 },
        lastTakenMs: atMs,
        retries: { waiting: 0, overdue: 0, oldestDueMs: null },
      },
    },
  },
  async handler(_request, { db }: { db: Pool }) {
    return await readDispatchState(db);
  },
});
