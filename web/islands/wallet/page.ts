import { render } from 'preact';
import { amount, counted, formatCoinSymbol, html } from '../../components/index.ts';
import { grantPath, runsPath } from '../../components/links.ts';
import { notice } from '../../components/marks.ts';
import { sui } from '../../components/values.ts';
import { followPartLinks } from '../live/part-links.ts';
import { follow, replaceParts } from '../live/parts.ts';
import {
  client,
  failureNotice,
  getAccount,
  readChainIds,
  siteNetwork,
  toRefusal,
  waitForConnection,
} from '../signing/index.ts';
import { actOn, readService } from './actions.ts';
import { type Balance, coinsPerPage, readWalletBalances } from './balances.ts';
import { isHeldBy } from './holder.ts';

/** Shows balances, and lets the owner of the wallet on the page change what they have allowed. */

const findWallet = () => document.querySelector<HTMLElement>('#wallet');

function buildWalletPath(owner: string): string {
  return `/wallet?${new URLSearchParams({ network: siteNetwork, owner })}`;
}

/** Shows the wallet of the connected address in the place of the page that shows none. */
async function openOwnWallet(): Promise<boolean> {
  const now = getAccount();
  const search = new URLSearchParams(location.search);
  if (!now || search.get('owner') || search.get('wallet')) return false;
  const url = buildWalletPath(now.address);
  if (!(await readAgain(url, ['owned', 'index-state']))) return false;
  history.replaceState(null, '', url);
  return true;
}

const unreachable = html`<p>What you see is from before. Check that you are online.</p>
  <p class="actions"><button type="button" class="quiet" data-again>Try again</button></p>`;

/** Reads parts of the page again. If the site does not answer, the page says so. */
async function readAgain(url: string, parts: readonly string[]): Promise<boolean> {
  const isRead = await replaceParts(url, parts).catch(() => false);
  const container = document.querySelector<HTMLElement>('#messages');
  if (container)
    render((isRead ? '' : notice('danger', 'This site does not answer', unreachable)) as never, container);
  return isRead;
}

function findRunPath(link: Element): string {
  const { wallet = '' } = findWallet()?.dataset ?? {};
  return runsPath(siteNetwork, wallet, readService(link));
}

/** A grant for a coin replaces an earlier one, so the page that grants also changes. */
function findGrantPath(link: Element): string {
  const { publisher } = link.closest<HTMLElement>('[data-service]')!.dataset;
  return grantPath(siteNetwork, readService(link), publisher);
}

async function showOwnParts(): Promise<void> {
  const now = getAccount();
  const { owner } = findWallet()?.dataset ?? {};
  const isOwn = now !== undefined && now.address === owner;
  for (const part of document.querySelectorAll<HTMLElement>('[data-own]')) part.hidden = !isOwn;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-run]'))
    link.href = findRunPath(link);
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-change]'))
    link.href = findGrantPath(link);
  const open = document.querySelector<HTMLElement>('[data-act="open-wallet"]');
  if (open) open.hidden = now?.address !== new URLSearchParams(location.search).get('owner');
  await showOwnCaps(now?.address);
}

/** Shows the buttons that destroy a cap to its holder, who may be another address than the owner of the wallet. */
async function showOwnCaps(address: string | undefined): Promise<void> {
  const buttons = [...document.querySelectorAll<HTMLElement>('[data-act="burn-cap"]')];
  for (const button of buttons) button.hidden = true;
  if (address === undefined || buttons.length === 0) return;
  const objectIds = buttons.map(({ dataset }) => dataset.cap!);
  const read = await client.core.getObjects({ objectIds }).catch(() => undefined);
  for (const object of read?.objects ?? []) {
    if (object instanceof Error) continue;
    const button = buttons.find(({ dataset }) => dataset.cap === object.objectId);
    if (button) button.hidden = !isHeldBy(object.owner, address);
  }
}

/** Maximum number of coins that are neither known nor granted. It grows with each page that the reader asks for. */
let othersMax = coinsPerPage;

async function showBalances(): Promise<void> {
  const container = document.querySelector<HTMLElement>('#balances');
  const { wallet, coins = '' } = findWallet()?.dataset ?? {};
  if (!container || !wallet) return;
  const title = html`<h2>Balances</h2>`;
  if (!container.querySelector('table'))
    show(container, html`${title}<p class="muted" role="status">Reading the balances…</p>`);
  try {
    const granted = [sui, ...coins.split(' ').filter(Boolean)];
    const { balances, hasMore } = await readWalletBalances(await readChainIds(), wallet, {
      known: granted,
      othersMax,
    });
    const known = balances.filter(({ isKnown }) => isKnown);
    const others = balances.filter(({ isKnown }) => !isKnown);
    const folded = html`<details class="folded"><summary>${counted(others.length, 'other coin')}${hasMore ? ' or more' : ''}</summary>
      <p class="muted">You neither granted nor used these. Anyone can send a coin to a wallet, under any name: they may be worthless, or a lure.</p>${renderBalances(others)}
      ${hasMore ? html`<p><button type="button" class="quiet" data-more-coins>Show more coins</button></p>` : ''}</details>`;
    show(
      container,
      html`${title}${known.length === 0 ? html`<p class="muted">It holds no coins that you know.</p>` : renderBalances(known)}
        ${others.length === 0 ? '' : folded}
        <p class="actions" data-own hidden><button type="button" class="quiet" data-act="deposit">Put coins in</button> <button type="button" class="quiet" data-act="take">Take coins out</button></p>`,
    );
  } catch (error) {
    show(
      container,
      html`${title}${failureNotice(toRefusal(error))}<p class="actions"><button type="button" class="quiet" data-again>Try again</button></p>`,
    );
  }
}

const renderBalances = (balances: readonly Balance[]) => {
  const rows = balances.map(
    ({ coinType, amount: units, info }) =>
      html`<tr data-empty=${units === 0n}><th scope="row" title=${coinType}>${formatCoinSymbol(coinType, info)}</th><td class="number">${amount(String(units), coinType, info)}</td></tr>`,
  );
  return html`<table class="balances"><tbody>${rows}</tbody></table>`;
};

/** Places in which the server's own content is replaced. */
const drawn = new WeakSet<HTMLElement>();

function show(container: HTMLElement, content: unknown): void {
  if (!drawn.has(container)) container.replaceChildren();
  drawn.add(container);
  render(content as never, container);
}

/** Renders the page again, after something has changed. */
async function refresh(): Promise<void> {
  await openOwnWallet();
  await readAgain(location.href, ['wallet', 'index-state']);
  await completePage();
}

const chain = siteNetwork.toUpperCase();
/** The wallet and the services whose listings the page follows, and how it stops to. */
let followedWallet = '';
let followed = { services: '', stop: () => {} };

/** Follows the wallet, and the listings of its services: they are updated, unlisted and quarantined without the wallet. */
function followShown(): void {
  const { wallet = '', services = '' } = findWallet()?.dataset ?? {};
  if (wallet !== '' && wallet !== followedWallet) {
    followedWallet = wallet;
    const changes =
      'subscription ($chain: Chain, $walletId: String!) { walletChanged(chain: $chain, walletId: $walletId) { cursor } }';
    follow(changes, { chain, walletId: wallet }, refreshUnlessAsking);
  }
  if (services === followed.services) return;
  followed.stop();
  const query = `subscription ($chain: Chain, $services: [String!]) {
    adaptorChanged(chain: $chain, serviceTypes: $services, includeUnverified: true) { cursor }
  }`;
  const types = services.split(' ').filter(Boolean);
  const stop = types.length > 0 ? follow(query, { chain, services: types }, refreshUnlessAsking) : () => {};
  followed = { services, stop };
}

/** Leaves the page as it is while a dialog is open, which is about what the page shows. */
function refreshUnlessAsking(): void {
  if (!document.querySelector('dialog[open]')) refresh().catch(() => undefined);
}

async function completePage(): Promise<void> {
  followShown();
  await showBalances();
  await showOwnParts();
}

document.addEventListener('click', async (event) => {
  if (event.target instanceof Element && event.target.closest('[data-more-coins]')) {
    othersMax += coinsPerPage;
    await completePage();
    return;
  }
  if (event.target instanceof Element && event.target.closest('[data-select-all]')) {
    const boxes = [...document.querySelectorAll<HTMLInputElement>('#grants [data-select]')];
    const isAll = boxes.every(({ checked }) => checked);
    for (const box of boxes) box.checked = !isAll;
    return;
  }
  if (event.target instanceof Element && event.target.closest('[data-again]')) {
    await refresh();
    return;
  }
  const element = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-act]') : null;
  const { dataset } = findWallet() ?? {};
  if (!element || !dataset) return;
  if (!(await actOn(element, dataset))) return;
  // `replaceParts` does not replace a part that has the focus.
  document.querySelector<HTMLElement>('#main')?.focus();
  await refresh();
});
document.addEventListener('wallet', async () => {
  if (await openOwnWallet()) await completePage();
  else await showOwnParts();
});

followPartLinks(completePage);
await waitForConnection();
await openOwnWallet();
await completePage();
