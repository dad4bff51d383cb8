import type { Network } from '@adaptor-marketplace/adaptor';
import type { Port } from '@adaptor-marketplace/process';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import { hasSearchIndex } from '../../db/queries/catalog/search.ts';
import { type NetworkNode, openNodes } from '../../lib/chain/nodes.ts';
import type { DescribedSetting } from '../../lib/config/describe.ts';
import type { NetworkPackages, NetworkSettings } from '../../lib/config/networks.ts';
import { inProcess } from '../../lib/http/in-process.ts';
import type { Route } from '../../lib/http/route.ts';
import { router } from '../../lib/http/router.ts';
import { type HttpServer, observe, refuseLongUrl, serve } from '../../lib/http/serve.ts';
import type { Logger } from '../../lib/log/index.ts';
import { assets } from '../../web/assets/bundle.ts';
import type { BrowserNode } from '../../web/frame/page.ts';
import {
  graphPages,
  operatorPage,
  operatorPaths,
  publishPage,
  runPage,
  runsPage,
} from '../../web/pages/index.ts';
import { type AccessSettings, type Admission, type AdmissionOptions, admission } from './access/admission.ts';
import {
  answerPreflight,
  credentialAttempts,
  credentialGuard,
  sendCommonHeaders,
} from './access/attempts.ts';
import { sameCaller, sentFrom } from './access/caller.ts';
import { keyUsage } from './access/key-usage.ts';
import { type KeyDependencies, keyRoutes } from './access/keys.ts';
import { limits } from './access/limits.ts';
import { type PortalSessionDependencies, portalSessionRoutes } from './access/portal-session.ts';
import { type AgentDependencies, agentService } from './agent/forward.ts';
import { operatorRoutes } from './agent/operator.ts';
import { runRoutes } from './agent/runs.ts';
import { sessionRoutes } from './agent/sessions.ts';
import { listingRoutes } from './catalog/listing-routes.ts';
import { hotCatalog, prepareCatalogs } from './catalog/prepared.ts';
import { type CatalogDependencies, listAdaptors } from './catalog/route.ts';
import { getAdaptorSchemas, type SchemaDependencies } from './catalog/schema-route.ts';
import { eventStreams, listEvents, type StreamDependencies, streamEvents } from './events/events.ts';
import { graph, sourceRequirement } from './graphql/graph.ts';
import { explorerRoutes } from './graphql/graphiql.ts';
import { openPageData } from './graphql/page-data.ts';
import { openFeed } from './live/feed.ts';
import { openStreams } from './live/streams.ts';
import { watchIndex } from './live/watch.ts';
import { documentRoutes } from './machines/documents.ts';
import { type OriginDependencies, pagePaths, wellKnownRoutes } from './machines/well-known.ts';
import { mcp } from './mcp/mcp.ts';
import { createOpenApiDocument, type DescriptionDependencies, getOpenApi } from './openapi/document.ts';
import { networkChoice } from './openapi/parts.ts';
import {
  getHealth,
  getMetrics,
  getReadiness,
  getStatus,
  type HealthDependencies,
} from './operations/health.ts';
import { type HostDependencies, hostRoutes } from './operations/host.ts';
import { type DocsDependencies, docsRoutes } from './pages/docs.ts';
import { errorRoutes } from './pages/errors.ts';
import { graphSchemaRoute } from './pages/graph-schema.ts';
import { guideRoutes } from './pages/guides.ts';
import { iconRoutes } from './pages/page.ts';
import {
  answerPage,
  assetRoute,
  graphPageRoute,
  type LocalNetwork,
  pictureRoute,
  type Site,
  type SiteDependencies,
  samplePackageRoute,
  sessionRoute,
  siteRoute,
} from './pages/site.ts';
import { webhookPageRoutes } from './pages/webhooks.ts';
import { type DraftDependencies, draftListing, draftSlots } from './publish/draft.ts';
import { inferCall, inferences } from './publish/infer.ts';
import { introspectPackage } from './publish/introspect.ts';
import { type PublishChain, publishChain } from './publish/route.ts';
import { openUploads } from './publish/upload.ts';
import { findEscrowJobs, listAgentServices } from './reads/agents-and-jobs.ts';
import { type CapChain, capChain } from './reads/cap-chain.ts';
import { type DelegationDependencies, listDelegations } from './reads/delegations.ts';
import { listPolicyRules } from './reads/policy-rules.ts';
import { vaultRoutes } from './reads/vault.ts';
import { openSqlReader } from './sql/reader.ts';
import { runSql, type SqlDependencies } from './sql/route.ts';
import {
  type DeliveryDependencies,
  type DispatchDependencies,
  deliveryRoutes,
  type WebhookSettings,
  webhooksRoutes,
} from './webhooks/deliveries.ts';
import { subscriptionRoutes } from './webhooks/subscriptions.ts';

/**
 * Settings that the gateway needs of a network: the packages that callers sign for, the node, and the Walrus services
 * for drafts.
 */
export type GatewayNetwork = NetworkPackages &
  Pick<NetworkSettings, 'rpcUrl' | 'rpcToken'> &
  Partial<Pick<NetworkSettings, 'aggregatorUrl' | 'publisherUrl'>>;

export interface GatewayOptions {
  db: Database;
  host: string;
  port: Port;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  /** The networks that are indexed; at least the default one. */
  networks: readonly GatewayNetwork[];
  /** `/readyz` is 503 when a source is further behind. */
  maxLagSeconds: number;
  /** Number of proxies whose entries in `X-Forwarded-For` are trusted, if `access` is absent. */
  trustProxy?: number | undefined;
  /** Addresses from which the operator's own services may authenticate to the agent service. Absent: none. */
  internalAgentCidrs?: readonly string[] | undefined;
  /** Limits and keys; absent without a key-value store. */
  access?: AccessSettings | undefined;
  /** Absent if `access` is. */
  webhooks?: WebhookSettings | undefined;
  /** Database url of the role for SQL over HTTP; absent if the operator does not offer it. */
  sqlDatabaseUrl?: string | undefined;
  /** File of the only documents that the graph executes; absent: any document. */
  trustedDocuments?: string | undefined;
  /** Public origin of the service, if the operator has set it. Its pages may call the tools for models. */
  publicUrl?: string | undefined;
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
 * Starts the HTTP API over a database that is migrated. Resolves when it accepts requests and the catalogs are
 * prepared. Rejects if the database cannot be read or the port is taken. `close` waits for requests in progress and
 * leaves the database open.
 */
export async function startGateway(options: GatewayOptions): Promise<HttpServer> {
  const { db, defaultNetwork, maxLagSeconds, log } = options;
  const networks = options.networks.map(({ network }) => network);
  const choose = networkChoice(networks, defaultNetwork);

  if (!(await hasSearchIndex(db.pool)))
    log.warn(
      'the database has no index for search: words are found by their beginning; see docs/operations.md',
    );
  const prepared = prepareCatalogs({ db, networks, log, metrics: options.metrics });
  await using starting = new AsyncDisposableStack();
  const watch = await watchIndex({ db, networks, onCatalogChange: prepared.rebuild, log });
  starting.defer(() => watch.close());
  const catalog = { prepared, watch };

  const nodes = openNodes(options.networks, starting);
  const versions = new Map([...nodes].map(([network, node]) => [network, node.versions]));
  const feed = openFeed(db, log);
  starting.defer(() => feed.close());
  const open = openStreams(options.metrics);

  const sql = options.sqlDatabaseUrl
    ? openSqlReader({ url: options.sqlDatabaseUrl, log, metrics: options.metrics })
    : undefined;
  starting.defer(() => sql?.close());

  const trustProxy = options.access?.trustProxy ?? options.trustProxy ?? 0;
  const attempts = credentialAttempts(options.access?.kv);

  const agent = agentService(options.agentUrl, {
    log,
    guard: credentialGuard({ attempts, trustProxy, limits: options.access !== undefined }),
    mayBeInternal: sentFrom(options.internalAgentCidrs ?? [], trustProxy),
  });

  const document = createOpenApiDocument(routes);
  const site: Site = {
    networks,
    defaultNetwork,
    watch,
    maxLagSeconds,
    version: document.info.version,
    nodes: browserNodes(options),
    local: options.local,
    data: openPageData(
      { db: db.pool, choose, indexed: watch.indexed, requireSource: sourceRequirement(options.networks) },
      watch,
    ),
  };
  const dependencies: GatewayDependencies = {
    db: db.pool,
    networks: options.networks,
    maxLagSeconds,
    metrics: options.metrics,
    document,
    site,
    publicUrl: options.publicUrl,
    pagePaths: pagePaths(routes),
    kv: options.access?.kv,
    settings: options.settings ?? [],
    adminSecret: options.access?.adminSecret,
    forward: agent.forward,
    choose,
    watch,
    capChains: capChains(nodes),
    webhooks: options.webhooks,
    streams: eventStreams(db.pool, feed, open),
    sql,
    catalog,
    versions,
    publishChains: publishChains(nodes),
    inferences: inferences(),
    uploads: openUploads(options.networks, starting),
    draftSlots: draftSlots(),
  };

  const answers = [hotCatalog(catalog, networks, defaultNetwork), sendCommonHeaders, refuseLongUrl];
  const routed = router(routes, dependencies, {
    log,
    hint: '/docs lists every endpoint.',
    notFoundPage: (exchange) => answerPage(exchange, {}, site, () => undefined),
  });
  const fetchFor = inProcess((origin) => [sameCaller(origin), ...answers, routed], log);
  const own = new Set(options.publicUrl === undefined ? [] : [options.publicUrl]);

  const models = mcp({ db, isOwnOrigin: (origin) => own.has(origin), fetchFor, log });

  // The assets are bundled before the first page request. That request reports a failure.
  assets().catch(() => undefined);

  const lifeOfARequest = [
    observe({ log, metrics: options.metrics, name: 'http_request_duration_seconds' }),
    ...(options.access
      ? [limits(openAdmission({ ...options.access, attempts }, options, starting), routes, log)]
      : []),
    ...answers,
    models.step,
    answerPreflight,
    graph({
      db,
      choose,
      feed,
      watch,
      agent,
      log,
      site,
      streams: open,
      networks: options.networks,
      trustedDocuments: options.trustedDocuments,
      metrics: options.metrics,
    }),
    routed,
  ];
  const server = await serve(options.host, options.port, lifeOfARequest, log);
  const { port } = new URL(server.url);
  for (const name of ['127.0.0.1', '[::1]', 'localhost']) own.add(`http://${name}:${port}`);
  starting.defer(() => server.close());
  // Streams close before the server, which would wait for them.
  starting.defer(() => open.close());
  starting.defer(() => models.close());
  const running = starting.move();
  return { url: server.url, close: () => running.disposeAsync() };
}

/** Opens the admission of requests. The use of keys is recorded until the server has closed. */
function openAdmission(
  access: Omit<AdmissionOptions, 'metrics' | 'onKeyUse'>,
  { db, log, metrics }: GatewayOptions,
  closing: AsyncDisposableStack,
): Admission {
  const usage = keyUsage({ db: db.pool, log, metrics });
  closing.defer(() => usage.close());
  return admission({ ...access, metrics, onKeyUse: usage.add });
}

/**
 * Returns the nodes for browsers. The nodes of the operator may be private or paid, so browsers use the public ones.
 */
const browserNodes = ({ networks, local }: GatewayOptions): Map<Network, BrowserNode> =>
  new Map(
    networks.map(({ network }) => [
      network,
      local
        ? { url: local.rpcUrl, faucetUrl: local.faucetUrl }
        : { url: `https://fullnode.${network}.sui.io` },
    ]),
  );

type GatewayNodes = ReadonlyMap<Network, NetworkNode<GatewayNetwork>>;

/** Opens the cap readers of the networks whose wallets are indexed. */
function capChains(nodes: GatewayNodes): ReadonlyMap<Network, CapChain> {
  return new Map(
    [...nodes].flatMap(
      ([
        network,
        {
          settings: { walletPackageId },
          client,
        },
      ]) => (walletPackageId === undefined ? [] : [[network, capChain(client, walletPackageId)]]),
    ),
  );
}

const publishChains = (nodes: GatewayNodes): ReadonlyMap<Network, PublishChain> =>
  new Map([...nodes].map(([network, node]) => [network, publishChain(node)]));

/** Dependencies of all routes together. */
type GatewayDependencies = AgentDependencies &
  SiteDependencies &
  DescriptionDependencies &
  DocsDependencies &
  DelegationDependencies &
  DeliveryDependencies &
  DispatchDependencies &
  StreamDependencies &
  CatalogDependencies &
  SchemaDependencies &
  DraftDependencies &
  HealthDependencies &
  KeyDependencies &
  HostDependencies &
  PortalSessionDependencies &
  OriginDependencies &
  SqlDependencies;

/** Every route of the gateway. The router serves them, and the OpenAPI document is made from them. */
export const routes: readonly Route<GatewayDependencies>[] = [
  listAdaptors,
  getAdaptorSchemas,
  getOpenApi,
  ...keyRoutes,
  ...portalSessionRoutes,
  ...hostRoutes,
  ...webhooksRoutes,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  introspectPackage,
  inferCall,
  draftListing,
  listEvents,
  streamEvents,
  ...listingRoutes,
  ...vaultRoutes,
  listDelegations,
  listPolicyRules,
  listAgentServices,
  findEscrowJobs,
  ...runRoutes,
  ...sessionRoutes,
  ...operatorRoutes,
  runSql,
  getHealth,
  getReadiness,
  getStatus,
  getMetrics,
  ...errorRoutes,
  ...graphPages.map(graphPageRoute),
  assetRoute,
  pictureRoute,
  ...guideRoutes,
  siteRoute('/publish', publishPage),
  sessionRoute('/runs', runsPage),
  sessionRoute('/runs/:runId', runPage),
  ...webhookPageRoutes,
  ...operatorPaths.map((path) =>
    sessionRoute(path, (request, { kv, adminSecret }: PortalSessionDependencies) =>
      operatorPage(request, { hasStore: kv !== undefined, hasAdminSecret: adminSecret !== undefined }),
    ),
  ),
  samplePackageRoute,
  graphSchemaRoute,
  ...explorerRoutes,
  ...docsRoutes,
  ...documentRoutes,
  ...wellKnownRoutes,
  ...iconRoutes,
];
