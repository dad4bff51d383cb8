import { createYoga, useExecutionCancellation } from 'graphql-yoga';
import type { Database } from '../../../db/client.ts';
import type { GraphContext } from '../../../graphql/context.ts';
import { schema } from '../../../graphql/schema.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { prefersHtml } from '../request/accept.ts';
import { readJsonObject } from '../request/body.ts';
import type { NetworkChoice } from '../request/network.ts';
import { sendError } from '../respond/problem.ts';
import { type Exchange, type Step, splitUrl } from '../server/exchange.ts';
import { type GraphServerContext, useErrorShape } from './errors.ts';
import { graphiql } from './graphiql.ts';
import { useLimits } from './limits.ts';

export interface GraphOptions {
  db: Database;
  choose: NetworkChoice;
  log: Logger;
}

const bodyBytesMax = 100_000;
const timeoutMs = 10_000;

/** `/graphql`: queries by GET and POST for programs, GraphiQL for browsers. */
export function graph({ db, choose, log }: GraphOptions): Step {
  const context: GraphContext = { db: db.pool, choose };
  const yoga = createYoga<GraphServerContext, GraphContext>({
    schema,
    context: () => ({ ...context }),
    plugins: [useLimits(), useExecutionCancellation(), useErrorShape(log)],
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
  });

  async function answer(exchange: Exchange, search: string): Promise<void> {
    const { req, res, requestId } = exchange;
    const read = req.method === 'GET' || req.method === 'HEAD';
    if (read && prefersHtml(req)) return await graphiql(exchange);
    if (!read && req.method !== 'POST') throw refuseMethod;
    const body = read ? undefined : JSON.stringify(await readJsonObject(req, bodyBytesMax));
    const timeout = AbortSignal.timeout(timeoutMs);
    const headers = {
      accept: req.headers.accept ?? '*/*',
      ...(body && { 'content-type': 'application/json' }),
    };
    const request = { method: read ? 'GET' : 'POST', headers, body, signal: timeout };
    const url = `http://localhost/graphql${read ? `?${search}` : ''}`;
    const response = await Promise.race([yoga.fetch(url, request, { requestId }), tooLate(timeout)]);
    const bytes = Buffer.from(await response.arrayBuffer());
    res.writeHead(response.status, {
      'content-type': response.headers.get('content-type') ?? 'application/json',
      'content-length': bytes.byteLength,
      'cache-control': 'no-store',
      ...(response.status === 405 && { allow: response.headers.get('allow') ?? 'POST' }),
    });
    res.end(req.method === 'HEAD' ? undefined : bytes);
  }

  return (exchange) => {
    const { path, search } = splitUrl(exchange.req.url ?? '');
    if (path !== '/graphql') return false;
    exchange.route = '/graphql';
    answer(exchange, search).catch((error: unknown) => sendError(exchange, error, log));
    return true;
  };
}

function tooLate(timeout: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const detail = `The query took longer than ${timeoutMs / 1000} s; ask for less.`;
    const problem = new ProblemError({ status: 504, code: 'timeout', title: 'Timeout', detail });
    timeout.addEventListener('abort', () => reject(problem), { once: true });
  });
}

const allow = 'GET, HEAD, POST, OPTIONS';
const refuseMethod = new ProblemError({
  status: 405,
  code: 'method_not_allowed',
  title: 'Method not allowed',
  detail: `This path takes ${allow}.`,
  headers: { allow },
});
