import { type Network, networks, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { marketplaceServer } from '@adaptor-marketplace/mcp';
import { createMarketplace, MarketplaceError, type MarketplaceOptions } from '@adaptor-marketplace/sdk';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  InMemoryServerEventBus,
  type McpServerFactory,
} from '@modelcontextprotocol/server';
import type { Database } from '../../../db/client.ts';
import { digestToken } from '../../../lib/credentials/token.ts';
import { type ProblemCode, ProblemError, problem } from '../../../lib/errors/index.ts';
import { type Exchange, type Step, sendError, splitUrl } from '../../../lib/http/exchange.ts';
import { readJsonObject } from '../../../lib/http/parse.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { extractCredential, type IdentifyCaller } from '../access/caller.ts';
import { dropStalled } from '../live/streams.ts';
import { type Identify, watchToolLists } from './wallet-listeners.ts';
import { createWalletServer } from './wallet-server.ts';
import { buildToolsKey, type FetchCaps, openWalletTools } from './wallet-tools.ts';

interface McpOptions {
  db: Database;
  /** Returns `true` for an origin of this service, whose pages may call the tools. */
  isOwnOrigin(origin: string): boolean;
  identifyCaller: IdentifyCaller;
  /** Sends requests on behalf of one that came in: the tools call the API as any client does. */
  fetchFor(exchange: Exchange): typeof fetch;
  log: Logger;
}

const bodyBytesMax = 128 * 1024;
/** Never resolved: requests to it stay in this process. */
const baseUrl = 'http://gateway.internal';

/**
 * The tools of the marketplace at `/mcp`, and of one wallet at `/mcp/wallets/{network}/{walletId}`. No state outlives a
 * request, so any number of gateways serve a client. The API calls of a tool are not counted again.
 */
export function mcp({ db, isOwnOrigin, identifyCaller, fetchFor, log }: McpOptions) {
  const listeners = watchToolLists(db, log);
  const walletTools = openWalletTools(db.pool);
  const onerror = (error: Error) => log.debug({ reason: error.message }, 'a request of a model failed');

  async function answer(exchange: Exchange, wallet: WalletPath | undefined): Promise<void> {
    const { req, res } = exchange;
    // Pages of other origins may not call the tools, even if they may read the API.
    res.removeHeader('access-control-allow-origin');
    requireOwnOrigin(req.headers.origin, isOwnOrigin);
    const market = { baseUrl, fetch: fetchFor(exchange), ...pickCredentials(exchange) };
    const body = req.method === 'POST' ? await readJsonObject(req, bodyBytesMax) : undefined;
    const bus = new InMemoryServerEventBus(onerror);
    const isListening = body?.method === 'subscriptions/listen';
    // A preflight is not counted, so it must cost nothing. It is refused like every method but POST.
    const factory =
      wallet && req.method !== 'OPTIONS'
        ? await createWalletFactory(exchange, wallet, market, isListening ? bus : undefined)
        : () => marketplaceServer(market);
    const handler = createMcpHandler(factory, { maxRequestBodySize: bodyBytesMax, bus, onerror });
    if (isListening) closers.set(res, () => void handler.close());
    dropStalled(res);
    await toNodeHandler(handler, { onerror })(req, res, body);
  }

  /** Ends the stream of a listener, as the protocol ends one. */
  const closers = new WeakMap<object, () => void>();

  /** @param bus receives changes if the client listens */
  async function createWalletFactory(
    exchange: Exchange,
    { network, walletId }: WalletPath,
    options: MarketplaceOptions,
    bus: InMemoryServerEventBus | undefined,
  ): Promise<McpServerFactory> {
    const { token } = options;
    if (token === undefined) throw tokenRequired();
    const market = createMarketplace(options);
    const readAuthority = () => market.api.getAuthority({ query: { network, walletId } });
    const fetchCaps: FetchCaps = async (on, address) =>
      (await market.api.listDelegations({ query: { network: on, address, walletId } })).active;
    const authority = await readAuthority().catch((error: unknown) => {
      throw toProblem(error);
    });
    if (bus) {
      const { res } = exchange;
      const list = { wallet: `${network} ${walletId}`, credential: digestToken(token) };
      const identify: Identify = async (share) => {
        const now = await readAuthority();
        // Keys of different scopes act with the same caps.
        const shareCaps: FetchCaps = (on, address) =>
          share(`caps ${on} ${walletId} ${address}`, () => fetchCaps(on, address));
        return await share(buildToolsKey(now), () => walletTools.identify(now, shareCaps));
      };
      await listeners.add(list, res, identify, {
        caller: identifyCaller(exchange),
        changed: () => bus.publish({ kind: 'tools_list_changed' }),
        ended() {
          bus.publish({ kind: 'tools_list_changed' });
          closers.get(res)?.();
        },
      });
    }
    const sources = {
      authority,
      fetchCaps,
      // A listener, which lists nothing, keeps no list.
      readTools: () => walletTools.read(authority, fetchCaps),
      findServices: (name: string) => walletTools.findServices(authority, name),
    };
    return ({ era }) => createWalletServer({ market, db: db.pool, ...sources, era });
  }

  const step: Step = (exchange) => {
    const { path } = splitUrl(exchange.req.url ?? '');
    if (path !== '/mcp' && !path.startsWith('/mcp/')) return false;
    const wallet = parseWalletPath(path);
    if (path !== '/mcp' && !wallet) return false;
    exchange.route = wallet ? '/mcp/wallets/:network/:walletId' : '/mcp';
    answer(exchange, wallet).catch((error: unknown) => sendError(exchange, error, log));
    return true;
  };
  return { step, close: listeners.close };
}

interface WalletPath {
  network: Network;
  walletId: string;
}

function parseWalletPath(path: string): WalletPath | undefined {
  const [, name = '', id = ''] = /^\/mcp\/wallets\/([a-z]+)\/(0x[0-9a-fA-F]{1,64})$/.exec(path) ?? [];
  const walletId = normalizeAddress(id);
  const network = networks.find((one) => one === name);
  return network && walletId !== undefined ? { network, walletId } : undefined;
}

function requireOwnOrigin(origin: string | undefined, isOwnOrigin: (origin: string) => boolean): void {
  if (origin === undefined || isOwnOrigin(origin)) return;
  throw problem(
    'foreign_origin',
    'Pages of other origins may not call the tools. Call them from a program, or from a page of this host.',
  );
}

/**
 * Returns the API key and the token for the API calls of a tool. Models must not use cookies, which browsers send by
 * themselves, or secrets of the operator. @throws ProblemError 401
 */
function pickCredentials({ req }: Exchange): Pick<MarketplaceOptions, 'apiKey' | 'token'> {
  const { 'x-api-key': key, authorization = '' } = req.headers;
  const apiKey = key === undefined ? {} : { apiKey: String(key) };
  const credential = extractCredential({ headers: { authorization } });
  if (credential.kind === 'agent') return { ...apiKey, token: credential.token };
  if (credential.kind === 'key') return { apiKey: credential.key, ...apiKey };
  if (credential.kind === 'none') return apiKey;
  throw problem(
    'invalid_credentials',
    'Send an API key (mk_...), an executor key (ek_...) or a session (as_...) as the bearer token, or none.',
  );
}

const tokenRequired = () =>
  problem(
    'unauthorized',
    'The tools of a wallet need an executor key of it, or a session of its owner (authorization: Bearer <token>).',
  );

/** Converts an API error of a tool to the error of this request. Returns other errors unchanged. */
function toProblem(error: unknown): unknown {
  if (!(error instanceof MarketplaceError)) return error;
  const { code, message, status, title } = error;
  const seconds = error.retryAfterSeconds;
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
  };
  return new ProblemError({
    status,
    code: code as ProblemCode,
    title,
    detail: message,
    errors: undefined,
    headers,
  });
}
