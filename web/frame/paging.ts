import { type Html, html } from '../components/html.ts';
import { count } from '../components/values.ts';
import { type PageRequest, withSearch } from './page.ts';

/** A list of the graph. */
export interface Connection<Node> {
  edges: readonly { node: Node }[];
}

/** A list that the site shows page by page. */
export interface PagedConnection<Node> extends Connection<Node> {
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** A link to the next page of a list. */
export const nextPage = (
  request: PageRequest,
  { pageInfo }: Pick<PagedConnection<unknown>, 'pageInfo'>,
  words = 'Next page',
): Html =>
  pageInfo.hasNextPage
    ? html`<p class="more"><a class="button" href=${withSearch(request, { cursor: pageInfo.endCursor ?? undefined })}>${words}</a></p>`
    : '';

/**
 * Links to the first and the next page of a part of the page, which script replaces without a page load.
 * @param part id of the part, which is also the name of the url's parameter with its cursor
 */
export function partPages(
  request: PageRequest,
  part: string,
  { totalCount, pageInfo }: PagedConnection<unknown> & { totalCount: number },
): Html {
  const isFirst = !request.search.has(part);
  if (isFirst && !pageInfo.hasNextPage) return '';
  const link = (cursor: string | undefined, words: string) =>
    html`<a href=${`${withSearch(request, { [part]: cursor })}#${part}`} data-part=${part}>${words}</a> `;
  return html`<p class="pages"><span class="muted">${count(totalCount)} in all.</span> ${isFirst ? '' : link(undefined, `First ${part}`)}${pageInfo.hasNextPage ? link(pageInfo.endCursor ?? undefined, `Next ${part}`) : ''}</p>`;
}
