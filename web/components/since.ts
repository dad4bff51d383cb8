import { displayText } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from './html.ts';

/** State of a listing that a browser remembers from one visit to the next. */
export interface ListingState {
  /** Version that the catalog shows. Null: the catalog does not show the listing. */
  version: number | null;
  quarantined?: boolean;
  deprecated?: boolean;
  /** There is a warning about its code. */
  warned?: boolean;
}

/** A listing on a page, with what a browser compares with an earlier visit. */
export interface SeenListing extends ListingState {
  /** Path of its page, which also names the listing in the store of the browser. */
  path: string;
  name: string;
}

/** Maximum number of listings of a page that are compared. */
const listingsMax = 100;

/** Renders the place in which the script says what changed since the reader's last visit. The host stores no visits. */
export function sincePart(listings: readonly SeenListing[]): Html {
  const named = listings.slice(0, listingsMax).map((one) => ({ ...one, name: displayText(one.name) }));
  return html`<div id="since" data-script data-listings=${JSON.stringify(named, omitFalse)}></div>`;
}

/** Leaves out what is `false`: a wallet with many grants has a page below 60 kB. */
const omitFalse = (_key: string, value: unknown) => (value === false ? undefined : value);
