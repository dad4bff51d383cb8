import { formatCoinSymbol } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from '../components/html.ts';
import { adaptorPath, explorerLink } from '../components/links.ts';
import { badge } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { address, amount, type CoinInfo, counted, distance, time, typeName } from '../components/values.ts';
import type { PageRequest } from '../frame/page.ts';
import { type Connection, type PagedConnection, partPages } from '../frame/paging.ts';
import { type Grant, nameService } from './wallet-allowed.ts';

interface Allowance {
  key: string;
  amount: string;
  unlimited: boolean;
}

interface Cap {
  capId: string;
  capKind: 'BEARER' | 'SCOPED';
  coin: string | null;
  coinInfo: CoinInfo | null;
  budget: string | null;
  remaining: string | null;
  depth: number | null;
  maxDepth: number | null;
  recipient: string | null;
  policyVersion: number | null;
  mintedMs: number;
  revokedMs: number | null;
  burnedMs: number | null;
}

interface CoinMovement {
  coin: string;
  taken: string;
  brought: string;
  coinInfo: CoinInfo | null;
}

export interface WalletData {
  walletId: string;
  owner: string;
  identity: string;
  paused: boolean;
  createdMs: number;
  grants: readonly Grant[];
  delegates: PagedConnection<{
    address: string;
    addedMs: number;
    expiresMs: number | null;
    services: readonly Allowance[];
    coins: readonly Allowance[];
    truncated: boolean;
  }> & { totalCount: number };
  ownerCaps: PagedConnection<Cap> & { totalCount: number };
  /** All caps: those of the owner, and those that their holders split off. */
  caps: { totalCount: number };
  policy: {
    version: number;
    spendInto: boolean;
    rules: readonly {
      rule: string;
      ruleKind: 'AUTH' | 'CAVEAT';
      forAuth: string | null;
      registeredRule: { label: string } | null;
    }[];
    allowlist: { recipients: Connection<{ address: string }> & { totalCount: number } } | null;
  } | null;
  actions: Connection<{
    serviceType: string;
    timestampMs: number;
    adaptor: { manifest: { name: string } } | null;
    moved: readonly CoinMovement[];
  }>;
  spends: Connection<{
    timestampMs: number;
    coin: string;
    amount: string;
    coinInfo: CoinInfo | null;
    recipient: string;
  }>;
}

/** Maximum number of uses that the page reads, the latest first. A service that is not among them has no known last use. */
export const actionsRead = 100;

/** Delegates and caps on a page of their part. */
const partRows = 5;

/** GraphQL selection of the fields that the page shows of a wallet. Variables: `delegates` and `caps`, the cursors. */
export const walletFields = `walletId owner identity paused createdMs
  grants { serviceType coin coinInfo { symbol decimals logo } allowance pullCap grantedMs
    adaptor { publisher publisherVerified version manifest { name deprecated } warnings { code } } listing { state reason sinceMs } }
  delegates(first: ${partRows}, after: $delegates) { totalCount pageInfo { hasNextPage endCursor } edges { node { address addedMs expiresMs truncated
    services { key amount unlimited } coins { key amount unlimited } } } }
  caps(first: 1) { totalCount }
  ownerCaps(first: ${partRows}, after: $caps) { totalCount pageInfo { hasNextPage endCursor } edges { node { capId capKind coin coinInfo { symbol decimals } budget remaining depth maxDepth
    recipient policyVersion mintedMs revokedMs burnedMs } } }
  policy { version spendInto rules { rule ruleKind forAuth registeredRule { label } }
    allowlist { recipients(first: 20) { totalCount edges { node { address } } } } }
  actions(first: ${actionsRead}) { edges { node { serviceType timestampMs adaptor { manifest { name } }
    moved { coin taken brought coinInfo { symbol decimals } } } } }
  spends(first: 20) { edges { node { timestampMs coin amount coinInfo { symbol decimals } recipient } } }`;

const historyRows = 8;

/** Placeholder for the balances. The reader's browser reads them from the chain once a wallet is connected. */
export const balances: Html = html`<section class="part" id="balances">
  <h2>Balances</h2>
  <p class="muted">Connect a wallet, and your browser reads the balances from the chain. The command line shows them too: <code>npx adaptor-marketplace whoami</code></p>
</section>`;

function budget({ key, amount: left, unlimited }: Allowance, infos: ReadonlyMap<string, CoinInfo>): Html {
  const info = infos.get(key) ?? null;
  const name = formatCoinSymbol(key, info);
  return unlimited
    ? html`<strong title=${key}>any amount of ${name}</strong>`
    : html`<strong>${amount(left, key, info)}</strong>${info ? '' : ` of ${name}`}`;
}

export function delegates({ delegates, grants, ownerCaps }: WalletData, request: PageRequest): Html {
  if (delegates.totalCount === 0) return '';
  const {
    nowMs,
    node: { explorerUrl },
  } = request;
  const infos = new Map<string, CoinInfo>();
  for (const { coin, coinInfo } of [...grants, ...ownerCaps.edges.map(({ node }) => node)])
    if (coin !== null && coinInfo) infos.set(coin, coinInfo);
  const findName = (type: string) => {
    const granted = grants.find(({ serviceType }) => serviceType === type);
    return granted?.adaptor ? plain(nameService(granted)) : typeName(type);
  };
  const rows = delegates.edges.map(({ node }) => {
    const { address: who, addedMs, expiresMs, services, coins, truncated } = node;
    const ended = expiresMs !== null && expiresMs <= nowMs;
    const what =
      services.length === 0 || coins.length === 0
        ? html`<p>It can spend nothing: it needs a budget for a service and for a coin.</p>`
        : html`<p>It can act for you with ${services.map(({ key }, at) => html`${at === 0 ? '' : ', '}${findName(key)}`)}, and spend up to ${coins.map((one, at) => html`${at === 0 ? '' : ', '}${budget(one, infos)}`)} in all.</p>`;
    return html`<li class="allowed">
      <div><h3>${address(who, explorerLink(explorerUrl, 'account', who))} ${ended ? badge('neutral', 'Expired') : ''}</h3>
        ${what}${truncated ? html`<p class="muted">It has more budgets than are listed here.</p>` : ''}
        <p class="muted">Added ${time(addedMs, nowMs)}. ${expiresMs === null ? 'It has no end: it holds until you remove it.' : html`${ended ? 'Ended' : 'It ends'} ${time(expiresMs, nowMs)}, for all services.`}</p></div>
      <p class="actions" data-own hidden><button type="button" class="quiet" data-act="remove-delegate" data-address=${who}>Remove</button></p>
    </li>`;
  });
  return html`<section class="part" id="delegates"><h2>Delegates</h2><p class="muted">Addresses that use your services for you.</p><ul>${rows}</ul>${partPages(request, 'delegates', delegates)}</section>`;
}

function capState(
  { burnedMs, revokedMs, policyVersion }: Cap,
  version: number | undefined,
): string | undefined {
  if (burnedMs !== null) return 'Destroyed';
  if (revokedMs !== null) return 'Revoked';
  return policyVersion !== null && version !== undefined && policyVersion < version
    ? 'Void: of an earlier policy'
    : undefined;
}

export function caps({ caps, ownerCaps, policy }: WalletData, request: PageRequest): Html {
  if (ownerCaps.totalCount === 0) return '';
  const {
    nowMs,
    node: { explorerUrl },
  } = request;
  const states = ownerCaps.edges.map(({ node }) => ({ node, state: capState(node, policy?.version) }));
  const rows = states.map(({ node, state }) => {
    const { capId, capKind, coin, coinInfo, remaining, budget, depth, maxDepth, recipient, mintedMs } = node;
    const what =
      capKind === 'BEARER' || coin === null
        ? 'Its holder can spend any amount of any coin, as far as your policy allows.'
        : html`Its holder can spend up to <strong>${amount(remaining ?? '0', coin, coinInfo)}</strong> of ${amount(budget ?? '0', coin, coinInfo)}.${(maxDepth ?? 0) > (depth ?? 0) ? ` Parts of it can be given to others, ${counted((maxDepth ?? 0) - (depth ?? 0), 'level')} deep.` : ''}`;
    return html`<li class="allowed">
      <div><h3>${capKind === 'BEARER' ? 'Bearer cap' : 'Scoped cap'} ${address(capId, explorerLink(explorerUrl, 'object', capId))} ${state ? badge('neutral', state) : ''}</h3>
        <p>${state ? 'It no longer opens anything.' : what}</p>
        <p class="muted">Minted ${time(mintedMs, nowMs)}${recipient === null ? '' : html` for ${address(recipient, explorerLink(explorerUrl, 'account', recipient))}`}.</p></div>
      <p class="actions">${state ? '' : html`<button type="button" class="quiet" data-own hidden data-act="revoke-cap" data-cap=${capId} data-kind=${capKind}>Revoke</button>`}
        ${node.burnedMs === null ? html`<button type="button" class="quiet" hidden data-act="burn-cap" data-cap=${capId} data-kind=${capKind}>Destroy</button>` : ''}</p>
    </li>`;
  });
  const splitOff = caps.totalCount - ownerCaps.totalCount;
  return html`<section class="part" id="caps"><h2>Caps</h2>
    <p class="muted">Objects whose holders can spend. A cap can change hands without a trace in this list. You can revoke a cap; only its holder can destroy it.</p><ul>${rows}</ul>${partPages(request, 'caps', ownerCaps)}${splitOff > 0 ? html`<p class="muted">Holders split ${counted(splitOff, 'more cap')} off these. They end with the cap that they come from.</p>` : ''}</section>`;
}

export function policy({ policy }: WalletData, { node: { explorerUrl } }: PageRequest): Html {
  if (!policy) return '';
  const { rules, allowlist, spendInto, version } = policy;
  const name = ({ rule, registeredRule }: (typeof rules)[number]) =>
    registeredRule ? html`<span title=${rule}>${plain(registeredRule.label)}</span>` : typeName(rule);
  const auth = rules.filter(({ ruleKind }) => ruleKind === 'AUTH');
  const caveats = rules.filter(({ ruleKind }) => ruleKind === 'CAVEAT');
  const sentences = [
    auth.length === 0
      ? 'No cap opens this wallet.'
      : html`A spend is opened by ${auth.map((rule, at) => html`${at === 0 ? '' : ' or '}${name(rule)}`)}.`,
    ...caveats.map(
      (rule) =>
        html`${name(rule)} must agree to ${rule.forAuth === null ? 'every spend' : html`each spend opened by ${typeName(rule.forAuth)}`}.`,
    ),
    allowlist === null
      ? ''
      : html`The list of recipients has ${counted(allowlist.recipients.totalCount, 'address', 'addresses')}: ${allowlist.recipients.edges.map(({ node }, at) => html`${at === 0 ? '' : ' '}${address(node.address, explorerLink(explorerUrl, 'account', node.address))}`)}`,
    spendInto
      ? 'A spend can hand the coin to the transaction itself, where no recipient is checked.'
      : 'A spend goes to its recipient, never into the transaction.',
  ].filter((sentence) => sentence !== '');
  return html`<section class="part" id="policy"><h2>Policy</h2>
    <div class="box"><ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
    <p class="muted">Version ${version}. Caps of earlier versions are void.</p></div></section>`;
}

export function history(
  { actions, spends }: WalletData,
  { network, nowMs, node: { explorerUrl } }: PageRequest,
): Html {
  const uses = actions.edges.map(({ node: { serviceType, timestampMs, adaptor, moved } }) => ({
    timestampMs,
    who: adaptor
      ? html`<a href=${adaptorPath(network, serviceType)}>${plain(adaptor.manifest.name)}</a>`
      : typeName(serviceType),
    what: moved.map(
      ({ coin, taken, brought, coinInfo }) =>
        html`${taken === '0' ? '' : html`<p class="amount">− ${amount(taken, coin, coinInfo)}</p>`}${brought === '0' ? '' : html`<p class="amount">+ ${amount(brought, coin, coinInfo)}</p>`}`,
    ),
  }));
  const payments = spends.edges.map(({ node }) => ({
    timestampMs: node.timestampMs,
    who: html`Paid to ${address(node.recipient, explorerLink(explorerUrl, 'account', node.recipient))}`,
    what: html`<p class="amount">− ${amount(node.amount, node.coin, node.coinInfo)}</p>`,
  }));
  const rows = [...uses, ...payments].sort((a, b) => b.timestampMs - a.timestampMs).slice(0, historyRows);
  const table = html`<table>
    <thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col" class="number">Moved</th></tr></thead>
    <tbody>${rows.map(({ timestampMs, who, what }) => html`<tr><td title=${distance(timestampMs, nowMs)}>${time(timestampMs, nowMs)}</td><td>${who}</td><td class="number">${what}</td></tr>`)}</tbody>
  </table>`;
  return html`<section class="part" id="history"><h2>History</h2>
    ${rows.length === 0 ? html`<p class="muted">No service has used this wallet, and no cap has spent from it.</p>` : table}</section>`;
}
