import type { Registry } from '@prometheus-io/client';
import { createYoga, useExecutionCancellation } from 'graphql-yoga';
import type { Database } from '../../../db/client.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import { manifestsOf } from '../../../graphql/manifests.ts';
import { schema } from '../../../graphql/schema.ts';
import { problem } from '../../../lib/errors/index.ts';
import { type Exchange, type Step, splitUrl } from '../../../lib/http/exchange.ts';
import { prefersHtml, requireAccepts } from '../../../lib/http/negotiation.ts';
import { sendError } from '../../../lib/http/problem.ts';
import { refuseMethod } from '../../../lib/http/router.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { NetworkChoice } from '../openapi/parts.ts';
import type { GatewayNetwork } from '../options.ts';
import { requirePackage } from '../reads/read.ts';
import { type GraphServerContext, useAnswer } from './errors.ts';
import { graphiql } from './graphiql.ts';
import { useLimits } from './limits.ts';
import { type GraphRequest, requestOfBody, requestOfSearch, searchOf } from './request.ts';
import { graphShare } from './share.ts';

interface GraphOptions {
  db: Database;
  choose: NetworkChoice;
  networks: readonly GatewayNetwork[];
  log: Logger;
  metrics: Registry;
}

type ServerContext = GraphServerContext & { db: Queryable };

/** Above the time that a single statement is given. */
const timeoutMs = 15_000;

/** `/graphql`: queries by GET and POST for programs, GraphiQL for browsers. */
export function graph({ db, choose, networks, log, metrics }: GraphOptions): Step {
  const requireSource = sourceRequirement(networks);
  const share = graphShare(db.pool, metrics);
  const yoga = createYoga<ServerContext, GraphContext>({
    schema,
    context: ({ db }) => ({ db, manifests: manifestsOf(db), choose, requireSource }),
    plugins: [useLimits(), useExecutionCancellation(), useAnswer(log)],
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
  });

  async function answer(exchange: Exchange, search: string): Promise<void> {
    const { req, res } = exchange;
    const read = req.method === 'GET' || req.method === 'HEAD';
    res.setHeader('vary', 'accept');
    if (read && prefersHtml(req)) return await graphiql(exchange);
    if (!read && req.method !== 'POST') return refuseMethod(exchange, 'GET, HEAD, POST, OPTIONS');
    requireAccepts(req, 'application/json', 'application/graphql-response+json');
    const response = await execute(exchange, read ? requestOfSearch(search) : await requestOfBody(req));
    const bytes = Buffer.from(await response.arrayBuffer());
    res.writeHead(response.status, {
      'content-type': response.headers.get('content-type') ?? 'application/json',
      'content-length': bytes.byteLength,
      'cache-control': 'no-store',
      ...(response.status === 405 && { allow: response.headers.get('allow') ?? 'POST' }),
    });
    res.end(req.method === 'HEAD' ? undefined : bytes);
  }

  /** Runs the query until its answer, its time or its caller's patience ends. */
  async function execute({ req, res, requestId }: Exchange, asked: GraphRequest) {
    const stop = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(timeout);
      stop.abort();
    }, timeoutMs);
    res.once('close', () => stop.abort());
    const accept = req.headers.accept ?? '*/*';
    const headers = { accept, 'content-type': 'application/json' };
    const [search, request] =
      req.method === 'POST'
        ? ['', { method: 'POST', headers, body: JSON.stringify(asked) }]
        : [`?${searchOf(asked)}`, { method: 'GET', headers: { accept } }];
    const url = `http://localhost/graphql${search}`;
    try {
      const response = share.run(
        async (db) => yoga.fetch(url, { ...request, signal: stop.signal }, { requestId, db }),
        stop.signal,
      );
      return await Promise.race([response, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return (exchange) => {
    const { path, search } = splitUrl(exchange.req.url ?? '');
    if (path !== '/graphql') return false;
    exchange.route = '/graphql';
    answer(exchange, search).catch((error: unknown) => sendError(exchange, error, log));
    return true;
  };
}

function sourceRequirement(networks: readonly GatewayNetwork[]): GraphContext['requireSource'] {
  return (network, source) => {
    const settings = networks.find((candidate) => candidate.network === network);
    if (settings && source !== 'registry') requirePackage(settings, `${source}PackageId`);
  };
}

const timeout = problem('timeout', `The query took longer than ${timeoutMs / 1000} s. Request less.`);
