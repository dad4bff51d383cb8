import { html } from '../components/html.ts';
import { adaptorPath } from '../components/links.ts';
import { empty, notice, publisherBadge } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import type { SupportedCoin } from '../components/values.ts';
import {
  type Content,
  graphPage,
  noServiceType,
  type PageRequest,
  readServiceType,
  toChain,
} from '../frame/page.ts';
import { findKnownTypes, type TypedAdaptor, typeFields } from '../words/object-types.ts';
import { operationFields } from '../words/operation.ts';
import type { Quarantine, Successor } from './adaptor-data.ts';
import { deprecationNotice, feeWords, mayDo, quarantineNotice } from './adaptor-parts.ts';
import { linkCertificate } from './certificate-part.ts';

interface GrantData {
  adaptor:
    | (TypedAdaptor & {
        publisher: string;
        publisherVerified: boolean;
        manifest: {
          name: string;
          feeBps: number | null;
          feeRecipient: string | null;
          deprecated: string | null;
        };
        successor: Successor | null;
        coins: readonly SupportedCoin[];
        warnings: readonly { code: string; detail: string }[];
      })
    | null;
  listing: { quarantined: Quarantine | null } | null;
}

const chooseFirst = (network: string): Content => ({
  title: 'Use an adaptor',
  section: 'wallet',
  main: html`<h1>Use an adaptor</h1>
    <p class="lead">Choose one in the <a href=${`/?network=${network}`}>catalog</a>. Its page has the button that leads here.</p>`,
});

const inQuarantine = (quarantine: Quarantine, request: PageRequest): Content => ({
  title: 'Use an adaptor',
  section: 'wallet',
  main: html`<h1>Use an adaptor</h1>${quarantineNotice(quarantine, request)}`,
});

const notListed = (network: string): Content => ({
  title: 'Use an adaptor',
  status: 404,
  section: 'wallet',
  main: html`<h1>Use an adaptor</h1>
    ${empty(`The catalog of ${network} shows no such adaptor`, html`<p>It may be unlisted. Find it in <a href=${`/?network=${network}`}>the catalog</a>. Its page has the button that leads here. What you granted to it before, you <a href=${`/wallet?network=${network}`}>see and revoke in your wallet</a>.</p>`)}`,
});

/** The page that tries an adaptor on the reader's wallet, and grants it only what it needs. */
export const grantPage = graphPage<GrantData>({
  path: '/wallet/grant',
  document: `query Grant($chain: Chain!, $serviceType: String!, $publisher: String) {
    adaptor(chain: $chain, serviceType: $serviceType, publisher: $publisher) { serviceType publisher publisherVerified
      manifest { name feeBps feeRecipient deprecated } successor { serviceType manifest { name } } coins { coinType coinInfo { symbol decimals } } operations { ${operationFields} } warnings { code detail } ${typeFields} }
    listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) { quarantined { reason sinceMs } }
  }`,
  variables({ search, network }) {
    const serviceType = readServiceType(search, 'service') ?? noServiceType;
    return { chain: toChain(network), serviceType, publisher: search.get('publisher') ?? undefined };
  },
  render({ adaptor, listing }, request) {
    const { network, search } = request;
    if (!adaptor && listing?.quarantined) return inQuarantine(listing.quarantined, request);
    if (!adaptor) return search.has('service') ? notListed(network) : chooseFirst(network);
    const { serviceType, publisher, publisherVerified, manifest, coins, operations, warnings, successor } =
      adaptor;
    const path = adaptorPath(network, serviceType, search.has('publisher') ? publisher : undefined);
    return {
      title: `Use ${manifest.name}`,
      section: 'wallet',
      islands: ['grant'],
      main: html`<h1>Use ${plain(manifest.name)}</h1>
        <p class="lead">Try it against your own wallet first. Then grant the least that it needs.</p>
        <p class="with-badge">${publisherBadge(publisherVerified)} <a href=${path}>Read its listing</a> ${linkCertificate(path)}</p>
        ${publisherVerified ? '' : notice('danger', 'The publisher is not verified', html`<p>The chain does not show that the address that listed this controls its package. Everyone could have listed it.</p>`)}
        ${deprecationNotice(manifest.deprecated, successor, network)}
        ${warnings.map(({ detail }) => notice('danger', 'Warning about its code', html`<p>${detail}</p>`))}
        <div class="grant">
          ${mayDo(operations, coins, feeWords(manifest.feeBps, manifest.feeRecipient), findKnownTypes(adaptor))}
          <div id="granting" data-service=${serviceType} data-publisher=${publisher}>
            <div class="box" data-script><p>Connect a wallet to try it, and to grant.</p><p><button type="button" data-connect>Connect</button></p></div>
            <noscript><div class="box"><p>Trying and granting need script, for your wallet signs. The command line calls the operation itself within bounds that you state: <code>npx adaptor-marketplace call</code>.</p></div></noscript>
          </div>
        </div>`,
    };
  },
});
