import { render } from 'preact';
import { type Html, html, notice, time } from '../components/index.ts';
import type { SeenListing } from '../components/since.ts';
import { describeChanges, parseVisits } from '../words/since.ts';
import { readStoredJson, store } from './api/storage.ts';

/** Says what became of the listings of the page since the reader's last visit, which this browser alone remembers. */

const storeKey = 'visits';
/** Maximum number of listings that the browser remembers. The least recently seen ones make room. */
const visitsMax = 300;

const readVisits = () => parseVisits(readStoredJson(storeKey));
/** The visits before this one. */
const earlier = readVisits();

function remember(listings: readonly SeenListing[], atMs: number): void {
  const visits = readVisits();
  for (const { path, version, quarantined, deprecated, warned } of listings) {
    // The order of the paths is that of the visits.
    visits.delete(path);
    visits.set(path, { version, quarantined, deprecated, warned, atMs });
  }
  store(storeKey, JSON.stringify(Object.fromEntries([...visits].slice(-visitsMax))));
}

function describe(listing: SeenListing, nowMs: number): Html[] {
  const before = earlier.get(listing.path);
  const sentences = before ? describeChanges(before, listing) : [];
  if (!before || sentences.length === 0) return [];
  return [
    html`<li><a href=${`${listing.path}#versions`}><bdi>${listing.name}</bdi></a>: ${sentences.join(' ')} <span class="muted">You saw it ${time(before.atMs, nowMs)}.</span></li>`,
  ];
}

function show(): void {
  const container = document.querySelector<HTMLElement>('#since');
  if (!container) return;
  const listings: SeenListing[] = JSON.parse(container.dataset.listings ?? '[]');
  const nowMs = Date.now();
  const changed = listings.flatMap((listing) => describe(listing, nowMs));
  const said =
    changed.length === 0 ? '' : notice('neutral', 'Since your last visit', html`<ul>${changed}</ul>`);
  render(said as never, container);
  remember(listings, nowMs);
}

show();
document.addEventListener('replaced', show);
