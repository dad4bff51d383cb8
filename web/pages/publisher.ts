import { type CardEntry, card, cardFields } from '../components/card.ts';
import { followPart } from '../components/follow.ts';
import { type Html, html } from '../components/html.ts';
import { adaptorPath, publisherFeedPath, strangersLink } from '../components/links.ts';
import { badge, empty, notice, publisherBadge, type Rating, stat } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { type ProvenDomain, provenDomain, publisherIcon, suiName } from '../components/publisher.ts';
import { table } from '../components/table.ts';
import { nameType } from '../components/type-names.ts';
import { address, copyButton, count, counted, shortened, time } from '../components/values.ts';
import { graphPage, toChain } from '../frame/page.ts';
import type { Connection } from '../frame/paging.ts';

interface ListingRow {
  serviceType: string;
  publisher: string;
  status: string;
  reason: string | null;
  adaptor: CardEntry | null;
}

type Publisher = NonNullable<PublisherData['publisher']>;

interface PublisherData {
  publisher: {
    address: string;
    verified: boolean;
    shownCount: number;
    registeredCount: number;
    packageCount: number;
    actions: number;
    firstSeenMs: number;
    lastActionMs: number | null;
    reviews: Rating;
    name: string | null;
    profile: { name: string | null; links: readonly { label: string; url: string }[] } | null;
    icon: string | null;
    domain: ProvenDomain | null;
    listings: Connection<ListingRow> & { pageInfo: { hasNextPage: boolean } };
    packages: Connection<{ packageId: string; verified: boolean; listings: number; firstSeenMs: number }>;
  } | null;
}

/** Renders the profile that the publisher wrote. Anyone can write any name, so it is not the title of the page. */
function profilePart(profile: Publisher['profile']): Html {
  if (!profile) return '';
  const links = profile.links.map(({ label, url }) => strangersLink(url, plain(label))).filter(Boolean);
  return html`${profile.name === null ? '' : html`<p>Calls itself <strong>${plain(profile.name)}</strong></p>`}
    ${links.length === 0 ? '' : html`<ul>${links.map((link) => html`<li>${link}</li>`)}</ul>`}`;
}

export const publisherPage = graphPage<PublisherData>({
  path: '/p/:address',
  document: `query Publisher($chain: Chain!, $address: String!) {
    publisher(chain: $chain, address: $address) {
      address verified shownCount registeredCount packageCount actions firstSeenMs lastActionMs reviews { count avg }
      name profile { name links { label url } } icon domain { domain lastSeenMs }
      listings(first: 40) {
        edges { node { serviceType publisher status reason adaptor { ${cardFields} } } } pageInfo { hasNextPage }
      }
      packages(first: 40) { edges { node { packageId verified listings firstSeenMs } } }
    }
  }`,
  variables: ({ network, parameters }) => ({ chain: toChain(network), address: parameters.address }),
  render({ publisher }, { network, nowMs }) {
    if (!publisher) return undefined;
    const rows = publisher.listings.edges.map(({ node }) => node);
    const shown = rows.filter(({ status, adaptor }) => status === 'SHOWN' && adaptor);
    const others = rows.filter((row) => !shown.includes(row));
    const otherRows = others.map(({ serviceType, publisher: by, adaptor, reason }) => [
      html`<a href=${adaptorPath(network, serviceType, by)}>${plain(adaptor?.manifest.name ?? nameType(serviceType))}</a>`,
      html`<span class="whole">${plain(reason ?? 'The catalog shows another listing of the service.')}</span>`,
    ]);
    const packageRows = publisher.packages.edges.map(({ node }) => [
      address(node.packageId),
      node.verified ? badge('good', 'Verified') : badge('caution', 'Not verified'),
      count(node.listings),
      time(node.firstSeenMs, nowMs),
    ]);
    return {
      title: `Publisher ${shortened(publisher.address)}`,
      section: 'catalog',
      feed: publisherFeedPath(network, publisher.address),
      islands: ['watch'],
      main: html`${publisherIcon(publisher.icon)}<h1>Publisher <code>${shortened(publisher.address)}</code></h1>
        <p class="muted"><code>${publisher.address}</code>${copyButton(publisher.address, 'Copy the address')}</p>
        <p>${publisherBadge(publisher.verified)}</p>
        ${publisher.name === null ? '' : html`<p>${suiName(publisher.name)}</p>`}
        ${publisher.domain ? provenDomain(publisher.domain, nowMs) : ''}
        ${profilePart(publisher.profile)}
        ${publisher.verified ? '' : notice('danger', 'The publisher is not verified', html`<p>The chain does not show that this address controls any of the packages that it lists.</p>`)}
        <dl class="stats">
          ${stat('In the catalog', count(publisher.shownCount), `of ${count(publisher.registeredCount)} registered`)}
          ${stat('Packages', count(publisher.packageCount))}
          ${stat('Uses', count(publisher.actions))}
          ${stat('Rating', publisher.reviews.avg === null ? 'none' : publisher.reviews.avg.toFixed(1), publisher.reviews.avg === null ? '' : `of 5, ${counted(publisher.reviews.count, 'review')}`)}
          ${stat('First seen', time(publisher.firstSeenMs, nowMs))}
        </dl>
        <section class="part"><h2 class="gap">Adaptors</h2>
          ${shown.length === 0 ? empty('The catalog shows none of its listings', html`<p><a href=${`/?network=${network}`}>Go to the catalog</a></p>`) : html`<ul class="cards">${shown.map(({ adaptor }) => card(adaptor!, network, nowMs, { heading: 'h3' }))}</ul>`}
        </section>
        ${others.length === 0 ? '' : html`<section class="part"><h2>Not in the catalog</h2>${table(['Listing', 'Reason'], otherRows)}</section>`}
        ${publisher.listings.pageInfo.hasNextPage ? html`<p class="muted">There are more listings: the <a href="/graphql">graph</a> has all of them.</p>` : ''}
        <section class="part"><h2>Packages</h2>${table(['Package', 'Verified', { number: 'Listings' }, { number: 'First seen' }], packageRows)}</section>
        ${followPart({ feed: publisherFeedPath(network, publisher.address), network, name: shortened(publisher.address), publisher: publisher.address })}`,
    };
  },
});
