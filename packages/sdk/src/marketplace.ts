import { followAction } from './actions.ts';
import { ConnectionError, GraphError, MarketplaceError } from './errors.ts';
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
} from './generated/index.ts';
import { pages } from './paging.ts';
import { bounded, createSend, type MarketplaceOptions } from './requests.ts';

/**
 * The operations of the OpenAPI document, under their operation ids. They throw `MarketplaceError` for an error
 * response. `events()` and `runAction()` of the marketplace stand for the streams.
 */
export type MarketplaceCalls = Omit<Calls, 'runAction' | 'streamEvents' | 'streamRun'>;

/** Filters and order of the catalog. */
export type CatalogQuery = Omit<NonNullable<ListAdaptorsData['query']>, 'cursor' | 'sinceRevision'>;

export interface Marketplace {
  readonly baseUrl: string;
  readonly api: MarketplaceCalls;
  /**
   * The data of a query of the graph.
   * @throws GraphError where the graph refuses it or a part of it fails
   */
  query<Data>(document: string, variables?: Record<string, unknown>): Promise<Data>;
  /** The entries of the catalog that match, from all pages. */
  adaptors(query?: CatalogQuery): AsyncGenerator<CatalogEntry, void>;
  /**
   * The registry's events in the order of the chain, each once, until the signal aborts. After a cut the stream
   * continues behind the last event. Keep the `cursor` of an event to continue behind it later.
   * @throws MarketplaceError where the marketplace refuses the stream, ConnectionError where it was never reached
   */
  events(options?: EventsOptions): AsyncGenerator<Event, void>;
  /**
   * Runs an action of a wallet, and yields each step when it happens. It needs an executor key or a session as `token`.
   * After a cut it attaches to the same run again, by the `requestId`. Leaving the loop does not stop the run.
   * @throws ActionError after the step that failed, MarketplaceError where the marketplace refuses the action, and
   *   ConnectionError where the run is lost: it may go on, and the same `requestId` attaches to it
   */
  runAction(
    action: AgentActionRequest,
    options?: { signal?: AbortSignal | undefined },
  ): AsyncGenerator<AgentRunStep, void>;
}

/** A draft is introspected, stored and read back before the response. */
const timeoutMs = 180_000;
/** Of one response: a catalog of a thousand entries whose manifests have the largest size. */
const bytesMax = 64 * 1024 * 1024;

/** A client of one marketplace. It opens no connection until the first call. */
export function createMarketplace(options: MarketplaceOptions): Marketplace {
  const baseUrl = new URL(options.baseUrl).href.replace(/\/$/, '');
  const send = createSend(options);
  const fetch: typeof globalThis.fetch = async (request, init) =>
    bounded(await send(new Request(request, init), { timeoutMs }), bytesMax);
  const client = createClient(createConfig({ baseUrl, fetch, throwOnError: true }));
  client.interceptors.error.use(withoutResponse);
  const api = new Calls({ client });
  return {
    baseUrl,
    api,
    async query<Data>(query: string, variables?: Record<string, unknown>) {
      const { data: answer } = await client.post<{ 200: { data?: Data; errors?: unknown } }, unknown, true>({
        ...{ url: '/graphql', body: { query, variables }, parseAs: 'json' },
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      });
      if (Array.isArray(answer.errors)) throw new GraphError(answer.errors);
      return answer.data as Data;
    },
    async *adaptors(query = {}) {
      const read = (cursor: string | undefined) =>
        // Without `sinceRevision` the answer is a catalog.
        api.listAdaptors({
          query: { ...query, ...(cursor !== undefined && { cursor }) },
        }) as Promise<Catalog>;
      for await (const { adaptors } of pages(read)) yield* adaptors;
    },
    events: (stream) => followEvents(send, baseUrl, stream),
    runAction: (action, { signal } = {}) => followAction(send, baseUrl, action, { signal }),
  };
}

/** Reports a response that ended too early, or is not what its type says, as one that never came. */
function withoutResponse(error: unknown): unknown {
  const isKnown = [ConnectionError, MarketplaceError].some((known) => error instanceof known);
  // An aborted signal's reason is the caller's own.
  if (isKnown || !(error instanceof SyntaxError || error instanceof TypeError)) return error;
  return new ConnectionError('The response ended too early, or is not JSON.', error);
}
