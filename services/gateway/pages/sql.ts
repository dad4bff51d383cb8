import getRawBody from 'raw-body';
import { problem } from '../../../lib/errors/index.ts';
import { type Exchange, signalDeparture } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';
import { type SqlOutcome, sqlPage, statementLengthMax } from '../../../web/pages/sql.ts';
import { readQuestions } from '../documents/questions.ts';
import type { SqlDependencies } from '../sql/route.ts';
import { answerPage, createSiteRoute, type SiteDependencies } from './site.ts';

export interface SqlPageDependencies extends SqlDependencies {
  /** Undefined if the host has no API keys. */
  kv: unknown;
  /** `fetch` for requests to this API by the sender of a request, counted as those that it sends itself. */
  fetchFor: (origin: Exchange) => typeof fetch;
}

const questions = readQuestions();

const describeHost = async ({ sql, kv, readAnalyticsViews }: SqlPageDependencies) => ({
  isOn: sql !== undefined && kv !== undefined,
  views: await readAnalyticsViews(),
  questions,
});

const showSql = createSiteRoute<SqlPageDependencies>('/sql', async (request, dependencies) =>
  sqlPage(await describeHost(dependencies), {
    network: request.network,
    node: request.node,
    statement: request.search.get('sql'),
  }),
);

/** A percent-encoded statement of characters with four bytes, the key and the names. */
const formBytesMax = 4 * 3 * statementLengthMax + 2_000;

/** @throws ProblemError 400 for a body that is not this form */
async function readForm({ req }: Exchange): Promise<{ sql: string; key: string }> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(req.headers['content-type'] ?? ''))
    throw problem('bad_request', 'This address takes the form of the page /sql. Programs use POST /api/sql.');
  const body = await getRawBody(req, { limit: formBytesMax, encoding: 'utf-8' }).catch(() => undefined);
  if (body === undefined)
    throw problem('bad_request', `The form cannot be read, or has more than ${formBytesMax} bytes.`);
  const form = new URLSearchParams(body);
  return { sql: form.get('sql') ?? '', key: form.get('key')?.trim() ?? '' };
}

/** Rows that the page without script shows, and bytes of a result that it reads for them. */
const rowsMax = 200;
const resultBytesMax = 4 * 1024 * 1024;

/**
 * Reads the first rows of a result in JSON, one on each line as the API writes them, and then stops the statement. A row
 * can be as large as a whole result, and the page would have several copies of it.
 */
export async function readFirstRows(body: AsyncIterable<Uint8Array>): Promise<SqlOutcome> {
  const decoder = new TextDecoder();
  let head: string | undefined;
  const rows: unknown[][] = [];
  let rest = '';
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > resultBytesMax) {
      if (head !== undefined && rows.length > 0) return { ...parseHead(head), rows, isCut: true };
      const detail = 'The first row is larger than this page can show. Select fewer columns.';
      const { status, title } = problem('sql_too_large', detail);
      return { status, title, detail };
    }
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (head === undefined) head = line;
      else if (line.startsWith(']')) return { ...parseHead(head), rows, isCut: false };
      else if (rows.length < rowsMax) rows.push(JSON.parse(line.replace(/,$/, '')));
      else return { ...parseHead(head), rows, isCut: true };
    }
  }
  return { status: 502, title: 'The result ended early', detail: 'Run the statement again.' };
}

function parseHead(head: string): { columns: readonly { name: string; type: string }[] } {
  const { columns } = JSON.parse(`${head}]}`);
  return { columns };
}

async function runForm(
  fetchApi: typeof fetch,
  { sql, key }: { sql: string; key: string },
  signal: AbortSignal,
): Promise<SqlOutcome> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key, accept: 'application/json' };
  if (!/^[\x21-\x7e]{1,1000}$/.test(key))
    return { status: 401, title: 'This is not an API key', detail: 'It begins with mk_. Copy it again.' };
  const body = JSON.stringify({ sql, format: 'json' });
  const answer = await fetchApi('http://localhost/api/sql', { method: 'POST', headers, body, signal });
  if (answer.ok && answer.body) return await readFirstRows(answer.body);
  const { title, detail } = (await answer.json()) as { title: string; detail: string };
  return { status: answer.status, title, detail };
}

/** Runs the statement of a reader without script. The key is in the form, because there is no session without script. */
const postSql: Route<SqlPageDependencies & SiteDependencies> = {
  method: 'post',
  path: '/sql',
  mediaType: 'text/html',
  unlimited: true,
  async answer(exchange, parameters, dependencies) {
    const form = await readForm(exchange);
    const outcome = await runForm(dependencies.fetchFor(exchange), form, signalDeparture(exchange));
    await answerPage(exchange, parameters, dependencies.site, async (request) =>
      sqlPage(await describeHost(dependencies), { ...request, statement: form.sql, outcome }),
    );
  },
};

export const sqlPageRoutes = [showSql, postSql];
