import { formatCoinSymbol } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from '../components/html.ts';
import { adaptorPath } from '../components/links.ts';
import { badge, notice, publisherBadge } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { sincePart } from '../components/since.ts';
import { table } from '../components/table.ts';
import { amount, coinLogo, count, counted, time, typeName } from '../components/values.ts';
import { type PageRequest, withSearch } from '../frame/page.ts';
import { grantsMax, isUnlimited, revokedMax } from '../words/allowance.ts';
import { nameCoins } from '../words/coin-names.ts';
import {
  type AllowedService,
  findListingChange,
  type Grant,
  groupByService,
  nameService,
  type Order,
  orders,
  readSelection,
  type Selection,
  type Show,
  selectServices,
  shows,
  sumExposure,
} from './wallet-allowed.ts';
import { actionsRead, type WalletData } from './wallet-parts.ts';

const unusedMs = 30 * 86_400_000;

function listServices({ grants, actions }: WalletData, nowMs: number): AllowedService[] {
  const latest = actions.edges.map(({ node }) => node);
  const isComplete = latest.length < actionsRead;
  // The page knows nothing of uses before the last one that it reads.
  const knownSince = isComplete ? 0 : latest.at(-1)!.timestampMs;
  return groupByService(grants, (serviceType, grantedMs) => {
    const lastMs = latest.find((action) => action.serviceType === serviceType)?.timestampMs;
    const isOld = (lastMs ?? grantedMs) < nowMs - unusedMs;
    return { lastMs, isUnused: isOld && (lastMs !== undefined || knownSince < nowMs - unusedMs), isComplete };
  });
}

/** Renders the place for what became of the services since the reader's last visit to them. */
export function sinceLastVisit({ grants }: WalletData, { network }: PageRequest): Html {
  const seen = [...Map.groupBy(grants, ({ serviceType }) => serviceType)].map(([serviceType, own]) => {
    const { adaptor } = own[0]!;
    return {
      name: nameService(own[0]!),
      path: adaptorPath(network, serviceType),
      version: adaptor?.version ?? null,
      quarantined: own.some(({ listing }) => listing?.state === 'QUARANTINED'),
      deprecated: adaptor?.manifest.deprecated != null,
      warned: (adaptor?.warnings.length ?? 0) > 0,
    };
  });
  return sincePart(seen);
}

/** Services on a page of the list. */
const pageRows = 10;
/** Coins whose sums are shown at first. */
const sumRows = 6;

/** Link that changes the list of grants, also without a page load. */
const listLink = (words: string, target: string, isCurrent = false): Html =>
  html`<a href=${`${target}#grants`} data-part="grants" aria-current=${isCurrent ? 'true' : undefined}>${words}</a>`;

function exposureTable(grants: readonly Grant[], { coin: shown }: Selection, request: PageRequest): Html {
  const sums = sumExposure(grants);
  const inFull = request.search.get('sums') === 'all';
  const names = nameCoins(sums.map(({ coin, coinInfo }) => ({ coinType: coin, coinInfo })));
  const rows = sums
    .slice(0, inFull ? sums.length : sumRows)
    .map(({ coin, coinInfo, limited, services, unlimited }, at) => {
      const target = withSearch(request, { coin: coin === shown ? undefined : coin, page: undefined });
      const name = names[at]!;
      const all = html`${badge('caution', 'Unlimited')} all ${name}, by ${counted(unlimited, 'service')}`;
      return [
        listLink(name, target, coin === shown),
        html`${unlimited > 0 ? html`<p>${all}</p>` : ''}${limited > 0n || unlimited === 0 ? html`<p>${amount(String(limited), coin, coinInfo)}</p>` : ''}`,
        count(services),
      ];
    });
  return html`<h3>At most, in total</h3>
    ${table(['Coin', { number: 'Services can take' }, { number: 'Services' }], rows)}
    ${sums.length > rows.length ? html`<p>${listLink(`Show all ${count(sums.length)} coins`, withSearch(request, { sums: 'all' }))}</p>` : ''}
    <p class="muted">The sums are in coins: this site has no prices. Choose a coin to see who can take it.</p>`;
}

function listNavigation(
  services: readonly AllowedService[],
  selection: Selection,
  request: PageRequest,
): Html {
  const { show, order, coin } = selection;
  const countIn = (name: Show) => selectServices(services, { ...selection, show: name }).length;
  const filters = (Object.keys(shows) as Show[]).map((name) => {
    const target = withSearch(request, { show: name === 'all' ? undefined : name, page: undefined });
    return listLink(`${shows[name].label} (${count(countIn(name))})`, target, name === show);
  });
  const sorting = (Object.keys(orders) as Order[]).map((name) => {
    const target = withSearch(request, { sort: name === 'risk' ? undefined : name, page: undefined });
    return listLink(orders[name].label, target, name === order);
  });
  return html`<nav class="jump" aria-label="Which services">${filters}${coin === undefined ? '' : listLink('Any coin', withSearch(request, { coin: undefined, page: undefined }))}</nav>
    <nav class="jump" aria-label="Order"><span class="muted">Sort by</span>${sorting}</nav>`;
}

function nameCell(
  { serviceType, name, grants, flags }: AllowedService,
  { network, nowMs }: PageRequest,
): Html {
  const { adaptor } = grants[0]!;
  const listing = findListingChange(grants);
  const link = adaptor
    ? html`<a href=${adaptorPath(network, serviceType, adaptor.publisherVerified ? undefined : adaptor.publisher)}>${plain(name)}</a>`
    : typeName(serviceType);
  const reason =
    listing && listing.reason !== null && listing.sinceMs !== null
      ? html`<p class="reason">${plain(listing.reason)} <span class="muted">${time(listing.sinceMs, nowMs)}</span></p>`
      : '';
  return html`<p>${link}</p>
    <p class="badges">${adaptor?.publisherVerified ? publisherBadge(true) : ''} ${flags.map(({ state, word }) => html`${badge(state, word)} `)}</p>${reason}`;
}

const joinAll = (items: readonly Html[]): Html[] =>
  items.map((item, at) => html`${at === 0 ? '' : at === items.length - 1 ? ' and ' : ', '}${item}`);

/** Renders what the grants let their service take: a sentence for each kind of limit. */
function renderGrants(grants: readonly Grant[]): Html {
  const name = ({ coin, coinInfo }: Grant) =>
    html`${coinLogo(coinInfo)}<span title=${coin}>${formatCoinSymbol(coin, coinInfo)}</span>`;
  const sum = (base: string, { coin, coinInfo }: Grant) =>
    html`<strong>${amount(base, coin, coinInfo)}</strong>`;
  const isSpent = ({ allowance }: Grant) => allowance === '0';
  const [unlimited, limited] = partition(grants, ({ allowance }) => isUnlimited(allowance));
  const [spent, open] = partition(limited, isSpent);
  const pulls = grants.filter(({ pullCap }) => pullCap !== null && pullCap !== '0');
  const [pullsAll, pullsSome] = partition(pulls, ({ pullCap }) => isUnlimited(pullCap));
  return html`
    ${unlimited.length === 0 ? '' : html`<p>It can take <strong>all ${joinAll(unlimited.map(name))}</strong> from your wallet, without limit, until you revoke it.</p>`}
    ${open.length === 0 ? '' : html`<p>It can take up to ${joinAll(open.map((grant) => sum(grant.allowance!, grant)))} from your wallet, in total, until you revoke it.</p>`}
    ${spent.length === 0 ? '' : html`<p>Its allowance of ${joinAll(spent.map(name))} is used up. It can act in your wallet, and take no more of it.</p>`}
    ${pullsAll.length === 0 ? '' : html`<p>Of that, it can pull any amount of ${joinAll(pullsAll.map(name))} at any time, without you.</p>`}
    ${pullsSome.length === 0 ? '' : html`<p>Of that, it can pull up to ${joinAll(pullsSome.map((grant) => sum(grant.pullCap!, grant)))} at any time, without you.</p>`}`;
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** Returns an id for the checkbox of a service, which a live update of the page keeps checked. */
const selectId = (serviceType: string) => `select-${serviceType.replaceAll(/\W+/g, '-')}`;

function serviceRow(one: AllowedService, request: PageRequest): Html {
  const { serviceType, name, grants, grantedMs, lastMs, isComplete } = one;
  const { adaptor } = grants[0]!;
  const stranger = adaptor && !adaptor.publisherVerified ? adaptor.publisher : undefined;
  const { nowMs } = request;
  const used = lastMs !== undefined ? time(lastMs, nowMs) : isComplete ? 'not yet' : 'not lately';
  return html`<tr class="allowed" data-service=${serviceType} data-publisher=${stranger}>
    <td data-own hidden><input type="checkbox" id=${selectId(serviceType)} data-select aria-label=${`Select ${name}`} /></td>
    <th scope="row">${nameCell(one, request)}</th>
    <td class="takes">${renderGrants(grants)}</td>
    <td><span class="label">Granted </span>${time(grantedMs, nowMs)}</td>
    <td><span class="label">Last used </span>${used}</td>
    <td data-own hidden><p class="actions">${adaptor ? html`<a class="button quiet" data-run>Run it</a><a class="button quiet" data-change>Change</a>` : ''}<button type="button" class="quiet" data-act="revoke" data-name=${name}>Revoke</button></p></td>
  </tr>`;
}

function servicesTable(services: readonly AllowedService[], request: PageRequest): Html {
  if (services.length === 0) return html`<p class="muted">No service is like that.</p>`;
  const pages = Math.ceil(services.length / pageRows);
  const page = readPage(request.search, pages);
  const pageLink = (at: number, words: string) =>
    listLink(words, withSearch(request, { page: at === 1 ? undefined : String(at) }));
  return html`<p class="actions" data-own hidden><button type="button" class="quiet" data-select-all>Select all shown</button> <button type="button" class="quiet danger" data-act="revoke-selected">Revoke the selected</button> <span class="muted">with one signature</span></p>
    <div class="scroll" tabindex="0"><table class="services">
      <thead><tr><th scope="col" data-own hidden>Select</th><th scope="col">Service</th><th scope="col">What it can take</th><th scope="col">Granted</th><th scope="col">Last used</th><th scope="col" data-own hidden>Action</th></tr></thead>
      <tbody>${services.slice((page - 1) * pageRows, page * pageRows).map((one) => serviceRow(one, request))}</tbody>
    </table></div>
    ${pages === 1 ? '' : html`<p class="pages"><span class="muted">Page ${page} of ${pages}.</span> ${page === 1 ? '' : pageLink(page - 1, 'Previous page')} ${page === pages ? '' : pageLink(page + 1, 'Next page')}</p>`}`;
}

/** Reads the page of the list from a url: 1 to `pages`. Anything else counts as 1. */
function readPage(search: URLSearchParams, pages: number): number {
  const page = Number(search.get('page'));
  return Number.isInteger(page) && page >= 1 && page <= pages ? page : 1;
}

const moreGrants = notice(
  'caution',
  'This list may not be complete',
  html`<p>The wallet may have more grants than these ${grantsMax}, and the sums leave the others out. “Revoke everything” ends all of them.</p>`,
);

/** Renders what the wallet allows to services: sums by coin, then a row for each service, the risky ones first. */
export function grants(wallet: WalletData, request: PageRequest): Html {
  const services = listServices(wallet, request.nowMs);
  if (services.length === 0)
    return html`<section class="part" id="grants"><h2>What you have allowed</h2>
      <p class="muted">No service can take anything from this wallet. <a href=${`/?network=${request.network}`}>Find an adaptor</a> and grant it the least it needs.</p></section>`;
  const selection = readSelection(request.search);
  const unused = services.filter(({ isUnused }) => isUnused).slice(0, revokedMax);
  const all = unused.map(({ serviceType }) => serviceType).join(' ');
  const words = counted(unused.length, 'unused service');
  return html`<section class="part" id="grants">
    <h2>What you have allowed</h2>
    ${wallet.grants.length < grantsMax ? '' : moreGrants}
    ${exposureTable(wallet.grants, selection, request)}
    <h3>Services</h3>
    ${listNavigation(services, selection, request)}
    ${unused.length === 0 ? '' : html`<p class="actions" data-own hidden><button type="button" data-act="revoke" data-services=${all} data-name=${words}>Revoke ${words}</button> <span class="muted">with one signature</span></p>`}
    ${servicesTable(selectServices(services, selection), request)}
  </section>`;
}
