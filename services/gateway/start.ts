import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type PackageVersions, packageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { HttpServer } from '../../lib/http/listen.ts';
import { sentFrom } from './access/address.ts';
import { type AdmissionOptions, admission } from './access/admit.ts';
import { credentialAttempts } from './access/attempts.ts';
import { credentialGuard } from './access/guard.ts';
import { limited } from './access/limit.ts';
import { agentRoutes } from './agent/routes.ts';
import { hotCatalog } from './catalog/hot.ts';
import { prepareCatalogs } from './catalog/prepared.ts';
import { listAdaptors } from './catalog/route.ts';
import { adaptorSchemas } from './catalog/schema-route.ts';
import { watchIndex } from './catalog/watch.ts';
import { openEventFeed } from './events/feed.ts';
import { listEvents } from './events/list.ts';
import { eventStreams } from './events/stream.ts';
import { graph } from './graphql/mount.ts';
import { keyRoutes } from './keys/routes.ts';
import { keyUsage } from './keys/usage.ts';
import { openapi } from './openapi/route.ts';
import { healthz, readyz } from './operations/health.ts';
import { metrics } from './operations/metrics.ts';
import { status } from './operations/status.ts';
import type { GatewayNetwork, GatewayOptions } from './options.ts';
import { docs, docsAssets } from './pages/docs.ts';
import { icoIcon, svgIcon } from './pages/icon.ts';
import { landing } from './pages/landing.ts';
import { publishChain } from './publish/chains.ts';
import { draft } from './publish/draft/route.ts';
import { openUploads } from './publish/draft/uploads.ts';
import type { PublishChain } from './publish/host.ts';
import { infer } from './publish/infer-route.ts';
import { inferences } from './publish/inferences.ts';
import { introspectPackage } from './publish/introspect-route.ts';
import { agentServices } from './reads/agent-services.ts';
import { delegates } from './reads/delegates.ts';
import { type CapChain, capChain } from './reads/delegations/chain.ts';
import { delegations } from './reads/delegations/route.ts';
import { escrowJobs } from './reads/escrow-jobs.ts';
import { policyRules } from './reads/policy-rules.ts';
import { vault } from './reads/vault.ts';
import { networkChoice } from './request/network.ts';
import type { Step } from './server/exchange.ts';
import { listenHttp, refuseLongUrl } from './server/listen.ts';
import { observe } from './server/observe.ts';
import { type Route, rest } from './server/rest.ts';
import { preflight, secure } from './server/secure.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export type { GatewayNetwork, GatewayOptions } from './options.ts';

/**
 * Starts the HTTP API over a database that is migrated. Resolves when it takes requests, the catalogs prepared;
 * rejects when the database cannot be read or the port is taken. `close` lets requests under way end and leaves
 * the database open.
 */
export async function startGateway(options: GatewayOptions): Promise<HttpServer> {
  const { db, defaultNetwork, maxLagSeconds, log } = options;
  const networks = options.networks.map(({ network }) => network);
  const choose = networkChoice(networks, defaultNetwork);

  const prepared = prepareCatalogs({ db, networks, log, metrics: options.metrics });
  await using starting = new AsyncDisposableStack();
  const watch = await watchIndex({ db, networks, onCatalogChange: prepared.rebuild, log });
  starting.defer(() => watch.close());
  const catalog = { prepared, watch };

  const host = { db: db.pool, networks: options.networks, choose, watch };
  const nodes = openNodes(options.networks, starting);
  const versions = new Map([...nodes].map(([network, client]) => [network, packageVersions(client)]));
  const chains = capChains(options.networks, nodes);
  const publish = {
    chains: publishChains(options.networks, nodes, versions),
    choose,
    inferences: inferences(),
    uploads: openUploads(options.networks, starting),
    db: db.pool,
  };
  const feed = openEventFeed(db, log);
  starting.defer(() => feed.close());
  const streams = eventStreams(host, feed, options.metrics);

  const trustProxy = options.access?.trustProxy ?? options.trustProxy ?? 0;
  const attempts = credentialAttempts(options.access?.kv);

  const json = 'application/json';
  const routes: Route[] = [
    { path: '/', mediaType: 'text/html', get: landing },
    { path: '/api/adaptors', mediaType: json, get: listAdaptors(db, catalog, choose) },
    { path: '/api/adaptors/schema', mediaType: json, get: adaptorSchemas(options.networks, watch, versions) },
    { path: '/api/adaptors/openapi.json', mediaType: json, get: openapi },
    { path: '/api/adaptors/events', mediaType: json, get: listEvents(host) },
    { path: '/api/adaptors/events/stream', mediaType: 'text/event-stream', get: streams.handle },
    { path: '/api/adaptors/introspect', mediaType: json, post: introspectPackage(publish) },
    { path: '/api/adaptors/infer', mediaType: json, post: infer(publish, publish.inferences) },
    { path: '/api/adaptors/draft', mediaType: json, post: draft(publish) },
    ...keyRoutes(options.access?.kv),
    ...webhookRoutes(options.webhooks && { ...options.webhooks, db: db.pool, networks, choose }),
    { path: '/api/delegations', mediaType: json, get: delegations(host, chains) },
    { path: '/api/vault', mediaType: json, get: vault(host) },
    { path: '/api/vault/delegates', mediaType: json, get: delegates(host) },
    { path: '/api/policy/rules', mediaType: json, get: policyRules(host) },
    { path: '/api/agent-services', mediaType: json, get: agentServices(host) },
    { path: '/api/escrow/jobs', mediaType: json, get: escrowJobs(host) },
    ...agentRoutes(options.agentUrl, {
      log,
      guard: credentialGuard({ attempts, trustProxy, limits: options.access !== undefined }),
      mayBeInternal: sentFrom(options.internalAgentCidrs ?? [], trustProxy),
    }),
    { path: '/healthz', mediaType: json, get: healthz },
    { path: '/readyz', mediaType: json, get: readyz(db, options.networks, maxLagSeconds) },
    { path: '/status', mediaType: json, get: status(db, networks, maxLagSeconds) },
    { path: '/metrics', mediaType: 'text/plain', get: metrics(options.metrics) },
    { path: '/docs', mediaType: 'text/html', get: docs },
    { path: '/docs/swagger-ui.css', mediaType: 'text/css', get: docsAssets['swagger-ui.css'] },
    {
      path: '/docs/swagger-ui-bundle.js',
      mediaType: 'text/javascript',
      get: docsAssets['swagger-ui-bundle.js'],
    },
    { path: '/docs/start.js', mediaType: 'text/javascript', get: docsAssets['start.js'] },
    { path: '/docs/page.css', mediaType: 'text/css', get: docsAssets['page.css'] },
    { path: '/favicon.svg', mediaType: 'image/svg+xml', get: svgIcon },
    { path: '/favicon.ico', mediaType: 'image/x-icon', get: icoIcon },
  ];

  const answering: Step[] = [
    hotCatalog(catalog, networks, defaultNetwork),
    secure,
    refuseLongUrl,
    preflight,
    graph({ db, choose, networks: options.networks, log, metrics: options.metrics }),
    rest(routes, log),
  ];
  const server = await listenHttp(options.host, options.port, [
    observe(log, options.metrics),
    ...(options.access
      ? [admitted({ ...options.access, attempts }, answering, options, starting)]
      : answering),
  ]);
  starting.defer(() => server.close());
  // First of all, or the server would wait for them.
  starting.defer(() => streams.close());
  const running = starting.move();
  return { url: server.url, close: () => running.disposeAsync() };
}

/** The steps behind limits and keys, whose use is written down until the server has closed. */
function admitted(
  access: Omit<AdmissionOptions, 'metrics' | 'onKeyUse'>,
  steps: readonly Step[],
  { db, log, metrics }: GatewayOptions,
  closing: AsyncDisposableStack,
): Step {
  const usage = keyUsage({ db: db.pool, log, metrics });
  closing.defer(() => usage.close());
  return limited(admission({ ...access, metrics, onKeyUse: usage.add }), steps, log);
}

/** A client of each network's node. None connects before its first call. */
function openNodes(
  networks: readonly GatewayNetwork[],
  closing: AsyncDisposableStack,
): ReadonlyMap<Network, ChainClient> {
  return new Map(
    networks.map(({ network, rpcUrl, rpcToken }) => {
      const client = createChainClient({ url: rpcUrl, token: rpcToken });
      closing.defer(() => client.close());
      return [network, client];
    }),
  );
}

/** Of the networks where wallets are followed. */
function capChains(
  networks: readonly GatewayNetwork[],
  nodes: ReadonlyMap<Network, ChainClient>,
): ReadonlyMap<Network, CapChain> {
  return new Map(
    networks.flatMap(({ network, walletPackageId }) =>
      walletPackageId === undefined ? [] : [[network, capChain(nodes.get(network)!, walletPackageId)]],
    ),
  );
}

function publishChains(
  networks: readonly GatewayNetwork[],
  nodes: ReadonlyMap<Network, ChainClient>,
  versions: ReadonlyMap<Network, PackageVersions>,
): ReadonlyMap<Network, PublishChain> {
  return new Map(
    networks.map((settings) => {
      const { network } = settings;
      return [network, publishChain(settings, nodes.get(network)!, versions.get(network)!)];
    }),
  );
}
