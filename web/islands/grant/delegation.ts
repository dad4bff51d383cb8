import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { delegate } from '@adaptor-marketplace/adaptor/transactions';
import { bcs } from '@mysten/sui/bcs';
import type { Transaction } from '@mysten/sui/transactions';
import { type Html, html, wholeId } from '../../components/index.ts';
import { ActionFailedError, askApi } from '../api/ask.ts';
import { getInputValue } from '../api/form.ts';
import { askGraph, client, siteNetwork } from '../signing/chain.ts';

/** Form input for a delegate: an address that uses a grant for its owner. */
interface Delegation {
  wanted: boolean;
  address: string;
  days: string;
  /** `true` if the address is that of this host's agent for the wallet. */
  isHosts: boolean;
}

export const noDelegation: Delegation = { wanted: false, address: '', days: '30', isHosts: false };

const dayMs = 86_400_000;
const daysMax = 3_650;

/** Reads the address of this host's agent for a wallet; undefined if the host has no agent or the read fails. */
export async function hostsAgent(walletId: string): Promise<string | undefined> {
  const query = new URLSearchParams({ walletId, network: siteNetwork });
  const answer = await askApi<{ address: string }>(`/api/agent/address?${query}`).catch(() => undefined);
  return answer?.address;
}

/** @throws ActionFailedError for input that the contract refuses or that has no effect */
export function parseDelegation({ address: text, days }: Delegation): {
  address: string;
  expiresAtMs: bigint;
} {
  const address = normalizeAddress(text.trim());
  if (address === undefined)
    throw new ActionFailedError('The agent is not an address', 'Enter 0x and up to 64 hex digits.');
  if (!/^[1-9]\d{0,3}$/.test(days) || Number(days) > daysMax)
    throw new ActionFailedError('The expiry is not valid', `Enter a number of days, from 1 to ${daysMax}.`);
  return { address, expiresAtMs: BigInt(Date.now() + Number(days) * dayMs) };
}

interface Target {
  packageId: string;
  wallet: string;
}

/** Appends calls that set a delegate's budget for a service and coin, and expiry. The delegate may already exist. */
export async function appendDelegation(
  tx: Transaction,
  target: Target,
  {
    address,
    expiresAtMs,
    service,
    coinType,
    amount,
  }: { address: string; expiresAtMs: bigint; service: string; coinType: string; amount: bigint },
): Promise<void> {
  const { isInitialized, addresses } = await readDelegates(target.wallet);
  if (!isInitialized) delegate.initialize(tx, target);
  if (!addresses.includes(address)) delegate.add(tx, target, address);
  delegate.setServiceAllowance(tx, target, { delegate: address, service, amount });
  delegate.setCoinAllowance(tx, target, { delegate: address, coinType, amount });
  delegate.setExpiry(tx, target, { delegate: address, expiresAtMs });
}

async function readDelegates(walletId: string) {
  const [{ wallet }, field] = await Promise.all([
    askGraph<{ wallet: { delegates: { edges: { node: { address: string } }[] } } | null }>(
      'query ($chain: Chain, $walletId: String!) { wallet(chain: $chain, walletId: $walletId) { delegates(first: 100) { edges { node { address } } } } }',
      { walletId },
    ),
    client.core
      .getDynamicField({
        parentId: walletId,
        name: {
          type: 'vector<u8>',
          bcs: bcs.vector(bcs.u8()).serialize(new TextEncoder().encode('delegate')).toBytes(),
        },
      })
      .catch(() => undefined),
  ]);
  const addresses = wallet?.delegates.edges.map(({ node }) => node.address) ?? [];
  return { isInitialized: field !== undefined || addresses.length > 0, addresses };
}

interface Handlers {
  want(wanted: boolean): void;
  change(changed: Partial<Delegation>): void;
}

export function delegationPart(
  { wanted, address, days, isHosts }: Delegation,
  { want, change }: Handlers,
): Html {
  const choice = html`<label class="choice"><input type="checkbox" id="delegated" checked=${wanted} onChange=${(event: Event) => want((event.currentTarget as HTMLInputElement).checked)} /> An agent may use it for me</label>`;
  if (!wanted) return choice;
  return html`${choice}
    <label for="delegate">Address of the agent</label><input type="text" id="delegate" autocomplete="off" spellcheck="false" value=${address} onInput=${(event: Event) => change({ address: getInputValue(event), isHosts: false })} />
    <p class="hint">${isHosts ? 'The agent of this host acts for your wallet with this address, and for no other wallet.' : 'Who holds its key acts for you, within the budget.'}</p>
    <label for="days">Days until it expires</label><input type="text" id="days" inputmode="numeric" autocomplete="off" value=${days} onInput=${(event: Event) => change({ days: getInputValue(event) })} />
    <p class="hint">The expiry is the delegate’s: it covers all services of this address, also those that you allowed it before.</p>`;
}

/** Explains the delegation to the owner before the signature. */
export const delegationWords = (address: string, days: string, shown: Html): Html =>
  html`<p><strong>The agent ${wholeId(address)} can use it for you, and spend up to ${shown} in all.</strong> It ends in ${days} days, with all services of this address. A budget that it had for the service or the coin is replaced.</p>`;
