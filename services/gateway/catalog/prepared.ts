import { createHash } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Database } from '../../../db/client.ts';
import type { CatalogEntry } from '../../../db/queries/catalog/entry.ts';
import {
  type FirstPage,
  type PageKey,
  readFirstEntries,
  readFirstPage,
} from '../../../db/queries/catalog/first-page.ts';
import type { CatalogPage } from '../../../db/queries/catalog/list.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { inSnapshot } from '../../../db/transaction.ts';
import { answerBytesMax, boundPage } from '../../../lib/http/bounded-page.ts';
import {
  alreadyHeld,
  type Content,
  digestOf,
  type Exchange,
  etagOf,
  type Representation,
  represent,
  type Step,
  sendNotModified,
  sendRepresentation,
} from '../../../lib/http/exchange.ts';
import { accepts, chooseEncoding, type Encoding } from '../../../lib/http/negotiation.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { commonHeaders } from '../access/attempts.ts';
import { coalesce } from '../concurrency/shared-work.ts';
import type { IndexWatch } from '../live/watch.ts';

/** Fresh within the two seconds that a publisher waits; a shared cache still takes a rush off this server. */
export const catalogCacheControl = 'public, max-age=1, stale-while-revalidate=5';

/** A network's whole catalog, or as much of it as fits an answer. Each encoding is made at its first request. */
interface PreparedCatalog {
  tag: string;
  /** A promise only while the encoding is made, so that every other request is answered at once. */
  in(encoding: Encoding): Representation | Promise<Representation>;
}

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
 * Rest between two rebuilds while changes keep coming, as they do while wallets act. A change after it is prepared at
 * once. A commit waits for at most one rest and two rebuilds.
 */
const restMsMin = 50;
const restMsMax = 150;

/** Prepares each network's whole catalog once per change, at the cost of the entries that changed. */
export function prepareCatalogs(options: PreparedOptions): PreparedCatalogs {
  const { db, networks, log, metrics } = options;
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
      const rebuild = coalesce(async () => {
        await delay(Math.max(0, restUntilMs - performance.now()));
        const startedAtMs = performance.now();
        const { page, shown, changed } = await inSnapshot(db.pool, async (client) => {
          const page = await readFirstPage(client, network);
          return { page, ...(await renderPage(client, network, page, fragments)) };
        });
        fragments = new Map(shown.map((fragment) => [fragment.key.serviceType, fragment]));
        const content = contentOf(network, page, shown);
        if (prepared.get(network)?.tag !== content.tag) prepared.set(network, await prepare(content));
        const ms = performance.now() - startedAtMs;
        // A large catalog that changes all the time takes half of the time at most.
        restUntilMs = performance.now() + Math.min(Math.max(ms, restMsMin), restMsMax);
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

/** An entry as the page shows it. */
interface Fragment {
  key: PageKey;
  /** Undefined where the entry has no manifest, and so is not shown. */
  json: Buffer | undefined;
  digest: Buffer;
}

/** Entries, and bytes of their manifests, that are read at a time: their parsing must not hold up requests. */
const batchMax = 64;
const batchBytesMax = 256 * 1024;
/** How long rendering may hold up requests, in milliseconds. */
const renderMsMax = 4;

/** The fragments that fit an answer, of which only those are read and rendered that are not in `known`. */
async function renderPage(
  db: Queryable,
  network: string,
  { keys }: FirstPage,
  known: ReadonlyMap<string, Fragment>,
): Promise<{ shown: Fragment[]; changed: number }> {
  // Shown entries stand for their service types, so that there is one of each.
  const fragments = keys.map((key) => {
    const fragment = known.get(key.serviceType);
    return fragment && isSame(fragment.key, key) ? fragment : undefined;
  });
  let changed = 0;

  async function readMissing(from: number): Promise<void> {
    const missing: number[] = [];
    for (let at = from; at < keys.length && missing.length < batchMax; at++) {
      if (!fragments[at]) missing.push(at);
    }
    const wanted = missing.map((at) => keys[at]!);
    const entries = await readFirstEntries(db, network, wanted, batchBytesMax);
    changed += entries.length;
    let begunMs = performance.now();
    for (const [nth, entry] of entries.entries()) {
      const json = entry && Buffer.from(JSON.stringify(viewOf(entry)));
      const digest = createHash('sha256')
        .update(json ?? '')
        .digest();
      fragments[missing[nth]!] = { key: wanted[nth]!, json, digest };
      if (performance.now() - begunMs < renderMsMax) continue;
      await nextTurn();
      begunMs = performance.now();
    }
  }

  const shown: Fragment[] = [];
  let bytes = 0;
  for (let at = 0; at < keys.length; at++) {
    if (!fragments[at]) await readMissing(at);
    const fragment = fragments[at]!;
    bytes += fragment.json ? fragment.json.byteLength + 1 : 0;
    if (shown.length > 0 && bytes > answerBytesMax) break;
    shown.push(fragment);
  }
  return { shown, changed };
}

const isSame = (a: PageKey, b: PageKey) =>
  a.revision === b.revision && a.alike === b.alike && a.publisher === b.publisher;

/** The body under a tag that costs no pass over its bytes, and stays where a change is not on the page. */
function contentOf(network: string, page: FirstPage, shown: readonly Fragment[]): Content {
  const adaptors = shown.flatMap(({ json }) => json ?? []);
  const goesOn = page.hasMore || shown.length < page.keys.length;
  const nextCursor = goesOn ? page.cursorAt(shown.length - 1) : undefined;
  const [head, tail] = frameOf(network, adaptors.length, page.total, nextCursor);
  const comma = Buffer.from(',');
  const parts = [Buffer.from(head), Buffer.from(tail), ...shown.map((fragment) => fragment.digest)];
  return {
    body: Buffer.concat([
      Buffer.from(head),
      ...adaptors.flatMap((json, at) => (at === 0 ? [json] : [comma, json])),
      Buffer.from(tail),
    ]),
    contentType: 'application/json',
    cacheControl: catalogCacheControl,
    tag: digestOf(Buffer.concat(parts)),
  };
}

/** What stands before and behind the entries of `GET /api/adaptors`. */
function frameOf(
  network: string,
  count: number,
  total: number,
  nextCursor: string | undefined,
): [head: string, tail: string] {
  const head = `${JSON.stringify({ network, count, total }).slice(0, -1)},"adaptors":[`;
  return [head, nextCursor === undefined ? ']}' : `],"nextCursor":${JSON.stringify(nextCursor)}}`];
}

/** An entry as REST shows it: the package of a version that is not verified is for the agent alone. */
export function viewOf({ pending, ...entry }: CatalogEntry) {
  const { version, manifestUri, state } = pending ?? {};
  return { ...entry, pending: pending && { version, manifestUri, state } };
}

/**
 * The body of `GET /api/adaptors`: 1,000 entries or 4 MB at most. `nextCursor` is present where something was left
 * out.
 */
export function catalogJson(network: string, page: CatalogPage): Buffer {
  const { entries, cursors, hasMore } = page;
  const { items: adaptors, nextCursor } = boundPage({ items: entries.map(viewOf), cursors, hasMore });
  const [head, tail] = frameOf(network, adaptors.length, page.total, nextCursor);
  return Buffer.from(head + adaptors.join(',') + tail);
}

/** Above this many bytes the best compression takes longer than a change may take to be seen. */
const qualityBytesMax = 1_000_000;

async function prepare(content: Content): Promise<PreparedCatalog> {
  const aim = content.body.byteLength > qualityBytesMax ? 'speed' : 'quality';
  const made = new Map<Encoding, Representation | Promise<Representation>>();
  made.set('identity', await represent(content, 'identity', aim));
  return {
    tag: content.tag,
    in(encoding) {
      const found = made.get(encoding);
      if (found) return found;
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

/** Sends the whole catalog. Returns a promise only where its encoding is not made yet. */
export function sendPrepared(
  exchange: Exchange,
  catalog: PreparedCatalog,
  encoding: Encoding,
  extra: readonly string[] = [],
): Promise<void> | undefined {
  const etag = etagOf(catalog.tag, encoding);
  if (alreadyHeld(exchange.req, etag)) {
    sendNotModified(exchange, etag, catalogCacheControl, extra);
    return undefined;
  }
  const representation = catalog.in(encoding);
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
    const sending = sendPrepared(exchange, catalog, encoding, [
      ...constantHeaders,
      ...freshness(exchange, watch.checkpoint(network, 'registry')),
    ]);
    return sending === undefined ? true : sending.then(() => true);
  };
}

function freshness({ requestId }: Exchange, checkpoint: number | undefined): string[] {
  const headers = ['x-request-id', requestId];
  if (checkpoint !== undefined) headers.push('x-indexed-checkpoint', String(checkpoint));
  return headers;
}
