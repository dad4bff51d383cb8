import type { Network } from '@adaptor-marketplace/adaptor';
import { coinUnits, createFunctionReader, createObjectReader } from '@adaptor-marketplace/adaptor/chain';
import { allowlistRule } from '@adaptor-marketplace/adaptor/transactions';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import {
  draftMsMax,
  internalAgentHeader,
  protocolsRequest,
  transactionDraftRequest,
} from '../../lib/actions/tools-api.ts';
import { limitConcurrency } from '../../lib/chain/concurrency-limit.ts';
import { type NodeSettings, openNodes } from '../../lib/chain/nodes.ts';
import type { NetworkProviders } from '../../lib/chain/providers/providers.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { createSecretCheck } from '../../lib/credentials/token.ts';
import { nodeProblem, problem } from '../../lib/errors/index.ts';
import { networkNotServed, type Step, sendJson, splitUrl } from '../../lib/http/exchange.ts';
import { type Route, route } from '../../lib/http/route.ts';
import { router } from '../../lib/http/router.ts';
import { type HttpServer, observe, refuseLongUrl, sendRequestId, serve } from '../../lib/http/serve.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { NetworkDependencies } from './draft-step.ts';
import { draftTransaction } from './draft-transaction.ts';
import { describeProtocols } from './protocols.ts';

type ToolsNetwork = NodeSettings &
  Pick<NetworkSettings, 'network' | 'walletPackageId' | 'rulesPackageId' | 'allowlistPackageId' | 'slots'>;

interface ToolsOptions {
  db: Database;
  host: string;
  /** 0 picks a free port. */
  port: number;
  networks: readonly ToolsNetwork[];
  /** Secret with which the agent service authenticates. */
  internalSecret: string;
  /** Providers that the roles of the process share. Absent: opened here. */
  providers?: NetworkProviders | undefined;
  log: Logger;
  metrics: Registry;
  /** Default: the system clock. */
  now?: () => Date;
}

/** Limits for concurrent requests. Each request makes a few calls to a node. */
const bounds = { running: 32, waiting: 256, waitMs: 5_000 };

/** Starts the tool service, which only the agent service may use. `close` lets requests under way end. */
export async function startTools(options: ToolsOptions): Promise<HttpServer> {
  await using starting = new AsyncDisposableStack();
  const networks = new Map<Network, NetworkDependencies>();
  const { providers } = options;
  const nodes = openNodes(options.networks, starting, { priority: 'run', providers, log: options.log });
  for (const { settings, client, versions } of nodes.values()) {
    const { network, walletPackageId, rulesPackageId, slots = {} } = settings;
    const { allowlistPackageId: allowlist = rulesPackageId } = settings;
    // Without the wallet package nothing can be drafted.
    if (walletPackageId === undefined) continue;
    networks.set(network, {
      network,
      walletPackageId,
      slots,
      client,
      versions,
      db: options.db.pool,
      allowlist:
        allowlist === undefined ? undefined : { packageId: allowlist, rule: allowlistRule(allowlist) },
      functions: createFunctionReader(client),
      objects: createObjectReader(client),
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
      { db: db.pool, networks, withSlot: limitConcurrency(bounds), now },
      { log, hint: 'Endpoints: GET /protocols, POST /draft.' },
    ),
  ];
  const server = await serve(options.host, options.port, lifeOfARequest, log);
  starting.defer(() => server.close());
  const running = starting.move();
  return { url: server.url, close: () => running.disposeAsync() };
}

interface ToolsDependencies {
  db: Database['pool'];
  networks: ReadonlyMap<Network, NetworkDependencies>;
  /** Bounds how many requests are under way at once. */
  withSlot: ReturnType<typeof limitConcurrency>;
  now: () => Date;
}

const getHealth = route({
  method: 'get',
  path: '/healthz',
  handler: ({ exchange }) => sendJson(exchange, { status: 'ok' }),
});

const getReadiness = route({
  method: 'get',
  path: '/readyz',
  async handler({ exchange }, { db }: ToolsDependencies) {
    await db.query('select 1').catch(() => {
      throw problem('not_ready', 'The database does not answer, so nothing can be drafted.');
    });
    await sendJson(exchange, { status: 'ready' });
  },
});

const listProtocols = route({
  method: 'get',
  path: '/protocols',
  query: protocolsRequest,
  async handler({ exchange, query }, { networks, withSlot }: ToolsDependencies) {
    const network = requireNetwork(networks, query.network);
    await sendJson(exchange, await withSlot(() => describeProtocols(network)));
  },
});

const postDraft = route({
  method: 'post',
  path: '/draft',
  body: transactionDraftRequest,
  bodyBytesMax: 64 * 1024,
  async handler({ exchange, body }, { networks, withSlot, now }: ToolsDependencies) {
    const network = requireNetwork(networks, body.request.network);
    const drafting = withSlot(() => draftTransaction(network, body, now().getTime()));
    await sendJson(exchange, await rejectLate(drafting, AbortSignal.timeout(draftMsMax)));
  },
});

/** Probes reach these without the secret of the agent service. */
const openRoutes = [getHealth, getReadiness];

const routes: readonly Route<ToolsDependencies>[] = [...openRoutes, listProtocols, postDraft];

/** Refuses every request that does not come from the agent service, except for probes. This includes unknown paths. */
function requireAgentService(internalSecret: string): Step {
  const isInternal = createSecretCheck(internalSecret);
  const openPaths = new Set<string>(openRoutes.map(({ path }) => path));
  return ({ req }) => {
    const { path } = splitUrl(req.url ?? '');
    if (openPaths.has(path) || isInternal(String(req.headers[internalAgentHeader] ?? ''))) return false;
    const detail = `Only the agent service may use this service. Send its secret as ${internalAgentHeader}.`;
    throw problem('unauthorized', detail);
  };
}

function requireNetwork(
  networks: ReadonlyMap<Network, NetworkDependencies>,
  requested: Network,
): NetworkDependencies {
  const network = networks.get(requested);
  if (network) return network;
  throw networkNotServed('The tool service', requested, [...networks.keys()]);
}

/** Resolves to the result of `work`; late work continues until its timeouts. @throws ProblemError 504 at the signal */
export function rejectLate<T>(work: Promise<T>, late: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  late.addEventListener('abort', () => reject(nodeProblem(true)), { once: true });
  work.then(resolve, reject);
  return promise;
}
