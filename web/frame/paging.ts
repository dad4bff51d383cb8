import { type Html, html } from '../components/html.ts';
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
