import Negotiator from 'negotiator';
import { z } from 'zod';
import type { ReadAnalyticsViews } from '../../../db/queries/analytics-views.ts';
import { problem } from '../../../lib/errors/index.ts';
import { route } from '../../../lib/http/route.ts';
import { findCaller, forKeyHolders, keyStoreProblems } from '../access/caller.ts';
import { checkStatement } from './check.ts';
import type { SqlReader } from './reader.ts';
import { csv, json } from './values.ts';

export interface SqlDependencies {
  /** Absent if the operator does not offer SQL. */
  sql: SqlReader | undefined;
  readAnalyticsViews: ReadAnalyticsViews;
}

const statementLengthMax = 10_000;

const sqlRequest = z
  .strictObject({
    sql: z.string().min(1).max(statementLengthMax).meta({
      description: 'One `select` over the views of the schema `analytics`, which is the search path.',
    }),
    format: z
      .enum(['json', 'csv'])
      .optional()
      .meta({ description: 'Form of the response. Default: what `accept` prefers, else JSON.' }),
  })
  .meta({ id: 'SqlRequest' });

const columnType = z
  .string()
  .meta({ description: 'PostgreSQL type, such as `int8` or `text[]`; `other` for rare ones.' });

export const sqlResult = z
  .object({
    columns: z.array(
      z.object({
        name: z.string(),
        type: columnType,
      }),
    ),
    rows: z.array(z.array(z.unknown())).meta({
      description:
        'The values of each row, in the order of `columns`. `int8` and `numeric` are strings; times are ISO 8601 in UTC.',
    }),
    rowCount: z.int().min(0),
  })
  .meta({ id: 'SqlResult' });

const request = {
  sql: 'select name, actions, average_score from adaptors where shown order by actions desc limit 2',
};

export const runSql = route({
  method: 'post',
  path: '/api/sql',
  ...forKeyHolders,
  alternative: 'text/csv',
  body: sqlRequest,
  bodyBytesMax: 4 * statementLengthMax,
  operation: {
    operationId: 'runSql',
    tag: 'sql',
    summary: 'Run a read-only SQL statement',
    description:
      'One `select` over the views of the schema `analytics`. Views, functions and types are an allow list ' +
      '(docs/analytics.md). The result is streamed: a response that ends early is not complete.',
    response: { description: 'The whole result.', schema: sqlResult },
    refusals: [
      'sql_invalid',
      'sql_refused',
      'sql_failed',
      'sql_too_large',
      'sql_busy',
      'sql_not_configured',
      'timeout',
      'database_unavailable',
      ...keyStoreProblems,
    ],
    example: {
      request,
      answer: {
        columns: [
          { name: 'name', type: 'text' },
          { name: 'actions', type: 'int8' },
          { name: 'average_score', type: 'numeric' },
        ],
        rows: [
          ['Reef Vault', '39', '4.50'],
          ['Lagoon Swap', '37', null],
        ],
        rowCount: 2,
      },
    },
  },
  async handler({ exchange, body: { sql: statement, format } }, { sql }: SqlDependencies) {
    if (!sql) {
      throw problem(
        'sql_not_configured',
        'This host does not offer SQL. The operator sets SQL_DATABASE_URL.',
      );
    }
    const buffers = await checkStatement(statement);
    const caller = findCaller(exchange);
    const best = format ?? chooseFormat(exchange.req.headers.accept);
    await sql.send(exchange.res, {
      sql: statement,
      buffers,
      caller: caller?.kind === 'key' ? caller.keyId : 'admin',
      format: best === 'csv' ? csv : json,
    });
  },
});

export const sqlSchema = z
  .object({
    views: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        columns: z
          .array(z.object({ name: z.string(), type: columnType, description: z.string() }))
          .meta({ description: 'In the order of `select *`.' }),
      }),
    ),
  })
  .meta({ id: 'SqlSchema' });

export const getSqlSchema = route({
  method: 'get',
  path: '/api/sql/schema',
  cacheControl: 'public, max-age=300',
  operation: {
    operationId: 'getSqlSchema',
    tag: 'sql',
    summary: 'List the views of SQL and their columns',
    description:
      'The views of the schema `analytics`, as the database describes them. It needs no key, and is served without SQL over HTTP too.',
    response: { description: 'All views, by name.', schema: sqlSchema },
    conditional: true,
    refusals: ['database_unavailable'],
    example: {
      answer: {
        views: [
          {
            name: 'review_scores',
            description: 'Distribution of the scores, one row for each service and score.',
            columns: [{ name: 'score', type: 'int2', description: '1 to 5.' }],
          },
        ],
      },
    },
  },
  handler: async (_request, { readAnalyticsViews }: SqlDependencies) => ({
    views: await readAnalyticsViews(),
  }),
});

function chooseFormat(accept: string | undefined): 'csv' | 'json' {
  if (accept === undefined) return 'json';
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(['application/json', 'text/csv']);
  return best === 'text/csv' ? 'csv' : 'json';
}
