import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Database } from '../../../db/client.ts';
import { type CatalogPage, readCatalog } from '../../../db/queries/catalog/list.ts';
import { boundPage } from '../../../lib/http/bounded-page.ts';
import {
  type Content,
  digestOf,
  type Exchange,
  type Representation,
  represent,
  type Step,
  sendRepresentation,
} from '../../../lib/http/exchange.ts';
import { accepts, chooseEncoding, type Encoding, encodings } from '../../../lib/http/negotiation.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { commonHeaders } from '../access/attempts.ts';
import { coalesce } from '../concurrency/shared-work.ts';
import type { IndexWatch } from '../live/watch.ts';

/** Fresh within the two seconds that a publisher waits; a shared cache still takes a rush off this server. */
export const catalogCacheControl = 'public, max-age=1, stale-while-revalidate=5';

/** A network's whole catalog, or as much of it as fits an answer, in every encoding. */
type PreparedCatalog = Record<Encoding, Representation>;

interface PreparedCatalogs {
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

export interface CatalogSource {
  prepared: PreparedCatalogs;
  watch: IndexWatch;
}

const constantHeaders = commonHeaders.flat();

/**
 * Answers the whole catalog from prepared bytes, ahead of everything that costs time. Whatever is unusual about
 * a request (another spelling of the query, an accept header that refuses JSON) is left to the route, which
 * gives the same answer or says what is wrong.
 */
export function hotCatalog(
  { prepared, watch }: CatalogSource,
  networks: readonly string[],
  defaultNetwork: string,
): Step {
  const networkByUrl = new Map([
    ['/api/adaptors', defaultNetwork],
    ...networks.map((network): [string, string] => [`/api/adaptors?network=${network}`, network]),
  ]);
  return (exchange) => {
    const { req } = exchange;
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    const network = networkByUrl.get(req.url ?? '');
    const catalog = network === undefined ? undefined : prepared.get(network);
    const encoding = chooseEncoding(req);
    if (network === undefined || !catalog || !encoding || !accepts(req, 'application/json')) return false;
    exchange.route = '/api/adaptors';
    sendRepresentation(exchange, catalog[encoding], [
      ...constantHeaders,
      ...freshness(exchange, watch.checkpoint(network, 'registry')),
    ]);
    return true;
  };
}

function freshness({ requestId }: Exchange, checkpoint: number | undefined): string[] {
  const headers = ['x-request-id', requestId];
  if (checkpoint !== undefined) headers.push('x-indexed-checkpoint', String(checkpoint));
  return headers;
}
