import { type Html, html } from '../components/html.ts';
import { type PageRequest, withSearch } from '../frame/page.ts';

const ranges = [7, 30, 90];
export const longestRange = 90;

/** A part of a page whose charts show the last days, by the parameter of the url that selects how many. */
export interface RangedPart {
  part: string;
  parameter: string;
  label: string;
}

/** Returns the number of days that the url selects for a part. */
export function readRange({ parameter }: RangedPart, search: URLSearchParams): number {
  const days = Number(search.get(parameter));
  return ranges.includes(days) ? days : longestRange;
}

/** Renders a link for each range. Scripts follow it without a page load. */
export function rangeLinks(ranged: RangedPart, request: PageRequest): Html {
  const { part, parameter, label } = ranged;
  const shown = readRange(ranged, request.search);
  const links = ranges.map((days) => {
    const target = withSearch(request, { [parameter]: days === longestRange ? undefined : String(days) });
    return html`<a href=${`${target}#${part}`} data-part=${part} aria-current=${days === shown ? 'true' : undefined}>${days} days</a>`;
  });
  return html`<nav class="jump" aria-label=${label}>${links}</nav>`;
}
