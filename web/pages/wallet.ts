import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { code, tabs } from '../components/code.ts';
import { type Html, html } from '../components/html.ts';
import { explorerLink, runsPath } from '../components/links.ts';
import { empty, notice } from '../components/marks.ts';
import { address, copyButton, counted, time } from '../components/values.ts';
import { graphPage, type PageRequest, toChain, withSearch } from '../frame/page.ts';
import type { Connection } from '../frame/paging.ts';
import { grants, sinceLastVisit } from './wallet-grants.ts';
import { balances, caps, delegates, history, policy, type WalletData, walletFields } from './wallet-parts.ts';

interface WalletPageData {
  wallets?: Connection<{ walletId: string; createdMs: number }> & { totalCount: number };
  newest?: Connection<WalletData>;
  named?: WalletData | null;
}

const sdkRevoke = `import { revoke } from '@adaptor-marketplace/sdk/transactions';

// packageId: walletCallPackageId of /api/adaptors/schema
const tx = revoke(owner, { packageId, walletId }, serviceType);`;

const parseOwner = ({ search }: PageRequest) => normalizeAddress(search.get('owner')?.trim() ?? '');
const parseWallet = ({ search }: PageRequest) => normalizeAddress(search.get('wallet')?.trim() ?? '');

function ownerForm({ search, network, networks }: PageRequest, wrong: boolean): Html {
  return html`<form class="owner" action="/wallet" method="get">
    <label for="owner">Address of the owner</label>
    <input type="text" id="owner" name="owner" value=${search.get('owner')} maxlength="66" placeholder="0x…" autocomplete="off" spellcheck="false" aria-describedby=${wrong ? 'owner-fault' : undefined} aria-invalid=${wrong ? 'true' : undefined} required />
    ${networks.length > 1 ? html`<input type="hidden" name="network" value=${network} />` : ''}
    <button type="submit">Show</button>
    ${wrong ? html`<p id="owner-fault" class="danger">This is not an address. An address is 0x and up to 64 hex digits.</p>` : ''}
  </form>`;
}

function otherWallets(request: PageRequest, { wallets }: WalletPageData, shown: string): Html {
  if (!wallets || wallets.totalCount < 2) return '';
  const { search } = request;
  // The cursors and filters of the url are those of the shown wallet: they would leave out what another one has allowed.
  const kept = { network: search.get('network') ?? undefined, owner: search.get('owner') ?? undefined };
  const findPath = (wallet: string) =>
    withSearch({ path: '/wallet', search: new URLSearchParams() }, { ...kept, wallet });
  const links = wallets.edges.map(
    ({ node: { walletId, createdMs } }) =>
      html`<li>${address(walletId, findPath(walletId))} ${walletId === shown ? html`<strong>shown</strong>` : html`<span class="muted">opened ${time(createdMs, request.nowMs)}</span>`}</li>`,
  );
  return html`<section><h2>${counted(wallets.totalCount, 'wallet')} of this owner</h2><ul>${links}</ul></section>`;
}

/** Lists the coins that were granted, then those that the latest uses moved. */
function listKnownCoins({ grants, actions }: WalletData): string[] {
  const moved = actions.edges.flatMap(({ node }) => node.moved);
  return [...new Set([...grants, ...moved].map(({ coin }) => coin))];
}

/** Lists the services that the wallet grants to. Those that the url of a live stream has no room for are left out. */
function listFollowedServices({ grants }: WalletData): string[] {
  let length = 0;
  return [...new Set(grants.map(({ serviceType }) => serviceType))].filter((type) => {
    length += encodeURIComponent(`"${type}",`).length;
    return length <= followedLengthMax;
  });
}

const followedLengthMax = 8_000;

const withoutLock = notice(
  'caution',
  'The wallets of this network have no lock',
  html`<p>The chain does not hold an adaptor to the bounds of one action. An agent can use only adaptors that the operator of
    this site has confirmed: <a href="/docs/agent-run#confirmed-adaptors">how that works</a>.</p>`,
);

/** Renders how a model connects to the wallet: its address, and what clients take. */
function modelAccess({ network, origin }: PageRequest, walletId: string): Html {
  const url = `${origin}/mcp/wallets/${network}/${walletId}`;
  const headers = { authorization: 'Bearer ek_...' };
  const server = { type: 'http', url, headers };
  const http = JSON.stringify({ mcpServers: { wallet: server } }, null, 2);
  const command = `claude mcp add --transport http wallet ${url} --header "authorization: Bearer ek_..."`;
  return html`<section class="part" id="models"><h2>Use it from a model</h2>
    <p class="muted">The Model Context Protocol lists what a model may do with this wallet. It needs an executor key of the wallet in the place of <code>ek_...</code>, and you confirm each run.</p>
    <dl class="facts"><dt>Address</dt><dd><code>${url}</code>${copyButton(url, 'Copy the address')}</dd></dl>
    ${tabs('mcp', 'Configurations', [
      { name: 'JSON', body: code(http, 'Copy the configuration') },
      { name: 'Claude Code', body: code(command, 'Copy the command') },
    ])}
    <p><a href="/docs/mcp">How models use a wallet</a></p></section>`;
}

const feedPath = ({ network }: PageRequest, wallet: string) =>
  `/wallet/feed.xml?${new URLSearchParams({ network, wallet })}`;

function shownWallet(
  request: PageRequest,
  wallet: WalletData,
  data: WalletPageData,
  hasLock: boolean | null,
): Html {
  const { walletId, owner, identity, paused, createdMs } = wallet;
  const { explorerUrl } = request.node;
  return html`
    <div id="wallet" data-services=${listFollowedServices(wallet).join(' ')} data-wallet=${walletId} data-owner=${owner} data-paused=${String(paused)} data-coins=${listKnownCoins(wallet).join(' ')}>
      ${paused ? notice('caution', 'This wallet is paused', html`<p>It pays only its owner, until you resume it.</p>`) : ''}
      ${hasLock === false ? withoutLock : ''}
      ${sinceLastVisit(wallet, request)}
      <div class="parts">
        <div>
          ${balances}
          ${grants(wallet, request)}
          ${delegates(wallet, request)}
          ${caps(wallet, request)}
          ${policy(wallet, request)}
          ${history(wallet, request)}
          ${modelAccess(request, walletId)}
        </div>
        <aside>
          <section><h2>Wallet</h2><dl class="facts">
            <dt>Id</dt><dd>${address(walletId, explorerLink(explorerUrl, 'object', walletId))}</dd>
            <dt>Owner</dt><dd>${address(owner, explorerLink(explorerUrl, 'account', owner))}</dd>
            <dt>Send coins to</dt><dd>${address(identity, explorerLink(explorerUrl, 'account', identity))}</dd>
            <dt>Opened</dt><dd>${time(createdMs, request.nowMs)}</dd>
          </dl></section>
          <section data-own hidden><h2>Runs</h2>
            <p class="muted">What the agent of this host did for this wallet.</p>
            <p class="actions"><a href=${runsPath(request.network, walletId)}>See its runs</a></p>
          </section>
          <section data-own hidden><h2>Stop everything</h2>
            <p class="muted">If something looks wrong, pause the wallet: nothing leaves it but to you. Or revoke all at once.</p>
            <p class="actions"><button type="button" class="quiet" data-act="pause">${paused ? 'Resume the wallet' : 'Pause the wallet'}</button>
            <button type="button" class="quiet danger" data-act="revoke-all">Revoke everything</button></p>
          </section>
          <section><h2>Stay informed</h2>
            <p class="muted">Receive a notice when an adaptor that it has allowed is updated, unlisted or put in quarantine.</p>
            <p class="actions"><a href=${feedPath(request, walletId)}>Atom feed</a> <a href="/webhooks">Webhook</a></p>
          </section>
          ${otherWallets(request, data, walletId)}
        </aside>
      </div>
    </div>`;
}

/** A wallet with all that its owner has allowed. Everyone can read it, as it is on chain. The owner can change it. */
export const walletPage = graphPage<WalletPageData>({
  path: '/wallet',
  document: `query Wallet($chain: Chain!, $owner: String!, $hasOwner: Boolean!, $wallet: String!, $hasWallet: Boolean!, $delegates: String, $caps: String) {
    wallets(chain: $chain, owner: $owner, first: 20) @include(if: $hasOwner) { totalCount edges { node { walletId createdMs } } }
    newest: wallets(chain: $chain, owner: $owner, first: 1) @include(if: $hasOwner) @skip(if: $hasWallet) { edges { node { ${walletFields} } } }
    named: wallet(chain: $chain, walletId: $wallet) @include(if: $hasWallet) { ${walletFields} }
  }`,
  variables(request) {
    const [owner, wallet] = [parseOwner(request), parseWallet(request)];
    return {
      chain: toChain(request.network),
      owner: owner ?? '0x0',
      hasOwner: owner !== undefined,
      wallet: wallet ?? '0x0',
      hasWallet: wallet !== undefined,
      delegates: request.search.get('delegates') || undefined,
      caps: request.search.get('caps') || undefined,
    };
  },
  async render(data, request) {
    const owner = parseOwner(request);
    const wallet = data.named ?? data.newest?.edges[0]?.node;
    const wrong = Boolean(request.search.get('owner')) && owner === undefined;
    const intro = html`<h1>Your wallet</h1>
      <p class="lead">What it holds, what you have allowed, and how to take it back.</p>`;
    const none = html`<div id="wallet">${empty(
      owner === undefined ? 'There is no such wallet' : 'This address has no wallet here',
      html`<p>An adaptor wallet is a shared object of yours: it holds coins, and lets services take only what you grant.</p>
        <p data-script data-act="open-wallet" hidden><button type="button">Open a wallet</button></p>`,
    )}</div>`;
    const start = html`<div class="box" id="start">
        <p data-script>Connect a wallet to see what you have allowed, and to revoke it.</p>
        <p data-script><button type="button" data-connect>Connect</button></p>
        <p class="muted">Everything here is on chain, so it can be read for every owner. Without script you read it here, and revoke with the SDK:</p>
        ${code(sdkRevoke)}
      </div>`;
    return {
      title: 'Your wallet',
      description:
        'What an owner’s wallet holds, and what its owner has allowed to services, delegates and caps.',
      section: 'wallet',
      ...(wallet && { feed: feedPath(request, wallet.walletId) }),
      islands: ['wallet', 'since'],
      main: html`${intro}
        <div id="messages" role="status"></div>
        <div id="owned">
          ${ownerForm(request, wrong)}
          ${owner === undefined && !wallet ? start : wallet ? shownWallet(request, wallet, data, await request.readWalletLock()) : none}
        </div>`,
    };
  },
});
