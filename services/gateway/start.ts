import type { Network } from '@adaptor-marketplace/adaptor';
import { type NetworkNode, openNodes } from '../../lib/chain/nodes.ts';
import type { Step } from '../../lib/http/exchange.ts';
import { router } from '../../lib/http/router.ts';
import { type HttpServer, observe, refuseLongUrl, serve } from '../../lib/http/serve.ts';
import { sentFrom } from './access/address.ts';
import { type Admission, type AdmissionOptions, admission } from './access/admit.ts';
import { credentialAttempts } from './access/attempts.ts';
import { credentialGuard } from './access/guard.ts';
import { answerPreflight, sendCommonHeaders } from './access/headers.ts';
import { limits } from './access/limit.ts';
import { forwardTo } from './agent/forward.ts';
import { hotCatalog } from './catalog/hot.ts';
import { prepareCatalogs } from './catalog/prepared.ts';
import { watchIndex } from './catalog/watch.ts';
import { openEventFeed } from './events/feed.ts';
import { eventStreams } from './events/stream.ts';
import { graph } from './graphql/mount.ts';
import { keyUsage } from './keys/usage.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { networkChoice } from './openapi/parts.ts';
import type { GatewayNetwork, GatewayOptions } from './options.ts';
import { draftSlots } from './publish/draft.ts';
import { inferences } from './publish/infer.ts';
import { type PublishChain, publishChain } from './publish/route.ts';
import { openUploads } from './publish/upload.ts';
import { type CapChain, capChain } from './reads/cap-chain.ts';
import { type GatewayDependencies, routes } from './routes.ts';

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

  const nodes = openNodes(options.networks, starting);
  const versions = new Map([...nodes].map(([network, node]) => [network, node.versions]));
  const feed = openEventFeed(db, log);
  starting.defer(() => feed.close());
  const streams = eventStreams(db.pool, feed, options.metrics);

  const trustProxy = options.access?.trustProxy ?? options.trustProxy ?? 0;
  const attempts = credentialAttempts(options.access?.kv);

  const dependencies: GatewayDependencies = {
    db: db.pool,
    networks: options.networks,
    maxLagSeconds,
    metrics: options.metrics,
    document: createOpenApiDocument(routes),
    kv: options.access?.kv,
    forward: forwardTo(options.agentUrl, {
      log,
      guard: credentialGuard({ attempts, trustProxy, limits: options.access !== undefined }),
      mayBeInternal: sentFrom(options.internalAgentCidrs ?? [], trustProxy),
    }),
    choose,
    watch,
    capChains: capChains(nodes),
    webhooks: options.webhooks,
    streams,
    catalog,
    versions,
    publishChains: publishChains(nodes),
    inferences: inferences(),
    uploads: openUploads(options.networks, starting),
    draftSlots: draftSlots(),
  };

  const lifeOfARequest: Step[] = [
    observe({ log, metrics: options.metrics, name: 'http_request_duration_seconds' }),
    ...(options.access
      ? [limits(openAdmission({ ...options.access, attempts }, options, starting), routes, log)]
      : []),
    hotCatalog(catalog, networks, defaultNetwork),
    sendCommonHeaders,
    refuseLongUrl,
    answerPreflight,
    graph({ db, choose, networks: options.networks, log, metrics: options.metrics }),
    router(routes, dependencies, { log, hint: '/docs lists every endpoint.' }),
  ];
  const server = await serve(options.host, options.port, lifeOfARequest, log);
  starting.defer(() => server.close());
  // First of all, or the server would wait for them.
  starting.defer(() => streams.close());
  const running = starting.move();
  return { url: server.url, close: () => running.disposeAsync() };
}

/** What admits requests. The use of keys is recorded until the server has closed. */
function openAdmission(
  access: Omit<AdmissionOptions, 'metrics' | 'onKeyUse'>,
  { db, log, metrics }: GatewayOptions,
  closing: AsyncDisposableStack,
): Admission {
  const usage = keyUsage({ db: db.pool, log, metrics });
  closing.defer(() => usage.close());
  return admission({ ...access, metrics, onKeyUse: usage.add });
}

type GatewayNodes = ReadonlyMap<Network, NetworkNode<GatewayNetwork>>;

/** Of the networks where wallets are followed. */
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
