import { type Html, html } from './html.ts';

export function adaptorPath(network: string, serviceType: string, publisher?: string): string {
  const query = publisher === undefined ? '' : `?publisher=${publisher}`;
  return `/a/${network}/${serviceType}${query}`;
}

/** The address of the page with the source of a listing's package. */
export function sourcePath(network: string, serviceType: string, search: Record<string, string>): string {
  return `/a/${network}/${serviceType}/source?${new URLSearchParams(search)}`;
}

/** The address of the page on which the reader's browser builds the source of a listing's package. */
export const checkSourcePath = (network: string, serviceType: string, publisher: string): string =>
  `/a/${network}/${serviceType}/source/check?${new URLSearchParams({ publisher })}`;

/** The address of the page on which the reader's browser computes a listing's certificates again. */
export const checkPath = (network: string, serviceType: string, publisher: string): string =>
  `/a/${network}/${serviceType}/check?${new URLSearchParams({ publisher })}`;

/** The address of the page on which a reader reports a listing. */
export const reportPath = (network: string, service: string, publisher: string): string =>
  `/report?${new URLSearchParams({ network, service, publisher })}`;

/** The address of the page on which a reader reviews a service. */
export const reviewPath = (network: string, service: string): string =>
  `/review?${new URLSearchParams({ network, service })}`;

/** The address of the page that compares an adaptor with another one, which the reader chooses there. */
export const comparePath = (network: string, serviceType: string): string =>
  `/compare?${new URLSearchParams({ network, a: serviceType })}`;

/** The address of the Atom feed of an adaptor. */
export function adaptorFeedPath(network: string, serviceType: string, publisher?: string): string {
  const query = publisher === undefined ? '' : `?publisher=${publisher}`;
  return `/a/${network}/${serviceType}/feed.xml${query}`;
}

/** The address of the page on which a wallet tries an adaptor and grants to it. */
export function grantPath(network: string, serviceType: string, publisher?: string): string {
  const search = new URLSearchParams({ network, service: serviceType, ...(publisher && { publisher }) });
  return `/wallet/grant?${search}`;
}

/** The address of the page with the runs of a wallet. With a service it has the form that starts one. */
export const runsPath = (network: string, wallet: string, service?: string): string =>
  `/runs?${new URLSearchParams({ network, wallet, ...(service && { service }) })}`;

export const publisherPath = (network: string, address: string): string => `/p/${address}?network=${network}`;

/** The address of the Atom feed of a publisher. */
export const publisherFeedPath = (network: string, address: string): string =>
  `/p/${address}/feed.xml?network=${network}`;

/**
 * Returns the address of an object, an account or a transaction in an explorer; undefined without one.
 * @param template url with `{id}`, and with `{kind}` where the explorer has a path for each kind
 */
export const explorerLink = (
  template: string | undefined,
  kind: 'object' | 'account' | 'tx',
  id: string,
): string | undefined => template?.replace('{kind}', kind).replace('{id}', encodeURIComponent(id));

/** A link that a stranger wrote: https alone, followed by no search engine, without access to this page. */
export function strangersLink(url: string, words: Html): Html {
  if (!URL.canParse(url)) return '';
  const { protocol, host, username, password, href } = new URL(url);
  if (protocol !== 'https:' || username !== '' || password !== '') return '';
  return html`<a href=${href} rel="noopener nofollow ugc noreferrer">${words}</a> <span class="muted host">${host}</span>`;
}
