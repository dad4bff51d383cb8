import type { Pool } from 'pg';
import { z } from 'zod';
import { readHostRuns, runFilters } from '../../../db/queries/agent/runs.ts';
import { runsBody } from '../../../lib/agent/shapes.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { route } from '../../../lib/http/route.ts';
import { forAdmin, keyStoreProblems } from '../access/caller.ts';
import { exampleRun } from '../agent/runs.ts';
import { cursorParameter, wholeNumber } from '../openapi/parts.ts';

const pageDefault = 20;

const hostRunsQuery = z.object({
  filter: z.enum(runFilters).default('all').meta({
    description:
      '`unknown`: those that wait for the operator to settle them. `open`: those that have not ended.',
  }),
  limit: wholeNumber(100).meta({ description: `Most runs; default: ${pageDefault}.` }),
  cursor: cursorParameter,
});

/** The runs of all wallets of this host. */
export const listHostRuns = route({
  method: 'get',
  path: '/api/admin/runs',
  ...forAdmin,
  query: hostRunsQuery,
  operation: {
    operationId: 'listHostRuns',
    tag: 'operator',
    summary: "List the runs of the host's agent, for all wallets",
    description: 'POST /api/agent/runs/{id}/settle ends a run in the state `unknown`.',
    response: { description: 'Newest first.', schema: runsBody },
    refusals: ['bad_cursor', 'database_unavailable', ...keyStoreProblems],
    example: { query: { filter: 'all' }, answer: { count: 1, runs: [exampleRun] } },
  },
  async handler({ query: { filter, limit = pageDefault, cursor } }, { db }: { db: Pool }) {
    const page = cutPage(await readHostRuns(db, { filter, limit, cursor }));
    const nextCursor = page.hasMore ? page.cursors.at(-1) : undefined;
    return { count: page.items.length, runs: page.items, nextCursor };
  },
});
