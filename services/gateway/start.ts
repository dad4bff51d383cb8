import { hotCatalog } from './catalog/hot.ts';
import { prepareCatalogs } from './catalog/prepared.ts';
import { listAdaptors } from './catalog/route.ts';
import { adaptorSchemas } from './catalog/schema-route.ts';
import { watchIndex } from './catalog/watch.ts';
import { graph } from './graphql/mount.ts';
import { openapi } from './openapi/route.ts';
import { healthz, readyz } from './operations/health.ts';
import { metrics } from './operations/metrics.ts';
import { status } from './operations/status.ts';
import type { GatewayOptions } from './options.ts';
import { docs, docsAssets } from './pages/docs.ts';
import { landing } from './pages/landing.ts';
import { networkChoice } from './request/network.ts';
import { type HttpServer, listenHttp, refuseLongUrl } from './server/listen.ts';
import { observe } from './server/observe.ts';
import { type Route, rest } from './server/rest.ts';
import { preflight, secure } from './server/secure.ts';

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

  const json = 'application/json';
  const routes: Route[] = [
    { path: '/', mediaType: 'text/html', handle: landing },
    { path: '/api/adaptors', mediaType: json, handle: listAdaptors(db, catalog, choose) },
    { path: '/api/adaptors/schema', mediaType: json, handle: adaptorSchemas(options.networks, watch) },
    { path: '/api/adaptors/openapi.json', mediaType: json, handle: openapi },
    { path: '/healthz', mediaType: json, handle: healthz },
    { path: '/readyz', mediaType: json, handle: readyz(db, networks, maxLagSeconds) },
    { path: '/status', mediaType: json, handle: status(db, networks, maxLagSeconds) },
    { path: '/metrics', mediaType: 'text/plain', handle: metrics(options.metrics) },
    { path: '/docs', mediaType: 'text/html', handle: docs },
    { path: '/docs/swagger-ui.css', mediaType: 'text/css', handle: docsAssets['swagger-ui.css'] },
    {
      path: '/docs/swagger-ui-bundle.js',
      mediaType: 'text/javascript',
      handle: docsAssets['swagger-ui-bundle.js'],
    },
    { path: '/docs/start.js', mediaType: 'text/javascript', handle: docsAssets['start.js'] },
  ];

  const server = await listenHttp(options.host, options.port, [
    observe(log, options.metrics),
    hotCatalog(catalog, networks, defaultNetwork),
    secure,
    refuseLongUrl,
    preflight,
    graph({ db, choose, log }),
    rest(routes, log),
  ]);
  starting.defer(() => server.close());
  const running = starting.move();
  return { url: server.url, close: () => running.disposeAsync() };
}
