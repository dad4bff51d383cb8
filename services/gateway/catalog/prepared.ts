import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { type FirstPage, FirstPageReader, type PageKey } from '../../../db/queries/catalog/first-page.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import { inSnapshot } from '../../../db/transaction.ts';
import { coalesce } from '../../../lib/concurrency/single-flight.ts';
import {
  buildEtag,
  type Content,
  computeDigest,
  type Exchange,
  isAlreadyHeld,
  type Representation,
  represent,
  type Step,
  sendNotModified,
  sendRepresentation,
} from '../../../lib/http/exchange.ts';
import { accepts, chooseEncoding, type Encoding } from '../../../lib/http/negotiation.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { commonHeaders } from '../access/attempts.ts';
import type { IndexWatch } from '../live/watch.ts';
import { ListingTraces } from './listing-traces.ts';
import { buildPageParts, createBlockJoiner, type Fragment, renderPage } from './render.ts';

/** Fresh within the two seconds that a publisher waits. A shared cache still absorbs a burst of requests. */
export const catalogCacheControl = 'public, max-age=1, stale-while-revalidate=5';

/** A network's whole catalog, or as much of it as fits an answer. Each encoding is made at its first request. */
interface PreparedCatalog {
  tag: string;
  /** A promise only while the encoding is made, so that every other request is answered at once. */
  getRepresentation(encoding: Encoding): Representation | Promise<Representation>;
  traces: ListingTraces;
}

interface PreparedCatalogs {
  /** Undefined until the first build. */
  get(network: string): PreparedCatalog | undefined;
  /** Rebuilds a network's response; resolves when it shows the state at the call or a later one. */
  rebuild(network: string): Promise<void>;
}

interface PreparedOptions {
  reads: ReadPools;
  networks: readonly string[];
  log: Logger;
  metrics: Registry;
}

/**
 * Pause between two rebuilds while changes keep coming, as they do while wallets act. A change after the pause is
 * prepared at once. A commit waits for at most one pause and two rebuilds.
 */
const restMsMin = 50;
const restMsMax = 150;

/** Four buckets for each doubling, from a millisecond to half a minute. */
const showBuckets = Array.from({ length: 60 }, (_, at) => Number((0.001 * 2 ** (at / 4)).toPrecision(3)));

/** Prepares each network's whole catalog once per change, at the cost of the entries that changed. */
export function prepareCatalogs(options: PreparedOptions): PreparedCatalogs {
  const { reads, networks, log, metrics } = options;
  const prepared = new Map<string, PreparedCatalog>();
  const entries = new Gauge({
    name: 'catalog_entries',
    help: 'Adaptors in the catalog, counted up to 10,000.',
    labelNames: ['network'],
    registers: [metrics],
  });
  const duration = new Histogram({
    name: 'catalog_rebuild_seconds',
    help: 'Time to read what changed in a catalog and prepare its bytes.',
    labelNames: ['network'],
    registers: [metrics],
  });
  const shownAfter = new Histogram({
    name: 'catalog_show_seconds',
    help: 'Time from the beginning of the transaction that changed a catalog until its bytes are prepared.',
    labelNames: ['network'],
    buckets: showBuckets,
    registers: [metrics],
  });
  const rendered = new Counter({
    name: 'catalog_entries_rendered_total',
    help: 'Entries that were read and rendered because they were new or had changed.',
    labelNames: ['network'],
    registers: [metrics],
  });

  const rebuilds = new Map(
    networks.map((network) => {
      let restUntilMs = 0;
      let fragments = new Map<string, Fragment>();
      const reader = new FirstPageReader(network);
      const traces = new ListingTraces(network);
      const join = createBlockJoiner();
      const rebuild = coalesce(async () => {
        await delay(Math.max(0, restUntilMs - performance.now()));
        const startedAtMs = performance.now();
        const cpuAtStart = process.threadCpuUsage();
        // The page has one entry for each service type.
        const findUnchanged = (key: PageKey) => {
          const fragment = fragments.get(key.serviceType);
          return fragment && isSame(fragment.key, key) ? fragment : undefined;
        };
        const read = async (client: Queryable) => {
          const page = await reader.read(client);
          const readAtMs = performance.now();
          const changedKeys = page.keys.filter((key) => !findUnchanged(key));
          return {
            page,
            readAtMs,
            versions: await traces.readNew(client, changedKeys),
            ...(await renderPage(client, network, page.keys, findUnchanged)),
          };
        };
        const { page, readAtMs, versions, shown, changed } = await reads
          .begin()
          .run((pool) => inSnapshot(pool, read));
        fragments = new Map(shown.map((fragment) => [fragment.key.serviceType, fragment]));
        const content = buildContent(network, page, shown, join);
        if (prepared.get(network)?.tag !== content.tag) {
          prepared.set(network, await prepareCatalog(content, traces));
        }
        traces.recordPrepared(versions, startedAtMs);
        const ms = performance.now() - startedAtMs;
        // The pause is as long as the CPU time of the rebuild, within its bounds, so that rebuilds leave time for
        // requests. Waits for the database take no CPU time.
        const { user, system } = process.threadCpuUsage(cpuAtStart);
        const busyMs = (user + system) / 1_000;
        restUntilMs = performance.now() + Math.min(Math.max(busyMs, restMsMin), restMsMax);
        shownAfter.observe({ network }, (page.ageMs + performance.now() - readAtMs) / 1000);
        entries.set({ network }, page.total);
        rendered.inc({ network }, changed);
        duration.observe({ network }, ms / 1000);
        log.debug(
          { network, entries: page.total, changed, version: page.version, ms: Math.round(ms) },
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

const isSame = (a: PageKey, b: PageKey) =>
  a.revision === b.revision && a.alike === b.alike && a.publisher === b.publisher;

/**
 * Returns the body with a tag that costs no pass over its bytes. The tag stays the same if a change is not on the page.
 */
function buildContent(
  network: string,
  page: FirstPage,
  shown: readonly Fragment[],
  join: ReturnType<typeof createBlockJoiner>,
): Content {
  const parts = buildPageParts(network, { ...page, count: page.keys.length }, shown, join);
  return {
    // A small body is sent fastest in one piece.
    body: countBytes(parts) > largeBytesMin ? parts : Buffer.concat(parts),
    contentType: 'application/json',
    cacheControl: catalogCacheControl,
    tag: computeDigest(
      Buffer.concat([parts[0]!, parts.at(-1)!, ...shown.map((fragment) => fragment.digest)]),
    ),
  };
}

/** From this many bytes, the best compression takes longer than a change may take to be seen. */
const largeBytesMin = 1_000_000;

const countBytes = (parts: readonly Buffer[]) => parts.reduce((sum, part) => sum + part.byteLength, 0);

async function prepareCatalog(content: Content, traces: ListingTraces): Promise<PreparedCatalog> {
  const aim = 'byteLength' in content.body ? 'quality' : 'speed';
  const made = new Map<Encoding, Representation | Promise<Representation>>();
  made.set('identity', await represent(content, 'identity', aim));
  return {
    tag: content.tag,
    traces,
    getRepresentation(encoding) {
      const known = made.get(encoding);
      if (known) return known;
      const making = represent(content, encoding, aim).then(
        (representation) => {
          made.set(encoding, representation);
          return representation;
        },
        (error) => {
          made.delete(encoding);
          throw error;
        },
      );
      made.set(encoding, making);
      return making;
    },
  };
}

/** Sends the whole catalog. Returns a promise only if its encoding is not ready yet. */
export function sendPrepared(
  exchange: Exchange,
  catalog: PreparedCatalog,
  encoding: Encoding,
  extra: readonly string[] = [],
): Promise<void> | undefined {
  const etag = buildEtag(catalog.tag, encoding);
  if (isAlreadyHeld(exchange.req, etag)) {
    sendNotModified(exchange, { etag, cacheControl: catalogCacheControl }, extra);
    return undefined;
  }
  catalog.traces.recordSent(exchange);
  const representation = catalog.getRepresentation(encoding);
  if (!(representation instanceof Promise)) {
    sendRepresentation(exchange, representation, extra);
    return undefined;
  }
  return representation.then((made) => sendRepresentation(exchange, made, extra));
}

export interface CatalogSource {
  prepared: PreparedCatalogs;
  watch: IndexWatch;
}

const constantHeaders = commonHeaders.flat();

/**
 * Answers requests for the whole catalog from prepared bytes, before every step that costs time. An unusual request
 * (another spelling of the query, an accept header that refuses JSON) is left to the route, which gives the same
 * response or an error.
 */
export function createHotCatalog(
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
    const sending = sendPrepared(exchange, catalog, encoding, [
      ...constantHeaders,
      ...buildRequestHeaders(exchange, watch.catalogCheckpoint(network)),
    ]);
    return sending === undefined ? true : sending.then(() => true);
  };
}

function buildRequestHeaders({ requestId }: Exchange, checkpoint: number | undefined): string[] {
  const headers = ['x-request-id', requestId];
  if (checkpoint !== undefined) headers.push('x-indexed-checkpoint', String(checkpoint));
  return headers;
}
