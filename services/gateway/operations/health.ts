import { networks as knownNetworks, type Network } from '@adaptor-marketplace/adaptor';
import type { Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import { z } from 'zod';
import { readProviders, type StoredCondition } from '../../../db/queries/providers.ts';
import {
  type ListingCounts,
  readIndexState,
  readListingCounts,
  type SourceState,
} from '../../../db/queries/state.ts';
import { countLost } from '../../../db/queries/webhooks/subscriptions.ts';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import { listFollowedSources, type NetworkPackages, sourceNames } from '../../../lib/config/networks.ts';
import { type FieldError, type ProblemError, problem } from '../../../lib/errors/index.ts';
import { computeDigest, sendContent } from '../../../lib/http/exchange.ts';
import { prefersHtml } from '../../../lib/http/negotiation.ts';
import { route } from '../../../lib/http/route.ts';
import { statusPage } from '../../../web/pages/status.ts';
import { isFromThisMachine } from '../access/caller.ts';
import { answerPage, type SiteDependencies } from '../pages/site.ts';
import type { WalletLocks } from '../reads/wallet-lock.ts';
import { computeLag, type FollowedSource, findReasonNotReady } from './readiness.ts';
import { describeReads, readsStatus } from './replicas.ts';
import type { StatusHistory } from './status-history.ts';

export interface HealthDependencies {
  db: Pool;
  reads: ReadPools;
  networks: readonly NetworkPackages[];
  /** Networks with a node that are not served, each with the reason. */
  unserved: Readonly<Partial<Record<Network, string>>>;
  walletLocks: WalletLocks;
  /** Lag above which a source is not ready. */
  maxLagSeconds: number;
  metrics: Registry;
  statusHistory: StatusHistory;
  /** Reads the sources for `/readyz`. Requests have no limit, so simultaneous ones share a read. */
  readSources: () => Promise<FollowedSource[]>;
}

export const healthBody = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
export const readyBody = z.object({ status: z.literal('ready') }).meta({ id: 'Readiness' });

/** Liveness of the process. It does not check the database or the index. */
export const getHealth = route({
  method: 'get',
  path: '/healthz',
  unlimited: true,
  operation: {
    operationId: 'getHealth',
    tag: 'operations',
    summary: 'Check that the process answers',
    description: 'For liveness probes. It does not check the database or the index.',
    response: { description: 'The process answers.', schema: healthBody },
    example: { answer: { status: 'ok' } },
  },
  handler: async () => ({ status: 'ok' }),
});

/** Readiness: 503 until every source of every served network is within its bound. The error names each that is not. */
export const getReadiness = route({
  method: 'get',
  path: '/readyz',
  unlimited: true,
  operation: {
    operationId: 'getReadiness',
    tag: 'operations',
    summary: 'Check that every source is within its lag bound',
    description:
      'For readiness probes and load balancers. 503 names each source that is missing or behind in `errors`.',
    response: { description: 'Every source is within its bound.', schema: readyBody },
    refusals: ['not_ready', 'database_unavailable'],
    example: { answer: { status: 'ready' } },
  },
  async handler(_request, { readSources }: HealthDependencies) {
    const sources = await readSources();
    const notReadySources = sources.flatMap(({ network, name, reasonNotReady }) =>
      reasonNotReady === undefined ? [] : [{ path: `${network}.${name}`, message: reasonNotReady }],
    );
    if (notReadySources.length > 0) throw createNotReadyError(notReadySources);
    return { status: 'ready' };
  },
});

export const getMetrics = route({
  method: 'get',
  path: '/metrics',
  mediaType: 'text/plain',
  unlimited: true,
  operation: {
    operationId: 'getMetrics',
    tag: 'operations',
    summary: "Get the service's metrics",
    description:
      'In the text format of Prometheus. Only callers on the machine of the service get them, without a proxy between; ' +
      'for others, the operator sets METRICS_PORT.',
    response: { description: 'All metrics.', schema: z.string() },
    refusals: ['forbidden'],
    example: {
      answer:
        '# HELP catalog_entries Adaptors in the catalog.\n# TYPE catalog_entries gauge\n' +
        'catalog_entries{network="testnet"} 9\n',
    },
  },
  async handler({ exchange }, { metrics }: HealthDependencies) {
    if (!isFromThisMachine(exchange.req)) {
      const detail =
        'Metrics are served here to callers on the same machine only. Use METRICS_PORT for a monitor on another machine.';
      throw problem('forbidden', detail);
    }
    const body = Buffer.from(await metrics.metrics());
    const { contentType } = metrics;
    await sendContent(exchange, { body, contentType, cacheControl: 'no-store', tag: computeDigest(body) });
  },
});

function createNotReadyError(errors: FieldError[]): ProblemError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problem('not_ready', detail, { errors });
}

const count = z.int().min(0);
const byState = z.record(z.string(), count);

const sourceStatus = z.object({
  name: z.string(),
  ready: z.boolean(),
  hasCursor: z
    .boolean()
    .describe(
      '`true` if the indexer can resume from a cursor of the node. A node without list indexes gives none, so every checkpoint is read.',
    ),
  readFrom: z
    .string()
    .nullable()
    .describe(
      'Host that the last progress came from: the node, or the archive or bucket while these bring what the node has pruned.',
    ),
  checkpoint: count.nullable().describe('Highest checkpoint covered in full.'),
  chainTip: count.nullable().describe('Highest checkpoint of the chain that a node has reported.'),
  lagSeconds: count.nullable().describe('Age of the covered checkpoint.'),
  secondsLeft: count
    .nullable()
    .describe(
      'Estimated seconds until it has caught up with the chain; null once it has, and while no rate is known.',
    ),
  events: count,
  undecodedEvents: count.describe('Kept raw because their bytes did not decode.'),
  lastError: z.string().nullable(),
  lastErrorMs: count.nullable(),
  stoppedMs: count
    .nullable()
    .describe('When the source stopped for good because of lastError; null while it runs or is retried.'),
  removedMs: count
    .nullable()
    .describe(
      'When the indexer was started without it: its data stays and becomes stale. Null while it is followed.',
    ),
});

const providerStatus = z.object({
  host: z.string(),
  inUse: z.boolean().describe('`true` for the provider that the sources follow.'),
  state: z.enum(['healthy', 'lagging', 'limited', 'failing']),
  reason: z.string().nullable().describe('Why it is not healthy.'),
  tip: count.nullable().describe('Newest checkpoint of the provider.'),
  lagMs: count
    .nullable()
    .describe('Chain time behind the newest tip of all providers; null if its tip is old.'),
  latencyMs: count.nullable().describe('Average time of a response.'),
  budget: count.nullable().describe('Maximum number of requests to it in 30 seconds; null without a budget.'),
  budgetLeft: count.nullable().describe('Requests that the budget still allowed after the last one.'),
  ageSeconds: count.describe('Age of these values: the indexer stores them every 5 seconds.'),
});

export const statusBody = z
  .object({
    networks: z.record(
      z.string(),
      z.object({
        chainId: z.string().nullable(),
        catalogVersion: count,
        sources: z.array(sourceStatus),
        off: z
          .array(z.enum(sourceNames))
          .describe(
            'Contracts that neither the settings nor the deployment file name. Features that need them are off.',
          ),
        walletLock: z
          .boolean()
          .nullable()
          .describe(
            'Whether wallets have the lock `wallet::action`. Without it, the agent uses only adaptors that the operator ' +
              'has confirmed. Null without a wallet package, and while the node does not answer.',
          ),
        providers: z.array(providerStatus).describe('Providers of the indexer, the one in use first.'),
        listings: z.object({
          listed: count,
          unlisted: count,
          badNames: count,
          manifestErrors: count,
          publisherChecks: byState,
          witnessChecks: byState,
        }),
        manifests: byState,
      }),
    ),
    unserved: z
      .partialRecord(z.enum(knownNetworks), z.string())
      .describe('Networks that have a node and no registry, each with the reason why they are not served.'),
    reads: readsStatus,
    webhooks: z.object({
      missing: count.describe(
        'Webhooks that the database knows and the key-value store has lost. They send nothing until the store has them again.',
      ),
    }),
  })
  .meta({
    id: 'Status',
    description: 'How far each source has read, and the state of the listings and manifests that it read.',
  });

const noListings: ListingCounts = {
  listed: 0,
  unlisted: 0,
  badNames: 0,
  manifestErrors: 0,
  publisherChecks: {},
  witnessChecks: {},
  manifests: {},
};

const example: z.infer<typeof statusBody> = {
  networks: {
    testnet: {
      chainId: '69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD',
      catalogVersion: 12,
      sources: [
        {
          name: 'registry',
          ready: true,
          hasCursor: true,
          readFrom: 'node.example:443',
          checkpoint: 2041,
          chainTip: 2041,
          lagSeconds: 1,
          secondsLeft: null,
          events: 96,
          undecodedEvents: 0,
          lastError: null,
          lastErrorMs: null,
          stoppedMs: null,
          removedMs: null,
        },
      ],
      off: ['rules', 'escrow', 'statements'],
      walletLock: true,
      providers: [
        {
          host: 'node.example:443',
          inUse: true,
          state: 'healthy',
          reason: null,
          tip: 2041,
          lagMs: 0,
          latencyMs: 48,
          budget: 100,
          budgetLeft: 21,
          ageSeconds: 2,
        },
      ],
      listings: {
        listed: 9,
        unlisted: 1,
        badNames: 0,
        manifestErrors: 0,
        publisherChecks: { verified: 9 },
        witnessChecks: { valid: 9 },
      },
      manifests: { verified: 9 },
    },
  },
  unserved: {},
  reads: { primaryShare: 1, replicas: [] },
  webhooks: { missing: 0 },
};

/** Index progress and listing counts, for an operator who finds the catalog behind or an adaptor missing. */
export const getStatus = route({
  method: 'get',
  path: '/status',
  alternative: 'text/html',
  operation: {
    operationId: 'getStatus',
    tag: 'operations',
    summary: 'Get how far each source has read',
    description:
      'It includes the states of the listings and manifests. Browsers get a page, with the last 24 hours.',
    response: { description: 'By network and source.', schema: statusBody },
    refusals: ['database_unavailable'],
    example: { answer: example },
  },
  async handler({ exchange }, dependencies: HealthDependencies & SiteDependencies) {
    if (!prefersHtml(exchange.req)) return await readStatus(dependencies);
    const { site, statusHistory, maxLagSeconds } = dependencies;
    await answerPage(exchange, {}, site, async ({ nowMs }) => {
      const [status, history, gas] = await Promise.all([
        readStatus(dependencies),
        statusHistory.readSources(),
        statusHistory.readGas(),
      ]);
      return statusPage({ status, history, gas, maxLagSeconds, nowMs });
    });
    return undefined;
  },
});

type StatusBody = z.infer<typeof statusBody>;

async function readStatus({
  db,
  reads,
  networks,
  unserved,
  walletLocks,
  maxLagSeconds,
}: HealthDependencies): Promise<StatusBody> {
  const [{ sources, catalogVersions }, providers, counts, missing] = await Promise.all([
    readIndexState(db),
    readProviders(db),
    readListingCounts(db),
    countLost(db),
  ]);
  const nowMs = Date.now();
  const describeNetwork = async (settings: NetworkPackages) => {
    const { network } = settings;
    const followed = listFollowedSources(settings);
    const networkSources = sources.filter((source) => source.network === network);
    const { manifests, ...listings } = counts.get(network) ?? noListings;
    return {
      chainId: networkSources[0]?.chainId ?? null,
      catalogVersion: catalogVersions.get(network) ?? 0,
      sources: networkSources.map((source) => describeSource(source, maxLagSeconds, nowMs)),
      off: sourceNames.filter((name) => !followed.includes(name)),
      walletLock: await walletLocks(network),
      providers: providers.filter((provider) => provider.network === network).map(describeProvider),
      listings,
      manifests,
    };
  };
  const byNetwork = await Promise.all(
    networks.map(async (settings) => [settings.network, await describeNetwork(settings)] as const),
  );
  return {
    networks: Object.fromEntries(byNetwork),
    unserved,
    reads: describeReads(reads),
    webhooks: { missing },
  };
}

const describeProvider = ({ network: _, ...provider }: StoredCondition) => provider;

function describeSource(source: SourceState, maxLagSeconds: number, nowMs: number) {
  return {
    name: source.name,
    ready: findReasonNotReady(source, maxLagSeconds, nowMs) === undefined,
    hasCursor: source.hasCursor,
    readFrom: source.provider === null ? null : (URL.parse(source.provider)?.host ?? null),
    checkpoint: source.checkpoint,
    chainTip: source.chainTip,
    lagSeconds: computeLag(source, nowMs),
    secondsLeft: source.secondsLeft,
    events: source.eventCount,
    undecodedEvents: source.undecodedCount,
    lastError: source.lastError,
    lastErrorMs: source.lastErrorAtMs,
    stoppedMs: source.stoppedAtMs,
    removedMs: source.removedAtMs,
  };
}
