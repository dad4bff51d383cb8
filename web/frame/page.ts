import type { Network } from '@adaptor-marketplace/adaptor';
import type { Html } from '../components/html.ts';

/** Where a browser reaches a network itself, for a wallet that is connected. */
export interface BrowserNode {
  /** Chain node that speaks grpc-web. */
  url: string;
  /** Of a local network alone: its coins are worth nothing. */
  faucetUrl?: string;
}

/** What a page is asked for. */
export interface PageRequest {
  path: string;
  search: URLSearchParams;
  /** Of the path, decoded. */
  parameters: Readonly<Record<string, string>>;
  /** The network that the page is about: of its path or query, else the default. */
  network: Network;
  networks: readonly Network[];
  node: BrowserNode;
  /** Scheme and host under which the reader has opened the site. */
  origin: string;
  /** The time of the request, from which relative times are counted. */
  nowMs: number;
}

/** The scripts of `web/islands` that a page may load. */
type Island =
  | 'catalog'
  | 'adaptor'
  | 'wallet'
  | 'grant'
  | 'publish'
  | 'jobs'
  | 'hire'
  | 'runs'
  | 'webhooks'
  | 'operator';

/** A page without its frame. */
export interface Content {
  title: string;
  description?: string;
  /** Url of the picture of 1,200 by 630 that others show with a link to the page. */
  picture?: string;
  main: Html;
  /** Scripts beside those of the frame. */
  islands?: readonly Island[];
  /** The part of the site that the header marks as the current one. */
  section?: 'catalog' | 'agents' | 'jobs' | 'docs' | 'publish' | 'wallet';
  /** Absent: 200. */
  status?: number;
  /** Stylesheets from this server beside the site's. */
  styles?: readonly string[];
  /** Scripts from this server beside the islands. */
  scripts?: readonly string[];
  /** Content security policy directives that the page needs instead of the frame's, by name. */
  policy?: Readonly<Record<string, string>>;
}

/** A page whose data is one query of the graph. The gateway runs the query, and puts the content into the frame. */
export interface GraphPage {
  /** As the router matches it: `:name` is a parameter. */
  path: string;
  /** Query of the graph. */
  document: string;
  variables(request: PageRequest): Record<string, unknown>;
  /** Undefined where the page does not exist. */
  render(data: never, request: PageRequest): Content | undefined;
}

interface Definition<Data> extends Omit<GraphPage, 'render'> {
  render(data: Data, request: PageRequest): Content | undefined;
}

/** Defines a page. `Data` is what its document answers with. */
export const graphPage = <Data>(definition: Definition<Data>): GraphPage => definition;

/** A network as the graph spells it. */
export const chainOf = (network: Network): string => network.toUpperCase();

/** A path with other parameters in its query: those that are undefined are left out. */
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
