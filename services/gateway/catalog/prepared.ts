import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Database } from '../../../db/client.ts';
import { type CatalogPage, readCatalog } from '../../../db/queries/catalog/list.ts';
import { boundPage } from '../../../lib/http/bounded-page.ts';
import { type Content, digestOf, type Representation, represent } from '../../../lib/http/exchange.ts';
import { type Encoding, encodings } from '../../../lib/http/negotiation.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { coalesce } from '../shared-work.ts';

/** Fresh within the two seconds that a publisher waits; a shared cache still takes a rush off this server. */
export const catalogCacheControl = 'public, max-age=1, stale-while-revalidate=5';

/** A network's whole catalog, or as much of it as fits an answer, in every encoding. */
type PreparedCatalog = Record<Encoding, Representation>;

export interface PreparedCatalogs {
  /** Undefined until it was first built. */
  get(network: string): PreparedCatalog | undefined;
  /** Rebuilds a network's response; resolves when it shows the state at the call or a later one. */
  rebuild(network: string): Promise<void>;
}

interface PreparedOptions {
  db: Database;
  networks: readonly string[];
  log: Logger;
  metrics: Registry;
}

/**
 * Rest between two rebuilds while changes keep coming, as they do while wallets act: a change after it is prepared
 * at once. Caches may hold an answer for a second, so nobody sees more than a few a second.
 */
const restMsMin = 250;
const restMsMax = 500;

/** Prepares each network's whole catalog once per change, so that a request costs no more than its bytes. */
export function prepareCatalogs(options: PreparedOptions): PreparedCatalogs {
  const { db, networks, log, metrics } = options;
  const prepared = new Map<string, PreparedCatalog>();
  const entries = new Gauge({
    name: 'catalog_entries',
    help: 'Adaptors in the catalog.',
    labelNames: ['network'],
    registers: [metrics],
  });
  const duration = new Histogram({
    name: 'catalog_rebuild_seconds',
    help: 'Time to read a catalog and prepare its bytes.',
    labelNames: ['network'],
    registers: [metrics],
  });

  const rebuilds = new Map(
    networks.map((network) => {
      let restUntilMs = 0;
      const rebuild = coalesce(async () => {
        await delay(Math.max(0, restUntilMs - performance.now()));
        const startedAtMs = performance.now();
        const page = await readCatalog(db.pool, { network });
        const body = catalogJson(network, page);
        const tag = `${page.version}-${digestOf(body)}`;
        if (prepared.get(network)?.identity.etag !== `"${tag}"`) {
          prepared.set(
            network,
            await prepare({ body, contentType: 'application/json', cacheControl: catalogCacheControl, tag }),
          );
        }
        const ms = performance.now() - startedAtMs;
        // A large catalog that changes all the time takes half of the time at most.
        restUntilMs = performance.now() + Math.min(Math.max(ms, restMsMin), restMsMax);
        entries.set({ network }, page.total);
        duration.observe({ network }, ms / 1000);
        log.debug(
          { network, entries: page.total, version: page.version, ms: Math.round(ms) },
          'catalog prepared',
        );
      });
      return [network, rebuild];
    }),
  );

  return {
    get: (network) => prepared.get(network),
    rebuild: async (network) => await rebuilds.get(network)?.(),
  };
}

/**
 * The body of `GET /api/adaptors`: 1,000 entries or 4 MB at most. `nextCursor` is present where something was left
 * out.
 */
export function catalogJson(network: string, { entries: items, cursors, hasMore }: CatalogPage): Buffer {
  const { items: adaptors, nextCursor } = boundPage({ items, cursors, hasMore });
  const head = JSON.stringify({ network, count: adaptors.length }).slice(0, -1);
  const tail = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
  return Buffer.from(`${head},"adaptors":[${adaptors.join(',')}]${tail}}`);
}

async function prepare(content: Content): Promise<PreparedCatalog> {
  const [br, gzip, identity] = await Promise.all(
    encodings.map((encoding) => represent(content, encoding, 'quality')),
  );
  return { br: br!, gzip: gzip!, identity: identity! };
}
