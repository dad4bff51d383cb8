import { SUI } from '../../services/demo/publish.ts';
import { routes } from '../../services/gateway/routes.ts';
import { largestListing } from '../listings/largest.ts';
import { largest } from './fill.ts';
import { adminSecret, type HeldServices } from './services.ts';

/** A request whose work is measured. Its `attempt` changes what a cache would know it by. */
export interface HeldRequest {
  name: string;
  path(attempt: number): string;
  init?: RequestInit;
  body?(attempt: number): unknown;
  /** `true` for a request that is refused. */
  mayFail?: true;
  /** Milliseconds for which a stream is read. Absent: the body is read to its end. */
  streamMs?: number;
}

/** A transaction that calls a package. */
const explainedCall = (packageId: string) => ({
  version: 2,
  sender: largest.listing.publisher,
  expiration: null,
  gasData: { budget: null, price: null, owner: null, payment: null },
  inputs: [],
  commands: [
    {
      MoveCall: {
        package: packageId,
        module: 'wallet',
        function: 'create_and_share',
        typeArguments: [],
        arguments: [],
      },
    },
  ],
});

/** Routes that are not measured, each with the reason. */
export const excepted: Record<string, string> = {
  'get /api/adaptors/webhooks/dispatch': 'begins deliveries, which the dispatcher makes',
  'get /api/adaptors/webhooks/:id/deliveries': 'needs a receiver; a page has at most 100 deliveries',
  'get /api/adaptors/webhooks/:id/deliveries/:deliveryId': 'needs a receiver; one delivery',
  'get /api/portal/session': 'one record of the key-value store',
  'get /api/agent/session': 'the agent service answers, with one record',
  'get /api/agent/runs/:id': 'the agent service answers, with one run',
  'get /api/agent/runs/:id/stream': 'the agent service answers, with the steps of one run',
  'get /webhooks/:webhookId': 'a page without data',
  'get /assets/:file': 'files that the service makes at its start',
};

/** Requests of every route, of the graph, and of the tools for models. */
export function listRequests({ demo }: HeldServices): HeldRequest[] {
  const admin = { authorization: `Bearer ${adminSecret}` };
  const key = { authorization: `Bearer ${demo.agent.executorKey}` };
  const { listing, agent, job } = largest;
  const at = { network: 'testnet', walletId: demo.owner.walletId };
  const withQuery = (path: string, query: Record<string, string | number>) =>
    `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
  /** Values of path parameters that choose the largest data. The others have the example of their description. */
  const parameters: Record<string, string> = {
    serviceType: listing.serviceType,
    network: 'testnet',
    address: listing.publisher,
    jobId: job,
    operationId: 'runAction',
    owner: demo.owner.address,
    coinType: SUI,
  };
  const fillPath = ({ path, parameters: described = {} }: (typeof routes)[number]) =>
    path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(
        path === '/agents/:address' ? agent : (parameters[name] ?? described[name]!.example),
      ),
    );
  /** Queries, in which `limit` is the maximum that the route accepts. */
  const queries: Record<string, Record<string, string | number>> = {
    '/api/adaptors': { limit: 500 },
    '/api/adaptors/events': { after: '0.0.0', limit: 1_000 },
    '/api/adaptors/events/stream': { after: '0.0.0' },
    '/api/adaptors/:serviceType/certificate': { limit: 20, include: 'claims' },
    '/api/adaptors/:serviceType/source': { include: 'files' },
    '/api/adaptors/verify': { packageId: demo.packages.wallet, include: 'files' },
    '/api/adaptors/:serviceType/canaries': { days: 90 },
    '/api/adaptors/:serviceType/usage': { days: 365 },
    '/api/adaptors/:serviceType/versions': { limit: 500 },
    '/api/adaptors/:serviceType/events': { limit: 500 },
    '/api/adaptors/:serviceType/reviews': { limit: 500 },
    '/api/admin/listings': { limit: 200 },
    '/api/vault': { owner: demo.owner.address },
    '/api/vault/delegates': { walletId: at.walletId, limit: 1_000 },
    '/api/delegations': { address: demo.agent.address },
    '/api/policy/rules': { limit: 1_000 },
    '/api/agent-services': { limit: 1_000 },
    '/api/escrow/jobs': { provider: agent, limit: 1_000 },
    '/api/agent/runs': { ...at, limit: 100 },
    '/api/agent/address': at,
    '/api/agent/authority': at,
    '/api/agent/updates': at,
    '/api/agent/keys': at,
    '/': { q: 'largest' },
    '/jobs': { provider: agent },
    '/api/admin/confirmations': { limit: 100 },
    '/jobs/hire': { agent },
    '/wallet': { owner: demo.owner.address },
    '/wallet/feed.xml': { wallet: at.walletId },
    '/wallet/grant': { service: listing.serviceType },
    '/review': { service: listing.serviceType },
    '/report': { service: listing.serviceType },
    '/compare': { a: listing.serviceType, b: largestListing(1).serviceType },
    '/docs/guides': { q: 'wallet' },
  };
  const credentials = (path: string): Record<string, string> =>
    /^\/api\/(admin|portal|adaptors\/(keys|webhooks)|agent\/(keys|adaptors|plans|freezes))/.test(path)
      ? admin
      : path.startsWith('/api/agent/') && !path.includes('/session')
        ? key
        : {};
  const reads = routes
    .filter(({ method, path }) => method === 'get' && excepted[`${method} ${path}`] === undefined)
    .map((route): HeldRequest => {
      const { path } = route;
      const filled = fillPath(route);
      return {
        name: `GET ${path}`,
        path: (attempt) => {
          const query = queries[path] ?? {};
          return withQuery(
            filled,
            'limit' in query ? { ...query, limit: Number(query.limit) - attempt } : query,
          );
        },
        init: { headers: credentials(path) },
        ...(path.endsWith('/stream') && { streamMs: 500 }),
      };
    });
  // The largest body that a route reads, and one that it refuses: what it accepts is one row.
  const hostile = JSON.stringify({ [demo.owner.address]: Array.from({ length: 8_000 }, (_, n) => [n]) });
  const writes = routes
    .filter(({ method, path }) => method !== 'get' && path !== '/api/sql')
    .map(
      (route): HeldRequest => ({
        name: `${route.method.toUpperCase()} ${route.path}`,
        path: () => fillPath(route),
        init: {
          method: route.method.toUpperCase(),
          headers: { 'content-type': 'application/json', ...credentials(route.path) },
          ...(route.method !== 'delete' && { body: hostile }),
        },
        mayFail: true,
      }),
    );
  const wallet = `/mcp/wallets/testnet/${at.walletId}`;
  const packageId = demo.packages.wallet;
  return [
    ...reads,
    ...writes,
    {
      name: 'GET /api/adaptors?ids=… of the largest listings',
      path: (attempt) =>
        withQuery('/api/adaptors', {
          ids: Array.from({ length: 20 }, (_, n) => largestListing(n + attempt).serviceType).join(','),
        }),
    },
    {
      name: 'GET /api/adaptors?canary=up of the largest listings',
      path: (attempt) => withQuery('/api/adaptors', { canary: 'up', limit: 500 - attempt }),
    },
    post('POST /api/adaptors/introspect', '/api/adaptors/introspect', () => ({ packageId })),
    post('POST /api/adaptors/infer', '/api/adaptors/infer', () => ({
      packageId,
      entry: 'policy::begin_spend',
    })),
    post('POST /api/explain', '/api/explain', () => ({
      transaction: JSON.stringify(explainedCall(packageId)),
    })),
    post(
      'POST /api/sql, the most rows',
      '/api/sql',
      (attempt) => ({
        sql: `select * from analytics.registry_events limit ${10_000 - attempt}`,
      }),
      admin,
    ),
    post(
      'POST /api/sql, the longest text',
      '/api/sql',
      (attempt) => ({
        sql: `select ${Array.from({ length: 499 }, (_, n) => n + attempt).join(' + ')}`,
      }),
      admin,
    ),
    ...Object.entries(graphQueries(listing.serviceType)).map(([name, build]) =>
      post(`POST /graphql, ${name}`, '/graphql', (attempt) => ({ query: build(attempt) })),
    ),
    ...[
      ['tools/list', {}],
      ['tools/call', { name: 'limits', arguments: {} }],
      ['tools/call', { name: 'operations', arguments: {} }],
    ].map(([method, params]) =>
      post(
        `POST /mcp/wallets/…, ${method} ${(params as { name?: string }).name ?? ''}`,
        wallet,
        () => ({ jsonrpc: '2.0', id: 1, method, params }),
        key,
      ),
    ),
    ...[
      ['tools/list', {}],
      ['tools/call', { name: 'search_adaptors', arguments: { limit: 50, canary: 'up' } }],
      ['tools/call', { name: 'describe_adaptor', arguments: { serviceType: listing.serviceType } }],
      ['resources/list', {}],
      ['resources/read', { uri: `marketplace://manifests/testnet/${listing.serviceType}` }],
    ].map(([method, params]) =>
      post(`POST /mcp, ${method} ${(params as { name?: string }).name ?? ''}`, '/mcp', () => ({
        jsonrpc: '2.0',
        id: 1,
        method,
        params,
      })),
    ),
  ];
}

function post(
  name: string,
  path: string,
  body: (attempt: number) => unknown,
  headers: Record<string, string> = {},
): HeldRequest {
  return {
    name,
    path: () => path,
    init: {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
    },
    body,
  };
}

const graphQueries = (serviceType: string): Record<string, (attempt: number) => string> => ({
  'the operations of the largest listings': (
    attempt,
  ) => `{ adaptors(first: ${20 - attempt}, filter: { q: "largest" }) { edges { node {
    serviceType manifest { name summary } operations { kind } } } } }`,
  'versions of the largest listing with their changes': (
    attempt,
  ) => `{ adaptor(serviceType: "${serviceType}") {
    versions(first: ${50 - attempt}) { edges { node { version changes { path before after } } } } } }`,
  'reviews and events': (attempt) => `{ adaptor(serviceType: "${serviceType}") {
    attestations(first: ${100 - attempt}) { edges { node { attester score commentUri timestampMs } } }
    events(first: ${100 - attempt}) { edges { node { name sender data } } } } }`,
  'agents with their jobs': (
    attempt,
  ) => `{ agents(first: ${40 - attempt}) { edges { node { name description skills
    jobs(first: 20) { edges { node { jobId brief note state } } } } } } }`,
});
