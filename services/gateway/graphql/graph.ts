import type { Registry } from '@prometheus-io/client';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Database } from '../../../db/client.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import { createManifests } from '../../../graphql/manifests.ts';
import { usePlans } from '../../../graphql/plans/plugin.ts';
import { schema } from '../../../graphql/schema.ts';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import { answerBytesMax } from '../../../lib/http/bounded-page.ts';
import { type Exchange, type Step, sendError, splitUrl } from '../../../lib/http/exchange.ts';
import { prefersHtml, requireAccepts } from '../../../lib/http/negotiation.ts';
import { refuseMethod } from '../../../lib/http/router.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { IdentifyCaller } from '../access/caller.ts';
import type { AgentService } from '../agent/forward.ts';
import type { Feed } from '../live/feed.ts';
import type { Streams } from '../live/streams.ts';
import type { IndexWatch } from '../live/watch.ts';
import { answerPage, type Site } from '../pages/site.ts';
import { requirePackage } from '../reads/read.ts';
import { maskError, type ServerContext, useAnswers } from './answer.ts';
import { useBounds } from './bounds.ts';
import {
  boundedEngine,
  createDocumentCaches,
  readTrustedDocuments,
  useTrustedDocuments,
} from './documents.ts';
import { renderClosedExplorer, renderExplorer } from './graphiql.ts';
import { useBoundedRequests } from './requests.ts';
import { openGraphShare } from './share.ts';
import { streamForm } from './streams.ts';
import { useSubscriptions } from './subscriptions.ts';

interface GraphOptions {
  db: Database;
  reads: ReadPools;
  choose: GraphContext['choose'];
  readFilterValues: GraphContext['readFilterValues'];
  networks: readonly NetworkPackages[];
  feed: Feed;
  watch: IndexWatch;
  streams: Streams;
  identifyCaller: IdentifyCaller;
  agent: AgentService;
  site: Site;
  trustedDocuments: string | undefined;
  executors: readonly Plugin[] | undefined;
  log: Logger;
  metrics: Registry;
}

/** `/graphql`: graphql-yoga for programs, and its GraphiQL as a page of the site for browsers. */
export function graph(options: GraphOptions): Step {
  const { db, choose, networks, watch, site, log, metrics } = options;
  const requireSource = createSourceRequirement(networks);
  const share = openGraphShare(db.pool, options.reads, metrics);
  const trusted =
    options.trustedDocuments === undefined ? undefined : readTrustedDocuments(options.trustedDocuments);
  const explorer = () => (trusted ? renderClosedExplorer() : renderExplorer(site));
  const createContext = (db: Queryable): GraphContext => ({
    db,
    choose,
    requireSource,
    manifests: createManifests(db),
    indexed: watch.indexed,
    readFilterValues: options.readFilterValues,
  });

  const yoga = createYoga<ServerContext>({
    schema,
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    // The reader of requests bounds them already, without a stream of the web.
    maxRequestBodySize: false,
    extraParamNames: ['documentId'],
    parserAndValidationCache: createDocumentCaches(),
    maskedErrors: { maskError, errorMessage: '' },
    plugins: [
      boundedEngine,
      useBoundedRequests(trusted !== undefined),
      ...(trusted ? useTrustedDocuments(trusted) : []),
      ...(options.executors ?? [usePlans(answerBytesMax)]),
      useBounds({ share, watch, identifyCaller: options.identifyCaller, createContext }),
      useSubscriptions({
        ...options,
        requireSource,
        db: share.live,
        createContext: () => createContext(share.live),
      }),
      useAnswers(log),
    ],
  });

  async function answer(exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    res.setHeader('vary', 'accept');
    if (isRead && prefersHtml(req)) return await answerPage(exchange, {}, site, explorer);
    if (!isRead && req.method !== 'POST') return refuseMethod(exchange, 'GET, HEAD, POST, OPTIONS');
    requireAccepts(req, 'application/json', 'application/graphql-response+json', streamForm);
    res.setHeader('cache-control', 'no-store');
    await yoga(req, res, { exchange });
  }

  return (exchange) => {
    if (splitUrl(exchange.req.url ?? '').path !== '/graphql') return false;
    exchange.route = '/graphql';
    answer(exchange).catch((error: unknown) => sendError(exchange, error, log));
    return true;
  };
}

/** Refuses reads of a source that the network does not index. */
export function createSourceRequirement(networks: readonly NetworkPackages[]): GraphContext['requireSource'] {
  return (network, source) => {
    const settings = networks.find((candidate) => candidate.network === network);
    if (settings && source !== 'registry') requirePackage(settings, `${source}PackageId`);
  };
}
