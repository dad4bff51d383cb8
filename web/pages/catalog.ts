import { categories } from '@adaptor-marketplace/adaptor/manifest';
import { type CardEntry, card, cardFields } from '../components/card.ts';
import { type Html, html } from '../components/html.ts';
import { empty } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { type CoinInfo, count, counted } from '../components/values.ts';
import { graphPage, type PageRequest, toChain, withSearch } from '../frame/page.ts';
import { nextPage, type PagedConnection } from '../frame/paging.ts';
import { nameCoins } from '../words/coin-names.ts';

interface FilterValue {
  value: string;
  count: number;
}

interface CatalogData {
  adaptors: PagedConnection<CardEntry> & { totalCount: number };
  catalogFilters: {
    categories: readonly FilterValue[];
    coins: readonly { coinType: string; coinInfo: CoinInfo | null; count: number }[];
    integrators: readonly FilterValue[];
  };
}

const sorts = [
  { value: '', name: 'Best match', order: undefined },
  { value: 'rank', name: 'Highest rank', order: 'RANK' },
  { value: 'trending', name: 'Trending', order: 'TRENDING' },
  { value: 'recent', name: 'Most used in 30 days', order: 'RECENT' },
  { value: 'usage', name: 'Most used of all time', order: 'USAGE' },
  { value: 'rating', name: 'Best rated', order: 'RATING' },
  { value: 'updated', name: 'Last updated', order: 'UPDATED' },
  { value: 'name', name: 'Name', order: 'NAME' },
] as const;

const pageLength = 20;
const filterNames = ['category', 'coin', 'integrator', 'sourceMatches', 'canary', 'include'] as const;

/** States of operations in simulations. */
const canaryChoices = [
  { value: 'up', name: 'Up' },
  { value: 'degraded', name: 'Degraded' },
  { value: 'down', name: 'Down' },
  { value: 'unproven', name: 'Unproven' },
] as const;

const given = (search: URLSearchParams, name: string) => search.get(name) || undefined;

interface Choice {
  value: string;
  name: string;
  title?: string;
  /** Number of entries with the value. */
  count?: number | undefined;
}

/** Renders the values of a filter as links. The link of the chosen value removes it. An unlisted one comes first. */
function choices(request: PageRequest, parameter: string, title: string, all: readonly Choice[]): Html {
  const chosen = given(request.search, parameter);
  const known = chosen === undefined || all.some(({ value }) => value === chosen);
  const shown = known ? all : [{ value: chosen, name: chosen }, ...all];
  if (shown.length === 0) return '';
  const items = shown.map(({ value, name, title, count: entries }) => {
    const isChosen = value === chosen;
    const href = withSearch(request, { [parameter]: isChosen ? undefined : value, cursor: undefined });
    return html`<li><a href=${href} title=${title} aria-current=${isChosen ? 'true' : undefined}>${plain(name)}${entries === undefined ? '' : html` <span class="muted">${count(entries)}</span>`}${isChosen ? html`<span class="unseen"> (remove)</span>` : ''}</a></li>`;
  });
  return html`<section><h2>${title}</h2><ul>${items}</ul></section>`;
}

const coinChoices = (coins: CatalogData['catalogFilters']['coins']): Choice[] => {
  const names = nameCoins(coins);
  return coins.map(({ coinType, count }, at) => ({
    value: coinType,
    name: names[at]!,
    title: coinType,
    count,
  }));
};

function rail(request: PageRequest, { catalogFilters }: CatalogData): Html {
  const { coins, integrators } = catalogFilters;
  const counts = new Map(catalogFilters.categories.map(({ value, count }) => [value, count]));
  const isFiltered = filterNames.some((name) => name !== 'category' && request.search.has(name));
  // A phone shows the categories with their counts, and the other filters on request.
  return html`<div class="rail">
    ${choices(
      request,
      'category',
      'Category',
      categories.map((name) => ({ value: name, name, count: counts.get(name) })),
    )}
    <input type="checkbox" class="toggle" id="filters" checked=${isFiltered} /><label for="filters">More filters</label>
    <div>
      ${choices(request, 'coin', 'Coin', coinChoices(coins.slice(0, 12)))}
      ${choices(
        request,
        'integrator',
        'Integrator',
        integrators.slice(0, 12).map(({ value, count }) => ({ value, name: value, count })),
      )}
      ${choices(request, 'sourceMatches', 'Source', [{ value: 'true', name: 'Does what its source says' }])}
      ${choices(request, 'canary', 'In simulations', canaryChoices)}
      ${choices(request, 'include', 'Publisher', [{ value: 'unverified', name: 'Include unverified' }])}
    </div>
  </div>`;
}

const includesUnverified = (search: URLSearchParams) => search.get('include') === 'unverified';

/** Describes the number of matches, of which a large one is not counted to its end. */
function describeTotal(total: number, isSearch: boolean): string {
  const isCut = total === 10_000 || (isSearch && total === 1_000);
  return `${counted(total, 'adaptor')}${isCut ? ' or more' : ''}`;
}

function results(request: PageRequest, { adaptors }: CatalogData): Html {
  const { totalCount, edges } = adaptors;
  const { search, network, nowMs } = request;
  const q = given(search, 'q');
  if (edges.length === 0) {
    const isWhole = q === undefined && !filterNames.some((name) => search.has(name));
    return isWhole
      ? empty(
          `No adaptor is listed on ${network} yet`,
          html`<p>The first one could be yours: <a href="/docs/build-an-adaptor">build an adaptor</a> and list it.</p>`,
        )
      : empty(
          'No adaptor matches',
          html`<p>${q === undefined ? '' : html`Nothing has all the words of “${plain(q)}”. `}Use fewer words or <a href=${withSearch({ path: '/', search: new URLSearchParams() }, { network: search.get('network') ?? undefined })}>remove all filters</a>.</p>`,
        );
  }
  return html`<p class="found">${describeTotal(totalCount, q !== undefined)}${search.has('cursor') ? ', a later page' : ''} · <a href=${`/compare?network=${network}`}>Compare two</a></p>
    <ul class="cards">${edges.map(({ node }) => card(node, network, nowMs, { hasHidden: includesUnverified(search) }))}</ul>
    ${nextPage(request, adaptors)}`;
}

export const catalogPage = graphPage<CatalogData>({
  path: '/',
  document: `query Catalog($chain: Chain!, $filter: AdaptorFilter!, $order: AdaptorOrder, $first: Int!, $after: String) {
    adaptors(chain: $chain, filter: $filter, orderBy: $order, first: $first, after: $after) {
      totalCount edges { node { ${cardFields} } } pageInfo { hasNextPage endCursor }
    }
    catalogFilters(chain: $chain) {
      categories { value count } coins { coinType coinInfo { symbol decimals } count } integrators { value count }
    }
  }`,
  variables({ search, network }) {
    const sort = sorts.find(({ value }) => value === search.get('sort'));
    return {
      chain: toChain(network),
      filter: {
        q: given(search, 'q'),
        category: given(search, 'category'),
        coin: given(search, 'coin'),
        integrator: given(search, 'integrator'),
        publisher: given(search, 'publisher'),
        sourceMatches: search.get('sourceMatches') === 'true',
        canary: canaryChoices.find(({ value }) => value === search.get('canary'))?.value.toUpperCase(),
        includeUnverified: includesUnverified(search),
      },
      order: sort?.order,
      first: pageLength,
      after: given(search, 'cursor'),
    };
  },
  render(data, request) {
    const { search, network } = request;
    const q = given(search, 'q');
    const hidden = ['network', ...filterNames].map((name) =>
      search.has(name) ? html`<input type="hidden" name=${name} value=${search.get(name)} />` : '',
    );
    const options = sorts
      .filter(({ value }) => value !== '' || q !== undefined)
      .map(
        ({ value, name }) =>
          html`<option value=${value} selected=${value === (search.get('sort') ?? (q === undefined ? 'rank' : ''))}>${name}</option>`,
      );
    return {
      title: q === undefined ? 'Adaptor marketplace' : `${q}: adaptors`,
      description:
        'The open catalog of wallet adaptors on Sui. Every entry is checked against the on-chain registry: manifest, code and publisher.',
      picture: `${request.origin}/og/catalog`,
      section: 'catalog',
      islands: ['catalog'],
      main: html`<h1>Adaptors for Sui wallets</h1>
        <p class="lead">Each entry is checked against the on-chain registry: its manifest, its code and its publisher.</p>
        <form class="search" role="search" action="/" method="get">
          <label class="unseen" for="q">Search adaptors</label>
          <input type="search" id="q" name="q" value=${q} maxlength="200" placeholder="Search by name, integrator or what it does" autocomplete="off" data-focus="slash" />
          <label class="sort">Sort <select name="sort">${options}</select></label>
          ${hidden}
          <button type="submit">Search</button>
        </form>
        <div class="catalog" data-live="catalog" data-chain=${toChain(network)}>
          <div id="rail">${rail(request, data)}</div>
          <div>
            <div id="search-state" role="status"></div>
            <div id="results">${results(request, data)}</div>
          </div>
        </div>
        <section class="text about-adaptors">
          <h2>What is an adaptor?</h2>
          <p>An adaptor is a small Move package that lets a wallet use a protocol. Its publisher lists it in an on-chain registry with a manifest that says what it does. It can take from your wallet only what you grant to it: a coin and an amount, until you revoke it.</p>
          <p><a href="/docs/build-an-adaptor">Build and list your own adaptor</a></p>
        </section>`,
    };
  },
});
