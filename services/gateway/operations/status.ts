import { z } from 'zod';
import {
  type ListingCounts,
  readIndexState,
  readListingCounts,
  type SourceState,
} from '../../../db/queries/state.ts';
import { sendJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { type HealthDependencies, lagSeconds, reasonNotReady } from './health.ts';

const count = z.int().min(0);
const byState = z.record(z.string(), count);

const sourceStatus = z.object({
  name: z.string(),
  ready: z.boolean(),
  hasCursor: z.boolean().describe('Whether a node has given a place to resume from.'),
  checkpoint: count.nullable().describe('Highest checkpoint covered in full.'),
  chainTip: count.nullable().describe('Highest checkpoint of the chain when last heard of.'),
  lagSeconds: count.nullable().describe('Age of the covered checkpoint.'),
  events: count,
  undecodedEvents: count.describe('Kept raw because their bytes did not decode.'),
  lastError: z.string().nullable(),
  lastErrorMs: count.nullable(),
  stoppedMs: count
    .nullable()
    .describe('When the source stopped for good, for lastError; null while it runs or is being retried.'),
  removedMs: count
    .nullable()
    .describe(
      'When the indexer was started without it: what it read stays, and grows old. Null while followed.',
    ),
});

export const statusBody = z
  .object({
    networks: z.record(
      z.string(),
      z.object({
        chainId: z.string().nullable(),
        catalogVersion: count,
        sources: z.array(sourceStatus),
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
  })
  .meta({ id: 'Status', description: 'How far each source has read, and how what it read was judged.' });

const none: ListingCounts = {
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
          checkpoint: 2041,
          chainTip: 2041,
          lagSeconds: 1,
          events: 96,
          undecodedEvents: 0,
          lastError: null,
          lastErrorMs: null,
          stoppedMs: null,
          removedMs: null,
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
};

/** What an operator looks at when the catalog is behind, or an adaptor is missing from it. */
export const getStatus = route({
  method: 'get',
  path: '/status',
  operation: {
    operationId: 'getStatus',
    tag: 'operations',
    summary: 'Get how far each source has read',
    description: 'Also how the listings and manifests that it read were judged.',
    response: { description: 'By network and source.', schema: statusBody },
    conditional: true,
    refusals: ['database_unavailable'],
    example: { answer: example },
  },
  async handler({ exchange }, { db, networks, maxLagSeconds }: HealthDependencies) {
    const [{ sources, catalogVersions }, counts] = await Promise.all([
      readIndexState(db),
      readListingCounts(db),
    ]);
    const nowMs = Date.now();
    const ofNetwork = (network: string) => {
      const own = sources.filter((source) => source.network === network);
      const { manifests, ...listings } = counts.get(network) ?? none;
      return {
        chainId: own[0]?.chainId ?? null,
        catalogVersion: catalogVersions.get(network) ?? 0,
        sources: own.map((source) => describeSource(source, maxLagSeconds, nowMs)),
        listings,
        manifests,
      };
    };
    const byNetwork = networks.map(({ network }) => [network, ofNetwork(network)] as const);
    const body: z.infer<typeof statusBody> = { networks: Object.fromEntries(byNetwork) };
    await sendJson(exchange, body);
  },
});

function describeSource(source: SourceState, maxLagSeconds: number, nowMs: number) {
  return {
    name: source.name,
    ready: reasonNotReady(source, maxLagSeconds, nowMs) === undefined,
    hasCursor: source.hasCursor,
    checkpoint: source.checkpoint,
    chainTip: source.chainTip,
    lagSeconds: lagSeconds(source, nowMs),
    events: source.eventCount,
    undecodedEvents: source.undecodedCount,
    lastError: source.lastError,
    lastErrorMs: source.lastErrorAtMs,
    stoppedMs: source.stoppedAtMs,
    removedMs: source.removedAtMs,
  };
}
