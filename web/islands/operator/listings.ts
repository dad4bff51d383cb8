import type { HostListings } from '@adaptor-marketplace/sdk';
import {
  adaptorPath,
  address,
  badge,
  count,
  counted,
  empty,
  type Html,
  html,
  plain,
  type State,
  table,
  time,
} from '../../components/index.ts';
import { nameType } from '../../components/type-names.ts';
import { request } from '../portal/session.ts';
import { createSection, type Page, type Pages, renderMoreButton, type Section } from './section.ts';

type Listing = HostListings['listings'][number];

const filters = {
  hidden: 'Listed, but not shown',
  manifest: 'Manifest fails',
  unlisted: 'Unlisted',
  all: 'All',
} as const;
type Filter = keyof typeof filters;

const badgesByStatus: Record<string, [State, string]> = {
  shown: ['good', 'Shown'],
  quarantined: ['danger', 'In quarantine'],
  unlisted: ['neutral', 'Unlisted'],
  name_invalid: ['danger', 'Name not valid'],
  manifest_mismatch: ['danger', 'Manifest has another hash'],
  manifest_invalid: ['danger', 'Manifest not valid'],
  manifest_unreachable: ['caution', 'Manifest unreachable'],
  manifest_pending: ['neutral', 'Manifest pending'],
  witness_invalid: ['danger', 'Witness not valid'],
  witness_pending: ['neutral', 'Witness pending'],
  publisher_unverified: ['caution', 'Publisher not verified'],
  publisher_pending: ['neutral', 'Publisher pending'],
  other_publisher_shown: ['neutral', 'Another publisher is shown'],
};

/** Characters of a manifest uri that the table shows. The whole uri shows on hover. */
const shownUriMax = 20;

function renderManifest({ manifestUri, fetchAttempts, nextFetchMs }: Listing, nowMs: number): Html {
  const attempts =
    fetchAttempts === 0
      ? ''
      : html`<p class="muted">${counted(fetchAttempts, 'attempt')}${nextFetchMs === null ? ', not fetched again' : html`, next ${time(nextFetchMs, nowMs)}`}</p>`;
  return html`<p><code title=${manifestUri}>${plain(manifestUri.length > shownUriMax ? `${manifestUri.slice(0, shownUriMax)}…` : manifestUri)}</code></p>${attempts}`;
}

/** Creates the section with all listings of a network, and the reasons why the catalog does not show some. */
export function createListingsSection(page: Page): Section<Pages<Listing>> {
  let filter: Filter = location.hash === '#manifest' ? 'manifest' : 'hidden';

  async function load(cursor?: string): Promise<Pages<Listing>> {
    const query = new URLSearchParams({
      network: page.network,
      filter,
      ...(cursor !== undefined && { cursor }),
    });
    const { listings, nextCursor } = await request<HostListings>(`/api/admin/listings?${query}`);
    return { items: listings, nextCursor };
  }

  const applyFilter = (event: Event) => {
    filter = (event.currentTarget as HTMLSelectElement).value as Filter;
    return page.refresh(section.read);
  };
  const renderFilter = () =>
    html`<p><label for="filter">Show</label> <select id="filter" onChange=${applyFilter}>${Object.entries(filters).map(([name, label]) => html`<option value=${name} selected=${name === filter}>${label}</option>`)}</select></p>`;

  const renderRow = (listing: Listing, nowMs: number): Html[] => {
    const { serviceType, publisher, status, reason, version, updatedAtMs } = listing;
    return [
      html`<p><a href=${adaptorPath(page.network, serviceType, publisher)}><code>${plain(nameType(serviceType))}</code></a></p><p>${address(serviceType.split('::')[0]!)}</p>`,
      html`${badge(...(badgesByStatus[status] ?? ['neutral', status]))}${reason === null ? '' : html`<p class="muted">${plain(reason)}</p>`}`,
      renderManifest(listing, nowMs),
      address(publisher),
      html`<p>${count(version)}</p><p class="muted">${time(updatedAtMs, nowMs)}</p>`,
    ];
  };

  const section = createSection<Pages<Listing>>({
    title: `Listings of ${page.network}`,
    load: () => load(),
    show(pages) {
      if (pages.items.length === 0)
        return html`${renderFilter()}${empty('None', html`<p>${filter === 'hidden' ? 'The catalog shows every listing.' : 'No listing of this kind.'}</p>`)}`;
      const nowMs = Date.now();
      const rows = pages.items.map((listing) => renderRow(listing, nowMs));
      const columns = ['Service', 'State', 'Manifest', 'Publisher', { number: 'Version' }];
      return html`${renderFilter()}${table(columns, rows)}${renderMoreButton(pages, page, load)}`;
    },
  });
  return section;
}
