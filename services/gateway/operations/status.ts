import { z } from 'zod';
import type { Database } from '../../../db/client.ts';
import {
  type ListingCounts,
  readIndexState,
  readListingCounts,
  type SourceState,
} from '../../../db/queries/state.ts';
import { sendJson } from '../respond/representation.ts';
import type { Exchange } from '../server/exchange.ts';
import { lagSeconds, reasonNotReady } from './health.ts';

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

/** `GET /status`: what an operator looks at when the catalog is behind or an adaptor is missing from it. */
export function status(db: Database, networks: readonly string[], maxLagSeconds: number) {
  return async (exchange: Exchange): Promise<void> => {
    const [{ sources, catalogVersions }, counts] = await Promise.all([
      readIndexState(db.pool),
      readListingCounts(db.pool),
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
    const body = { networks: Object.fromEntries(networks.map((network) => [network, ofNetwork(network)])) };
    await sendJson(exchange, body satisfies z.infer<typeof statusBody>, 'no-store');
  };
}

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
