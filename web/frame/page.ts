import type { Network } from '@adaptor-marketplace/adaptor';
import type { Html } from '../components/html.ts';

/** Addresses at which the browser reaches a network directly, for a connected wallet. */
export interface BrowserNode {
  /** Chain node that speaks grpc-web. */
  url: string;
  /** Present only on a local network, whose coins are worth nothing. */
  faucetUrl?: string;
  /** Url of the network's explorer, with `{id}` and perhaps `{kind}`. Absent: ids have no links to one. */
  explorerUrl?: string;
}

export interface PageRequest {
  path: string;
  search: URLSearchParams;
  /** Parameters of the path, decoded. */
  parameters: Readonly<Record<string, string>>;
  /** The network in the path or the query, else the default one. */
  network: Network;
  networks: readonly Network[];
  node: BrowserNode;
  /** Reads whether the wallets of the network have the lock `wallet::action`; null if that is not known. */
  readWalletLock(): Promise<boolean | null>;
  /** Scheme and host under which the reader has opened the site. */
  origin: string;
  /** The time of the request, from which relative times are counted. */
  nowMs: number;
}

/** Scripts of `web/islands` that a page may load. They import the other files. */
export const islands = [
  'catalog',
  'adaptor',
  'charts',
  'wallet',
  'grant',
  'publish',
  'jobs',
  'hire',
  'runs',
  'webhooks',
  'operator',
  'reference',
  'sql',
  'watch',
  'since',
  'report',
  'review',
  'check',
  'check-source',
] as const;

/** Workers of islands, by the names of their files, and the folders below `web/islands`. */
export const workers = { recompute: 'check', rebuild: 'check-source' } as const;

/** A page without its frame. */
export interface Content {
  title: string;
  description?: string;
  /** Url of the picture, 1,200 by 630 pixels, that other sites show with a link to the page. */
  picture?: string;
  /** Url of an Atom feed of what the page shows. */
  feed?: string;
  main: Html;
  /** Scripts beside those of the frame. */
  islands?: readonly (typeof islands)[number][];
  /** Worker that the islands start. They find its url in the meta tag `worker`. */
  worker?: keyof typeof workers;
  /** The part of the site that the header marks as the current one. */
  section?: 'catalog' | 'agents' | 'jobs' | 'docs' | 'publish' | 'wallet';
  /** HTTP status; default 200. */
  status?: number;
  styles?: readonly string[];
  scripts?: readonly string[];
  /** Content security policy directives that the page needs instead of the frame's, by name. */
  policy?: Readonly<Record<string, string>>;
}

/** A page whose data is one query of the graph. The gateway runs the query, and puts the content into the frame. */
export interface GraphPage {
  /** Route pattern: `:name` is a parameter. */
  path: string;
  /** GraphQL query. */
  document: string;
  variables(request: PageRequest): Record<string, unknown>;
  /** Returns undefined if the page does not exist. */
  render(data: never, request: PageRequest): Content | undefined | Promise<Content>;
}

interface Definition<Data> extends Omit<GraphPage, 'render'> {
  render(data: Data, request: PageRequest): Content | undefined | Promise<Content>;
}

/** Defines a page. `Data` is the result of its query. */
export const graphPage = <Data>(definition: Definition<Data>): GraphPage => definition;

/** Returns the name of a network in the graph: upper case. */
export const toChain = (network: Network): string => network.toUpperCase();

/** A service type that no package has, for queries in place of one that the url does not name. */
export const noServiceType = '0x0::none::None';

const serviceForm = /^0x[0-9a-fA-F]{1,64}::\w{1,128}::\w{1,128}$/;

/** Reads a service type from the url; undefined if it is absent or malformed. */
export function readServiceType(search: URLSearchParams, name: string): string | undefined {
  const named = search.get(name) ?? '';
  return serviceForm.test(named) ? named : undefined;
}

/** Changes query parameters of a path. An undefined or empty value removes the parameter. */
export function withSearch(
  { path, search }: Pick<PageRequest, 'path' | 'search'>,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === '' ? path : `${path}?${text}`;
}
