import { followAction } from './actions.ts';
import { GraphError, toConnectionError } from './errors.ts';
import { type EventsOptions, followEvents } from './events.ts';
import { createClient, createConfig } from './generated/client/index.ts';
import {
  type AgentActionRequest,
  type AgentRunStep,
  Calls,
  type Catalog,
  type CatalogEntry,
  type Event,
  type ListAdaptorsData,
  type PackageSource,
  type ServiceEvent,
} from './generated/index.ts';
import { pages } from './paging.ts';
import { createSend, limitBody, type MarketplaceOptions } from './requests.ts';
import { awaitVerdict, offerSource, type SourceOfferRequest } from './sources.ts';

/**
 * The operations of the OpenAPI document, by operation id. They throw `MarketplaceError` for an error response and
 * `ConnectionError` without a response. For the streams, use `events()`, `serviceEvents()` and `runAction()` of the
 * marketplace.
 */
export type MarketplaceCalls = Omit<
  Calls,
  'runAction' | 'streamEvents' | 'streamServiceEvents' | 'streamRun'
>;

/** Filters and order of the catalog. */
export type CatalogQuery = Omit<NonNullable<ListAdaptorsData['query']>, 'cursor' | 'sinceRevision'>;

/** A client of one marketplace. It sends its credentials to `baseUrl` only, and retries reads that fail temporarily. */
export interface Marketplace {
  readonly baseUrl: string;
  readonly api: MarketplaceCalls;
  /**
   * Runs a GraphQL query and returns its data.
   * @throws GraphError if the API refuses the query or a part of it fails
   */
  query<Data>(document: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Yields the matching entries of the catalog, from all pages. */
  adaptors(query?: CatalogQuery): AsyncGenerator<CatalogEntry, void>;
  /**
   * Yields the registry's events in the order of the chain, each once, until the signal aborts. After a disconnect the
   * stream continues after the last event. Store the `cursor` of an event to continue after it later.
   * @throws MarketplaceError if the marketplace refuses the stream; ConnectionError if it was never reached; the
   * signal's reason
   */
  events(options?: EventsOptions): AsyncGenerator<Event, void>;
  /**
   * Yields the service's own events, such as updates that may do more and quarantines, in the order of their numbers and
   * otherwise as `events()` does. Store the `id` of an event to continue after it later.
   * @throws as `events()`
   */
  serviceEvents(options?: EventsOptions): AsyncGenerator<ServiceEvent, void>;
  /**
   * Runs an action of a wallet, and yields each step when it happens. It needs an executor key or a session as `token`.
   * After a disconnect it attaches to the same run again, by the `requestId`. Leaving the loop does not stop the run.
   * @throws ActionError after the step that failed; MarketplaceError if the marketplace refuses the action;
   * ConnectionError if the run is lost: it may go on, and the same `requestId` attaches to it
   */
  runAction(
    action: AgentActionRequest,
    options?: { signal?: AbortSignal | undefined },
  ): AsyncGenerator<AgentRunStep, void>;
  /**
   * Offers the source of a listed package, which the marketplace builds and compares with the code on chain. The result is
   * `pending`, or the verdict if the same source was compared before. An offer that is sent again is the same offer.
   * @throws MarketplaceError if the marketplace refuses the source, or has too many offers; ConnectionError
   */
  offerSource(
    offer: SourceOfferRequest,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<PackageSource>;
  /**
   * Waits until an offer has a verdict. It has no timeout of its own: the marketplace builds one source at a time.
   * @throws MarketplaceError `offer_not_found` if better and newer offers replaced it; ConnectionError; the signal's reason
   */
  awaitVerdict(
    source: Pick<PackageSource, 'packageId' | 'network' | 'offer'>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<PackageSource>;
  /**
   * Offers the source of a listed package, and waits for its verdict: `offerSource` and `awaitVerdict`.
   * @example const { verdict, modules } = await market.verifySource({ source: zipFile, packageId: '0x62d8…' });
   * @throws as both of them
   */
  verifySource(
    offer: SourceOfferRequest,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<PackageSource>;
}

/** The slowest request is a draft: the service introspects, stores and reads it back before it responds. */
const timeoutMs = 180_000;
/** Bound on one response: a catalog of a thousand entries whose manifests have the largest size. */
const bytesMax = 64 * 1024 * 1024;

/** Returns the url without its last slash. `localhost:8080` parses as a url too, whose scheme is `localhost:`. */
function normalizeBaseUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).href.replace(/\/$/, '');
  throw new TypeError(`baseUrl: "${text}" is not a url that begins with http:// or https://.`);
}

/** Refuses a credential that no header can carry, such as one that was copied with an ellipsis. It is not in the message. */
function requireHeaderText(name: string, text = ''): void {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text.trim()))
    throw new TypeError(`${name}: it has a character that no header can carry.`);
}

/**
 * Creates a client of one marketplace. It opens no connection until the first call.
 * @throws TypeError if `baseUrl` is not a url that begins with http:// or https://, or if no header can carry a credential
 */
export function createMarketplace(options: MarketplaceOptions): Marketplace {
  const baseUrl = normalizeBaseUrl(options.baseUrl);
  requireHeaderText('apiKey', options.apiKey);
  requireHeaderText('token', options.token);
  const send = createSend(options);
  // The generated client sends each `Request` alone, with the caller's signal.
  const fetch: typeof globalThis.fetch = async (request) =>
    limitBody(await send(request as Request, { timeoutMs }), bytesMax);
  const client = createClient(createConfig({ baseUrl, fetch, throwOnError: true }));
  client.interceptors.error.use((error, _response, request) => toConnectionError(error, request?.signal));
  const api = new Calls({ client });
  return {
    baseUrl,
    api,
    async query<Data>(query: string, variables?: Record<string, unknown>) {
      const { data: result } = await client.post<{ 200: { data?: Data; errors?: unknown } }, unknown, true>({
        url: '/graphql',
        body: { query, variables },
        parseAs: 'json',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      });
      if (Array.isArray(result.errors)) throw new GraphError(result.errors);
      return result.data as Data;
    },
    async *adaptors(query = {}) {
      const read = (cursor: string | undefined) =>
        // Without `sinceRevision` the response is a catalog.
        api.listAdaptors({
          query: { ...query, ...(cursor !== undefined && { cursor }) },
        }) as Promise<Catalog>;
      for await (const { adaptors } of pages(read)) yield* adaptors;
    },
    events: (stream) => followEvents(send, baseUrl, 'events', stream),
    serviceEvents: (stream) => followEvents(send, baseUrl, 'service-events', stream),
    runAction: (action, { signal } = {}) => followAction(send, baseUrl, action, { signal }),
    offerSource: (offer, { signal } = {}) => offerSource(send, baseUrl, offer, signal),
    awaitVerdict: (source, { signal } = {}) => awaitVerdict(send, baseUrl, source, signal),
    async verifySource(offer, { signal } = {}) {
      const offered = await offerSource(send, baseUrl, offer, signal);
      return offered.verdict === 'pending' ? await awaitVerdict(send, baseUrl, offered, signal) : offered;
    },
  };
}
