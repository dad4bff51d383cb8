import type { ListingState } from '../words/since.ts';
import { type Html, html } from './html.ts';

/** A listing on a page, with what a browser compares with an earlier visit. */
export interface SeenListing extends ListingState {
  /** Names the listing in the store of the browser. */
  key: string;
  name: string;
  path: string;
}

/** Most listings of a page that are compared. */
const listingsMax = 100;

/** Renders the place in which the script says what changed since the reader's last visit. The host stores no visits. */
export const sincePart = (listings: readonly SeenListing[]): Html =>
  html`<div id="since" data-script data-listings=${JSON.stringify(listings.slice(0, listingsMax))}></div>`;
