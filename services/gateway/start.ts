import type { Network } from '@adaptor-marketplace/adaptor';
import type { Port } from '@adaptor-marketplace/process';
import type { Registry } from '@prometheus-io/client';
import type { Plugin } from 'graphql-yoga';
import type { Database } from '../../db/client.ts';
import { openAnalyticsViews } from '../../db/queries/analytics-views.ts';
import { openFilterValues, type ReadFilterValues } from '../../db/queries/catalog/filter-values.ts';
import { hasSearchIndex } from '../../db/queries/catalog/search.ts';
import { readCapsMintedFor } from '../../db/queries/wallets/caps.ts';
import { openReadPools, type ReadPoolsOptions } from '../../db/replicas/read-pools.ts';
import { type NetworkNode, type NodeSettings, openNodes } from '../../lib/chain/nodes.ts';
import type { NetworkProviders } from '../../lib/chain/providers/providers.ts';
import { coalesce } from '../../lib/concurrency/single-flight.ts';
import type { DescribedSetting } from '../../lib/config/describe.ts';
import type { NetworkPackages, NetworkSettings } from '../../lib/config/networks.ts';
import { serveInProcess } from '../../lib/http/in-process.ts';
import { router } from '../../lib/http/router.ts';
import { type HttpServer, observe, refuseLongUrl, serve } from '../../lib/http/serve.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { BrowserNode } from '../../web/frame/page.ts';
import { type AccessSettings, Admission } from './access/admission.ts';
import {
  type Attempts,
  answerPreflight,
  commonHeaders,
  createAttempts,
  createCredentialGuard,
  requireTransport,
  sendCommonHeaders,
} from './access/attempts.ts';
import {
  copyCaller,
  createCallerIdentity,
  createSenderCheck,
  findConnectionSender,
} from './access/caller.ts';
import { openKeyUsage } from './access/key-usage.ts';
import { limitRequests } from './access/limits.ts';
import { openAgentService } from './agent/forward.ts';
import { createHotCatalog, prepareCatalogs } from './catalog/prepared.ts';
import { toEventBody } from './events/events.ts';
import { toServiceEventBody } from './events/service-events.ts';
import { openEventStreams } from './events/streams.ts';
import { openExplainChains } from './explain/route.ts';
import { createSourceRequirement, graph } from './graphql/graph.ts';
import { openPageData, readsMax } from './graphql/page-data.ts';
import { eventLogs, openFeed, serviceLog } from './live/feed.ts';
import { openStreams } from './live/streams.ts';
import { watchIndex } from './live/watch.ts';
import { listPagePaths } from './machines/well-known.ts';
import { mcp } from './mcp/mcp.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { describeReference } from './openapi/operations.ts';
import { createNetworkChoice } from './openapi/parts.ts';
import { readFollowed, showReadiness } from './operations/readiness.ts';
import { showReads } from './operations/replicas.ts';
import { openStatusHistory } from './operations/status-history.ts';
import { createPageShare } from './pages/share.ts';
import { answerPage, type LocalNetwork, type Site } from './pages/site.ts';
import { createDraftSlots } from './publish/draft.ts';
import { createInferences } from './publish/infer.ts';
import { openPublishChain } from './publish/route.ts';
import { openUploads } from './publish/upload.ts';
import { type CapChain, openCapChain } from './reads/cap-chain.ts';
import { createWalletLocks } from './reads/wallet-lock.ts';
import { type GatewayDependencies, routes } from './routes.ts';
import { openSourceUploads } from './sources/uploads.ts';
import { openSqlReader } from './sql/reader.ts';
import type { WebhookSettings } from './webhooks/deliveries.ts';

/** Settings of a network: the packages that callers sign for, the node, and the Walrus services for drafts. */
export type GatewayNetwork = NetworkPackages &
  NodeSettings &
  Partial<Pick<NetworkSettings, 'aggregatorUrl' | 'publisherUrl' | 'explorerUrl'>>;

export interface GatewayOptions {
  db: Database;
  /** Streaming replicas of `db`, and the lag above which one leaves the pool. Absent: none. */
  readReplicas?: Pick<ReadPoolsOptions, 'urls' | 'lagMsMax' | 'pooler'> | undefined;
  host: string;
  port: Port;
  /** Runs a read of the start, also again while the database is away. Absent: once. */
  whenReached?: (<T>(read: () => Promise<T>) => Promise<T>) | undefined;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  /** The networks that are indexed; at least the default one. */
  networks: readonly GatewayNetwork[];
  /** Networks with a node that are not served, each with the reason. */
  unserved?: Partial<Record<Network, string>> | undefined;
  /** `/readyz` is 503 when a source is further behind. */
  maxLagSeconds: number;
  /** Number of proxies whose entries in `X-Forwarded-For` are trusted, if `access` is absent. */
  trustProxy?: number | undefined;
  /** Addresses from which the operator's own services may authenticate to the agent service. Absent: none. */
  internalAgentCidrs?: readonly string[] | undefined;
  /** Providers that the roles of the process share. Absent: opened here. */
  providers?: NetworkProviders | undefined;
  /** Limits and keys; absent without a key-value store. */
  access?: AccessSettings | undefined;
  /** Absent if `access` is. */
  webhooks?: WebhookSettings | undefined;
  /** Database url of the role for SQL over HTTP; absent if the operator does not offer it. */
  sqlDatabaseUrl?: string | undefined;
  /** File of the only documents that the graph executes; absent: any document. */
  trustedDocuments?: string | undefined;
  /** Plugins that execute queries of the graph in place of graphql-js; absent: by plans. Tests compare both. */
  graphExecutors?: readonly Plugin[] | undefined;
  /** Public origin of the service, if the operator has set it. Its pages may call the tools for models. */
  publicUrl?: string | undefined;
  /** Url to which the operator wants vulnerabilities of this host reported; absent: there is no security.txt. */
  securityContact?: string | undefined;
  /** Url of the agent service; absent if there is none. */
  agentUrl?: string | undefined;
  /** Settings of the process, for the operator, with secrets masked. */
  settings?: readonly DescribedSetting[] | undefined;
  /** The local network that replaces the only network. */
  local?: LocalNetwork | undefined;
  log: Logger;
  /** Registry of the gateway's metrics. `/metrics` exposes all that it contains. */
  metrics: Registry;
}

/**
 * Starts the HTTP API over a migrated database. Rejects if the database cannot be read or the port is taken. `close`
 * waits for requests in progress and leaves the database open.
 */
export async function startGateway(options: GatewayOptions): Promise<HttpServer> {
  const { db, defaultNetwork, maxLagSeconds, log, whenReached = (read) => read() } = options;
  const networks = options.networks.map(({ network }) => network);
  const choose = createNetworkChoice(networks, defaultNetwork);

  if (!(await whenReached(() => hasSearchIndex(db.pool))))
    log.warn(
      'the database has no index for search: words are found by their beginning; see docs/operations.md',
    );
  await using starting = new AsyncDisposableStack();
  const reads = openReadPools({
    primary: db.pool,
    urls: options.readReplicas?.urls ?? [],
    lagMsMax: options.readReplicas?.lagMsMax ?? 0,
    pooler: options.readReplicas?.pooler,
    log,
  });
  starting.defer(() => reads.close());
  showReads(reads, options.metrics);
  const followed = { db: db.pool, networks: options.networks, maxLagSeconds };
  showReadiness(followed, options.metrics);
  const prepared = prepareCatalogs({ reads, networks, log, metrics: options.metrics });
  const watch = await watchIndex({
    db,
    reads,
    networks,
    onCatalogChange: prepared.rebuild,
    whenReached,
    log,
  });
  starting.defer(() => watch.close());
  const catalog = { prepared, watch };

  const statusHistory = openStatusHistory(db.pool, maxLagSeconds);
  starting.defer(() => statusHistory.close());

  const { providers } = options;
  const nodes = openNodes(options.networks, starting, { priority: 'read', providers, log });
  const walletLocks = createWalletLocks(nodes, log);
  const versions = new Map([...nodes].map(([network, node]) => [network, node.versions]));
  const feed = openFeed(db, log);
  starting.defer(() => feed.close());
  const sql = options.sqlDatabaseUrl
    ? openSqlReader({ url: options.sqlDatabaseUrl, log, metrics: options.metrics })
    : undefined;
  starting.defer(() => sql?.close());

  const trustProxy = options.access?.trustProxy ?? options.trustProxy ?? 0;
  const identifyCaller = createCallerIdentity(trustProxy);
  const liveStreams = openStreams(options.metrics, identifyCaller);
  const attempts = createAttempts(options.access?.kv);

  const agent = openAgentService(options.agentUrl, {
    log,
    guard: createCredentialGuard({ attempts, trustProxy, hasLimits: options.access !== undefined }),
    mayBeInternal: createSenderCheck(options.internalAgentCidrs ?? [], trustProxy),
    identifyCaller,
  });

  const publishChains = new Map([...nodes].map(([network, node]) => [network, openPublishChain(node)]));

  const { document, reference } = describeRoutes();
  const readFilterValues = openFilterValues();
  const site = openSite(options, {
    reads,
    choose,
    readFilterValues,
    watch,
    version: document.info.version,
    trustProxy,
    walletLocks,
  });
  const dependencies: GatewayDependencies = {
    db: db.pool,
    sessions: db.sessions,
    reads,
    networks: options.networks,
    unserved: options.unserved ?? {},
    walletLocks,
    maxLagSeconds,
    metrics: options.metrics,
    statusHistory,
    readSources: coalesce(() => readFollowed(followed)),
    document,
    reference,
    site,
    publicUrl: options.publicUrl,
    securityContact: options.securityContact,
    pagePaths: listPagePaths(routes),
    kv: options.access?.kv,
    settings: options.settings ?? [],
    adminSecret: options.access?.adminSecret,
    forward: agent.forward,
    choose,
    watch,
    capChains: openCapChains(nodes, db.pool),
    webhooks: options.webhooks,
    streams: openEventStreams(db.pool, feed, liveStreams, { log: eventLogs.registry, toBody: toEventBody }),
    serviceStreams: openEventStreams(db.pool, feed, liveStreams, {
      log: serviceLog,
      toBody: toServiceEventBody,
    }),
    sql,
    readAnalyticsViews: openAnalyticsViews(db.pool),
    fetchFor: (origin) => fetchAsSender(origin),
    catalog,
    versions,
    publishChains,
    explainChains: openExplainChains(publishChains, starting),
    inferences: createInferences(),
    uploads: openUploads(options.networks, starting),
    sourceUploads: openSourceUploads(options.networks, starting),
    draftSlots: createDraftSlots(),
  };

  const answers = [createHotCatalog(catalog, networks, defaultNetwork), sendCommonHeaders, refuseLongUrl];
  const routed = router(routes, dependencies, {
    log,
    hint: '/docs lists every endpoint.',
    errorPage: (exchange, problem) => answerPage(exchange, {}, site, () => Promise.reject(problem)),
  });
  const fetchFor = serveInProcess((origin) => [copyCaller(origin), ...answers, routed], log);
  const ownOrigins = new Set(options.publicUrl === undefined ? [] : [options.publicUrl]);

  const models = mcp({ db, isOwnOrigin: (origin) => ownOrigins.has(origin), identifyCaller, fetchFor, log });

  const admission = options.access && openAdmission(options.access, attempts, options, starting);
  const limits = admission ? [limitRequests(admission, routes, log)] : [];
  const fetchAsSender = serveInProcess(() => [...limits, ...answers, routed], log);
  const lifeOfARequest = [
    observe({ log, metrics: options.metrics, name: 'http_request_duration_seconds' }),
    ...requireTransport(options.publicUrl),
    ...limits,
    ...answers,
    models.step,
    answerPreflight,
    graph({
      db,
      reads,
      choose,
      readFilterValues,
      feed,
      watch,
      agent,
      log,
      site,
      streams: liveStreams,
      identifyCaller,
      networks: options.networks,
      trustedDocuments: options.trustedDocuments,
      executors: options.graphExecutors,
      metrics: options.metrics,
    }),
    routed,
  ];
  const server = await serve(options.host, options.port, lifeOfARequest, log, {
    refusalHeaders: (socket) => [...commonHeaders, ...(admission?.buildHeaders(socket) ?? [])],
    findSender: (socket) => findConnectionSender(socket, trustProxy),
  });
  const { port } = new URL(server.url);
  for (const name of ['127.0.0.1', '[::1]', 'localhost']) ownOrigins.add(`http://${name}:${port}`);
  starting.defer(() => server.close());
  // Streams close before the server, which would wait for them.
  starting.defer(() => liveStreams.close());
  starting.defer(() => models.close());
  const running = starting.move();
  return { url: server.url, close: () => running.disposeAsync() };
}

function openSite(
  options: GatewayOptions,
  {
    reads,
    choose,
    readFilterValues,
    watch,
    version,
    trustProxy,
    walletLocks,
  }: Pick<GatewayDependencies, 'choose' | 'reads'> & { readFilterValues: ReadFilterValues } & Pick<
      Site,
      'watch' | 'version' | 'trustProxy' | 'walletLocks'
    >,
): Site {
  const { defaultNetwork, maxLagSeconds, local } = options;
  const requireSource = createSourceRequirement(options.networks);
  return {
    networks: options.networks.map(({ network }) => network),
    defaultNetwork,
    watch,
    maxLagSeconds,
    version,
    nodes: listBrowserNodes(options),
    local,
    share: createPageShare(readsMax),
    trustProxy,
    walletLocks,
    data: openPageData({ reads, choose, indexed: watch.indexed, requireSource, readFilterValues }, watch),
  };
}

let described: Pick<GatewayDependencies, 'document' | 'reference'> | undefined;

/** Describes the routes, once for all gateways of the process. */
function describeRoutes(): NonNullable<typeof described> {
  if (!described) {
    const document = createOpenApiDocument(routes);
    described = { document, reference: describeReference(document, routes) };
  }
  return described;
}

/** Opens the limits of requests. The use of keys is recorded until the server has closed. */
function openAdmission(
  access: AccessSettings,
  attempts: Attempts,
  { db, log, metrics }: GatewayOptions,
  closing: AsyncDisposableStack,
): Admission {
  const usage = openKeyUsage({ db: db.pool, log, metrics });
  closing.defer(() => usage.close());
  return new Admission({ ...access, attempts, metrics, onKeyUse: usage.add });
}

/** The nodes for browsers. The operator's own may be private or paid, so browsers use the public ones. */
function listBrowserNodes({ networks, local }: GatewayOptions): Map<Network, BrowserNode> {
  const localNode = local && {
    url: local.rpcUrl,
    faucetUrl: local.faucetUrl,
    explorerUrl: `${local.faucetUrl}/explorer/find?q={id}`,
  };
  return new Map(
    networks.map(({ network, explorerUrl }) => [
      network,
      localNode ?? { url: `https://fullnode.${network}.sui.io`, ...(explorerUrl && { explorerUrl }) },
    ]),
  );
}

/** Opens the cap readers of the networks whose wallets are indexed. */
function openCapChains(
  nodes: ReadonlyMap<Network, NetworkNode<GatewayNetwork>>,
  db: Database['pool'],
): ReadonlyMap<Network, CapChain> {
  return new Map(
    [...nodes].flatMap(([network, { settings, client }]) => {
      const { walletPackageId } = settings;
      if (walletPackageId === undefined) return [];
      const chain = openCapChain(client, walletPackageId, (query) =>
        readCapsMintedFor(db, { network, ...query }),
      );
      return [[network, chain] as const];
    }),
  );
}
