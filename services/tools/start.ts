import type { Network } from '@adaptor-marketplace/adaptor';
import { coinUnits, functionReader, objectReader } from '@adaptor-marketplace/adaptor/chain';
import { allowlistRule } from '@adaptor-marketplace/adaptor/transactions';
import { openNodes } from '../../lib/chain/nodes.ts';
import { turns } from '../../lib/chain/turns.ts';
import { router } from '../../lib/http/router.ts';
import { type HttpServer, observe, refuseLongUrl, sendRequestId, serve } from '../../lib/http/serve.ts';
import type { NetworkDependencies, ToolsNetwork, ToolsOptions } from './options.ts';
import { requireAgentService, routes } from './server/routes.ts';

/** Requests under way at once; each makes a few calls of a node. */
const bounds = { running: 32, waiting: 256, waitMs: 5_000 };

/**
 * Starts the tool service over a database that is migrated: what protocols there are, and unsigned transactions for
 * the agent service, which alone may ask. `close` lets requests under way end and leaves the database open.
 */
export async function startTools(options: ToolsOptions): Promise<HttpServer> {
  await using starting = new AsyncDisposableStack();
  const networks = new Map<Network, NetworkDependencies>();
  for (const { settings, client, versions } of openNodes(options.networks, starting).values()) {
    const { network, walletPackageId, slots = {} } = settings;
    // Without the wallet package nothing can be drafted.
    if (walletPackageId === undefined) continue;
    networks.set(network, {
      ...{ network, walletPackageId, slots, client, versions, db: options.db.pool },
      allowlist: allowlistOf(settings),
      functions: functionReader(client),
      objects: objectReader(client),
      units: coinUnits(client),
    });
  }
  const { db, log, metrics, now = () => new Date() } = options;
  const lifeOfARequest = [
    observe({ log, metrics, name: 'tools_request_duration_seconds' }),
    sendRequestId,
    refuseLongUrl,
    requireAgentService(options.internalSecret),
    router(
      routes,
      { db: db.pool, networks, inTurn: turns(bounds), now },
      { log, hint: 'Endpoints: GET /protocols, POST /draft.' },
    ),
  ];
  const server = await serve(options.host, options.port, lifeOfARequest, log);
  starting.defer(() => server.close());
  const running = starting.move();
  return { url: server.url, close: () => running.disposeAsync() };
}

function allowlistOf({ allowlistPackageId, rulesPackageId }: ToolsNetwork): NetworkDependencies['allowlist'] {
  const packageId = allowlistPackageId ?? rulesPackageId;
  return packageId === undefined ? undefined : { packageId, rule: allowlistRule(packageId) };
}
