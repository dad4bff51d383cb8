import type { PageKey } from '../../../db/queries/catalog/first-page.ts';
import {
  readVersionCheckpoints,
  type VersionCheckpoint,
} from '../../../db/queries/catalog/version-checkpoints.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { startServerSpan } from '../../../lib/http/server-span.ts';
import { getTracing, type SpanContext, toEpochMs } from '../../../lib/tracing/tracing.ts';

/** A version of a listing that the catalog began to show. */
interface NewVersion extends VersionCheckpoint {
  revision: number;
}

/** Versions whose first response is awaited; beyond it the oldest are dropped. */
const unsentMax = 100;

/**
 * The end of the trace that begins with a listing's checkpoint: its version is prepared, and a reader gets it first.
 * Changes that are not a new version, such as use, have no trace.
 */
export class ListingTraces {
  readonly #network: string;
  /** Checkpoint of the version that the catalog shows, by service type; undefined before the first page. */
  #shown: Map<string, number> | undefined;
  #unsent: { revision: number; context: SpanContext }[] = [];

  constructor(network: string) {
    this.#network = network;
  }

  /** Reads which of the changed entries show a new version, in the snapshot of the page. */
  async readNew(client: Queryable, changed: readonly PageKey[]): Promise<NewVersion[]> {
    if (!getTracing() || changed.length === 0) return [];
    const versions = await readVersionCheckpoints(client, this.#network, 'catalog_entries', changed);
    const revisions = new Map(changed.map(({ serviceType, revision }) => [serviceType, revision]));
    const isFirst = this.#shown === undefined;
    const shown = this.#shown ?? new Map<string, number>();
    this.#shown = shown;
    const fresh = versions.filter(({ serviceType, checkpoint }) => shown.get(serviceType) !== checkpoint);
    for (const { serviceType, checkpoint } of fresh) shown.set(serviceType, checkpoint);
    // The first page shows what was there before this process.
    if (isFirst) return [];
    return fresh.map((version) => ({ ...version, revision: revisions.get(version.serviceType)! }));
  }

  /** @param begunMs `performance.now()` when the page was begun */
  recordPrepared(versions: readonly NewVersion[], begunMs: number): void {
    const tracing = getTracing();
    if (!tracing) return;
    for (const { chainId, checkpoint, revision } of versions) {
      const parent = tracing.locate(['checkpoint', chainId, 'registry', checkpoint]);
      const span = tracing.start('prepare catalog', {
        parent,
        startMs: toEpochMs(begunMs),
        attributes: { 'marketplace.network': this.#network, 'marketplace.revision': revision },
      });
      span.end();
      this.#unsent.push({ revision, context: span.spanContext() });
    }
    this.#unsent = this.#unsent.slice(-unsentMax);
  }

  /** Records the first response with each version, for a response with all after `since`, up to `upTo`. */
  recordSent(exchange: Exchange, since = 0, upTo = Number.POSITIVE_INFINITY): void {
    const tracing = this.#unsent.length > 0 ? getTracing() : undefined;
    if (!tracing) return;
    const isSent = ({ revision }: { revision: number }) => revision > since && revision <= upTo;
    const sent = this.#unsent.filter(isSent);
    this.#unsent = this.#unsent.filter((one) => !isSent(one));
    const request = startServerSpan(tracing, exchange);
    for (const { context: parent } of sent) {
      const links = [request.spanContext()];
      const startMs = toEpochMs(exchange.startedAtMs);
      const span = tracing.start('send catalog', { kind: 'producer', parent, startMs, links });
      request.addLink({ context: span.spanContext() });
      exchange.res.once('close', () => span.end());
    }
  }
}
