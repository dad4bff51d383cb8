import { createHash } from 'node:crypto';
import { networks as allNetworks, type Network } from '@adaptor-marketplace/adaptor';
import { type ProblemCode, problem, problems } from '../../../lib/errors/index.ts';
import {
  computeDigest,
  type Exchange,
  getSearch,
  represent,
  requireEncoding,
  sendContent,
  sendJson,
  sendRepresentation,
  splitUrl,
  toProblem,
} from '../../../lib/http/exchange.ts';
import { prefersPage } from '../../../lib/http/negotiation.ts';
import type { Route, RouteDescription } from '../../../lib/http/route.ts';
import { openPictures } from '../../../lib/pictures/pictures.ts';
import { assets } from '../../../web/assets/bundle.ts';
import { headScript } from '../../../web/frame/head-script.ts';
import { type FrameData, renderDocument } from '../../../web/frame/layout.ts';
import {
  type BrowserNode,
  type Content,
  type GraphPage,
  type PageRequest,
  toChain,
} from '../../../web/frame/page.ts';
import { problemPage } from '../../../web/frame/problem.ts';
import {
  adaptorPicture,
  catalogPicture,
  type PictureData,
  pictureDocument,
} from '../../../web/pages/picture.ts';
import { getCallerAddress } from '../access/caller.ts';
import type { IndexWatch } from '../live/watch.ts';
import type { WalletLocks } from '../reads/wallet-lock.ts';
import type { PageShare } from './share.ts';

/** Endpoints and sample package of a local network, for browsers. Public networks are reached at public nodes. */
export interface LocalNetwork {
  rpcUrl: string;
  faucetUrl: string;
  /** Compiles a package that a visitor can publish and list: its modules in base64, and the packages that it is linked to. */
  samplePackage(): Promise<{ modules: string[]; dependencies: string[] }>;
}

export interface Site {
  networks: readonly Network[];
  defaultNetwork: Network;
  nodes: ReadonlyMap<Network, BrowserNode>;
  local: LocalNetwork | undefined;
  watch: IndexWatch;
  maxLagSeconds: number;
  version: string;
  data: { read(document: string, variables: Record<string, unknown>): Promise<unknown> };
  share: PageShare;
  walletLocks: WalletLocks;
  /** Number of proxies whose entries in `X-Forwarded-For` are trusted. */
  trustProxy: number;
}

export interface SiteDependencies {
  site: Site;
}

const basePolicy: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'img-src': "'self' data:",
  'style-src': "'self'",
  'script-src': `'self' 'sha256-${createHash('sha256').update(headScript).digest('base64')}'`,
};

/** Pages of other origins have no window of the site. Windows that wallets open for signing can send their answer. */
const openerPolicy = 'same-origin-allow-popups';

/** @throws ProblemError 404 for a network that this site does not serve */
function resolveNetwork(site: Site, named: string | null | undefined): Network {
  if (!named) return site.defaultNetwork;
  const network = site.networks.find((one) => one === named);
  if (network) return network;
  throw problem(
    'not_found',
    `This site does not show ${named.slice(0, 40)}. It shows ${site.networks.join(' and ')}.`,
  );
}

export function buildPageRequest(
  exchange: Exchange,
  parameters: Readonly<Record<string, string>>,
  site: Site,
): PageRequest {
  const search = new URLSearchParams(getSearch(exchange));
  // Links of the page name its path. A browser would read two slashes, or a backslash, at the start as another host.
  const path = splitUrl(exchange.req.url ?? '/').path.replace(/^[/\\]+/, '/');
  const network = resolveNetwork(site, parameters.network ?? search.get('network'));
  return {
    path,
    search,
    parameters,
    networks: site.networks,
    nowMs: Date.now(),
    network,
    node: site.nodes.get(network)!,
    readWalletLock: () => site.walletLocks(network),
    origin: deriveOrigin(exchange),
  };
}

/** The origin that the request names, or '' if it is invalid. It is https, except for localhost and addresses. */
function deriveOrigin({ req }: Exchange): string {
  const host = req.headers.host ?? '';
  if (!/^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host)) return '';
  const isLocal = /^(localhost|[\d.]+|\[.*\])(:\d+)?$/i.test(host);
  return `${isLocal ? 'http' : 'https'}://${host}`;
}

/** Advice to readers of a page. That to programs names what only their answers have. */
const pageAdvice: Partial<Record<ProblemCode, string>> = {
  not_found:
    'Check the address, and that an id in it is of this network. Compare a path of the API with the API reference at `/docs`.',
  invalid_argument: 'Correct the id in the address of the page.',
};

/** Returns the page of an error. @throws the error if it is not a problem, or if the client prefers JSON */
function toErrorPage(error: unknown, { req, res, requestId }: Exchange): Content {
  const known = toProblem(error);
  if (!known || !prefersPage(req)) throw error;
  const { status, code, title, detail, headers = {} } = known;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  const whatToDo = pageAdvice[code] ?? problems[code].whatToDo;
  return problemPage({ status, code, title, detail, whatToDo, requestId });
}

async function sendPage(
  exchange: Exchange,
  content: Content,
  request: PageRequest,
  site: Site,
): Promise<void> {
  const { urls } = await assets();
  const data: FrameData = {
    version: site.version,
    maxLagSeconds: site.maxLagSeconds,
    assets: urls,
    indexed: getIndexed(site.watch, request.network),
  };
  const body = Buffer.from(renderDocument(content, request, data));
  const { url, faucetUrl = '' } = request.node;
  const nodePolicy = { 'connect-src': `'self' ${url} ${faucetUrl}`.trimEnd() };
  const policy = Object.entries({ ...basePolicy, ...nodePolicy, ...content.policy }).map(
    ([name, value]) => `${name} ${value}`,
  );
  const page = {
    body,
    contentType: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
    tag: computeDigest(body),
    vary: 'accept, accept-encoding',
    headers: ['content-security-policy', policy.join('; '), 'cross-origin-opener-policy', openerPolicy],
  };
  if (content.status === undefined || content.status === 200) return await sendContent(exchange, page);
  const { headers, parts } = await represent(page, requireEncoding(exchange.req), 'speed');
  exchange.res
    .writeHead(content.status, [...headers])
    .end(exchange.req.method === 'HEAD' ? undefined : parts[0]);
}

function getIndexed(watch: IndexWatch, network: Network): FrameData['indexed'] {
  const { checkpoint, sources } = watch.indexed(network);
  const times = sources.flatMap(({ checkpointAtMs }) => checkpointAtMs ?? []);
  if (checkpoint === null || times.length === 0) return null;
  return { checkpoint, checkpointAtMs: Math.min(...times) };
}

/** Forms of the parameters in paths of pages. The rate limit does not count a page whose path matches. */
const parameterForms: NonNullable<RouteDescription['parameters']> = {
  network: { description: 'Network.', example: 'testnet', values: allNetworks },
  serviceType: {
    description: 'Service type.',
    example: '0x2::a::A',
    pattern: '0x[0-9a-fA-F]{1,64}::[A-Za-z0-9_]+::[A-Za-z0-9_]+',
  },
  jobId: { description: 'Id of a job.', example: '0x2', pattern: '0x[0-9a-fA-F]{1,64}' },
  runId: { description: 'Id of a run.', example: '42', pattern: '[0-9]{1,19}' },
  webhookId: { description: 'Id of a webhook.', example: 'wh_8sQm2Kd1', pattern: 'wh_[0-9A-Za-z]{1,40}' },
  operationId: { description: 'Operation id.', example: 'listAdaptors', pattern: '[A-Za-z]{1,60}' },
  coinType: {
    description: 'Type of a coin.',
    example: '0x2::sui::SUI',
    // A path has it as `encodeURIComponent` writes it.
    pattern: '0x[0-9a-fA-F]{1,64}(?:[\\w:]|%(?:20|2C|3A|3C|3E)){1,3000}',
  },
  address: { description: 'Address.', example: '0x2', pattern: '0x[0-9a-fA-F]{1,64}' },
};

/** Parameters with ids that this service makes. A malformed id has no page, because scripts put it into API paths. */
const serviceIds = ['runId', 'webhookId'];

const hasValidIds = (parameters: Readonly<Record<string, string>>) =>
  serviceIds.every(
    (name) =>
      parameters[name] === undefined ||
      new RegExp(`^${parameterForms[name]!.pattern}$`).test(parameters[name]),
  );

export function pickParameters(path: string): RouteDescription['parameters'] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return Object.fromEntries(names.map((name) => [name, parameterForms[name]!]));
}

type PageLoader<Dependencies> = (
  request: PageRequest,
  dependencies: Dependencies & SiteDependencies,
) => Content | undefined | Promise<Content | undefined>;

/** A route that sends a page in the frame of the site. @param load returns undefined if the page does not exist */
export function createSiteRoute<Dependencies = unknown>(
  path: string,
  load: PageLoader<Dependencies>,
): Route<Dependencies & SiteDependencies> {
  return {
    method: 'get',
    path,
    mediaType: 'text/html',
    unlimited: true,
    parameters: pickParameters(path),
    answer: (exchange, parameters, dependencies) =>
      answerPage(exchange, parameters, dependencies.site, (request) =>
        hasValidIds(parameters) ? load(request, dependencies) : undefined,
      ),
  };
}

/** A route of a page that shows nothing before the reader signs in. */
export const createSessionRoute = <Dependencies = unknown>(
  path: string,
  load: PageLoader<Dependencies>,
): Route<Dependencies & SiteDependencies> => ({ ...createSiteRoute(path, load), needsSession: true });

export async function answerPage(
  exchange: Exchange,
  parameters: Readonly<Record<string, string>>,
  site: Site,
  load: (request: PageRequest) => Content | undefined | Promise<Content | undefined>,
): Promise<void> {
  const { defaultNetwork: network } = site;
  let request: PageRequest = {
    path: '/',
    search: new URLSearchParams(),
    parameters: {},
    networks: site.networks,
    network,
    node: site.nodes.get(network)!,
    readWalletLock: () => site.walletLocks(network),
    origin: deriveOrigin(exchange),
    nowMs: Date.now(),
  };
  let content: Content;
  try {
    request = buildPageRequest(exchange, parameters, site);
    const loaded = await runInShare(exchange, site, async () => await load(request));
    if (!loaded)
      throw problem('not_found', `There is no page ${request.path.slice(0, 200)} on ${request.network}.`);
    content = loaded;
  } catch (error) {
    content = toErrorPage(error, exchange);
  }
  await sendPage(exchange, content, request, site);
}

/** Makes a page within the share of the caller's address. @throws ProblemError 503 `site_busy` beyond it */
export function runInShare<T>(
  { req, res }: Exchange,
  site: Site,
  work: () => Promise<T>,
): Promise<T | undefined> {
  return site.share(getCallerAddress(req, site.trustProxy), async () =>
    res.destroyed ? undefined : await work(),
  );
}

export const createGraphPageRoute = (page: GraphPage): Route<SiteDependencies> =>
  createSiteRoute(page.path, async (request, { site }) => {
    const data = await site.data.read(page.document, page.variables(request));
    return page.render(data as never, request);
  });

/** Files that pages load. Their names change with their content. */
export const assetRoute: Route<unknown> = {
  method: 'get',
  path: '/assets/:file',
  mediaType: '*/*',
  unlimited: true,
  parameters: {
    file: { description: 'Name.', example: 'site.css', pattern: '[\\w-]{1,80}\\.(?:js|css|gz)' },
  },
  async answer(exchange, { file }) {
    const { files } = await assets();
    const found = files.get(file!);
    if (!found) throw problem('not_found', `There is no file ${file!.slice(0, 80)}. Reload the page.`);
    const cacheControl = 'public, max-age=31536000, immutable';
    const content = { ...found, cacheControl, tag: computeDigest(found.body) };
    // A file that is compressed already is sent as it is, without work for each request.
    if (file!.endsWith('.gz')) sendRepresentation(exchange, await represent(content, 'identity', 'speed'));
    else await sendContent(exchange, content);
  },
};

const drawPicture = openPictures();

/** The preview picture of an adaptor for links to it. The rate limit counts it, since no page of the site loads it. */
export const pictureRoute: Route<SiteDependencies> = {
  method: 'get',
  path: '/og/:network/:serviceType',
  mediaType: 'image/png',
  parameters: pickParameters('/og/:network/:serviceType'),
  async answer(exchange, parameters, { site }) {
    const { network } = buildPageRequest(exchange, parameters, site);
    const variables = { chain: toChain(network), serviceType: parameters.serviceType };
    const read = () => site.data.read(pictureDocument, variables) as Promise<PictureData>;
    const adaptor = (await runInShare(exchange, site, read))?.adaptor;
    if (!adaptor) throw problem('not_found', 'The catalog has no such adaptor.');
    await sendPicture(exchange, adaptorPicture(adaptor), 300);
  },
};

/** The preview picture of the catalog. */
export const catalogPictureRoute: Route<unknown> = {
  method: 'get',
  path: '/og/catalog',
  mediaType: 'image/png',
  answer: (exchange) => sendPicture(exchange, catalogPicture(), 86_400),
};

async function sendPicture(exchange: Exchange, svg: string, maxAgeSeconds: number): Promise<void> {
  const body = await drawPicture(svg);
  const cacheControl = `public, max-age=${maxAgeSeconds}`;
  await sendContent(exchange, { body, contentType: 'image/png', cacheControl, tag: computeDigest(body) });
}

/** The bytecode of a package that a visitor of a local network can publish: only its publisher can list it. */
export const samplePackageRoute: Route<SiteDependencies> = {
  method: 'get',
  path: '/publish/sample-package.json',
  mediaType: 'application/json',
  async answer(exchange, _, { site: { local } }) {
    if (!local) throw problem('not_found', 'Only a local network has a sample package.');
    await sendJson(exchange, await local.samplePackage());
  },
};
