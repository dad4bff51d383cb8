import { type Html, html } from '../components/html.ts';
import { adaptorPath } from '../components/links.ts';
import { badge, publisherBadge } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { table } from '../components/table.ts';
import { amount, count, counted, formatCoinSymbol, time } from '../components/values.ts';
import { type PageRequest, withSearch } from '../frame/page.ts';
import {
  type AllowedService,
  findListingChange,
  type Grant,
  groupByService,
  isUnlimited,
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

/** Link that changes the list of grants, also without a page load. */
const listLink = (words: string, target: string, isCurrent: boolean): Html =>
  html`<a href=${`${target}#grants`} data-part="grants" aria-current=${isCurrent ? 'true' : undefined}>${words}</a>`;

function exposureTable(grants: readonly Grant[], { coin: shown }: Selection, request: PageRequest): Html {
  const rows = sumExposure(grants).map(({ coin, coinInfo, limited, services, unlimited }) => {
    const target = withSearch(request, { coin: coin === shown ? undefined : coin });
    const name = formatCoinSymbol(coin, coinInfo);
    const all = html`${badge('caution', 'Unlimited')} all ${name}, by ${counted(unlimited, 'service')}`;
    return [
      html`<span title=${coin}>${listLink(name, target, coin === shown)}</span>`,
      html`${unlimited > 0 ? html`<p>${all}</p>` : ''}${limited > 0n || unlimited === 0 ? html`<p>${amount(String(limited), coin, coinInfo)}</p>` : ''}`,
      count(services),
    ];
  });
  return html`<h3>At most, in total</h3>
    ${table(['Coin', { number: 'Services can take' }, { number: 'Services' }], rows)}
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
    const target = withSearch(request, { show: name === 'all' ? undefined : name });
    return listLink(`${shows[name].label} (${count(countIn(name))})`, target, name === show);
  });
  const sorting = (Object.keys(orders) as Order[]).map((name) => {
    const target = withSearch(request, { sort: name === 'risk' ? undefined : name });
    return listLink(orders[name].label, target, name === order);
  });
  return html`<nav class="jump" aria-label="Which services">${filters}${coin === undefined ? '' : listLink('Any coin', withSearch(request, { coin: undefined }), false)}</nav>
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
    : html`<code title=${serviceType}>${name}</code>`;
  const reason =
    listing && listing.reason !== null && listing.sinceMs !== null
      ? html`<p>${plain(listing.reason)} <span class="muted">${time(listing.sinceMs, nowMs)}</span></p>`
      : '';
  return html`<p>${link}</p>
    <p class="badges">${adaptor?.publisherVerified ? publisherBadge(true) : ''} ${flags.map(({ state, word }) => html`${badge(state, word)} `)}</p>${reason}`;
}

/** Renders what a grant lets its service take. */
function grantSentence({ allowance, coin, coinInfo, pullCap }: Grant): Html {
  const name = formatCoinSymbol(coin, coinInfo);
  const most = isUnlimited(allowance)
    ? html`It can take <strong>all ${name}</strong> from your wallet, without limit, until you revoke it.`
    : allowance === '0'
      ? html`Its allowance of ${name} is used up. It can act in your wallet, and take no ${name}.`
      : html`It can take up to <strong>${amount(allowance ?? '0', coin, coinInfo)}</strong> from your wallet, in total, until you revoke it.`;
  const pull =
    pullCap === null || pullCap === '0'
      ? ''
      : isUnlimited(pullCap)
        ? ' Of that, it can pull any amount at any time, without you.'
        : html` Of that, it can pull up to <strong>${amount(pullCap, coin, coinInfo)}</strong> at any time, without you.`;
  return html`<p title=${coin}>${most}${pull}</p>`;
}

/** Returns an id for the checkbox of a service, which a live update of the page keeps checked. */
const selectId = (serviceType: string) => `select-${serviceType.replaceAll(/\W+/g, '-')}`;

function serviceRow(one: AllowedService, walletId: string, request: PageRequest): Html {
  const { serviceType, name, grants, grantedMs, lastMs, isComplete } = one;
  const { network, nowMs } = request;
  const run = `/runs?${new URLSearchParams({ network, wallet: walletId, service: serviceType })}`;
  const used = lastMs !== undefined ? time(lastMs, nowMs) : isComplete ? 'not yet' : 'not lately';
  return html`<tr class="allowed">
    <td data-own hidden><input type="checkbox" id=${selectId(serviceType)} data-select=${serviceType} aria-label=${`Select ${name}`} /></td>
    <th scope="row">${nameCell(one, request)}</th>
    <td class="takes">${grants.map(grantSentence)}</td>
    <td><span class="label">Granted </span>${time(grantedMs, nowMs)}</td>
    <td><span class="label">Last used </span>${used}</td>
    <td data-own hidden><p class="actions">${grants[0]!.adaptor ? html`<a class="button quiet" href=${run}>Run it</a>` : ''}<button type="button" class="quiet" data-act="revoke" data-services=${serviceType} data-name=${name}>Revoke</button></p></td>
  </tr>`;
}

function servicesTable(services: readonly AllowedService[], walletId: string, request: PageRequest): Html {
  if (services.length === 0) return html`<p class="muted">No service is like that.</p>`;
  return html`<p class="actions" data-own hidden><button type="button" class="quiet" data-select-all>Select all shown</button> <button type="button" class="quiet danger" data-act="revoke-selected">Revoke the selected</button> <span class="muted">with one signature</span></p>
    <div class="scroll" tabindex="0"><table class="services">
      <thead><tr><th scope="col" data-own hidden>Select</th><th scope="col">Service</th><th scope="col">What it can take</th><th scope="col">Granted</th><th scope="col">Last used</th><th scope="col" data-own hidden>Action</th></tr></thead>
      <tbody>${services.map((one) => serviceRow(one, walletId, request))}</tbody>
    </table></div>`;
}

/** Renders what the wallet allows to services: sums by coin, then a row for each service, the risky ones first. */
export function grants(wallet: WalletData, request: PageRequest): Html {
  const services = listServices(wallet, request.nowMs);
  if (services.length === 0)
    return html`<section class="part" id="grants"><h2>What you have allowed</h2>
      <p class="muted">No service can take anything from this wallet. <a href="/">Find an adaptor</a> and grant it the least it needs.</p></section>`;
  const selection = readSelection(request.search);
  const unused = services.filter(({ isUnused }) => isUnused);
  const all = unused.map(({ serviceType }) => serviceType).join(' ');
  const words = counted(unused.length, 'unused service');
  return html`<section class="part" id="grants">
    <h2>What you have allowed</h2>
    ${exposureTable(wallet.grants, selection, request)}
    <h3>Services</h3>
    ${listNavigation(services, selection, request)}
    ${unused.length === 0 ? '' : html`<p class="actions" data-own hidden><button type="button" data-act="revoke" data-services=${all} data-name=${words}>Revoke ${words}</button> <span class="muted">with one signature</span></p>`}
    ${servicesTable(selectServices(services, selection), wallet.walletId, request)}
  </section>`;
}
