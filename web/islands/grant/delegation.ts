import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { bcs } from '@mysten/sui/bcs';
import { dayMs } from '../../components/days.ts';
import { type Html, html } from '../../components/index.ts';
import { ActionFailedError, askApi } from '../api/ask.ts';
import { getInputValue } from '../api/form.ts';
import { askGraph, client, siteNetwork } from '../signing/chain.ts';
import type { KnownDelegate } from './delegate-plan.ts';

/** Form input for a delegate: an address that uses a grant for its owner. */
interface DelegationInput {
  wanted: boolean;
  address: string;
  days: string;
  /** `true` if the address is that of this host's agent for the wallet. */
  isHostAgent: boolean;
}

export const noDelegation: DelegationInput = { wanted: false, address: '', days: '30', isHostAgent: false };

const daysMax = 3_650;

/** Reads the address of this host's agent for a wallet; undefined if the host has no agent or the read fails. */
export async function readHostAgent(walletId: string): Promise<string | undefined> {
  const query = new URLSearchParams({ walletId, network: siteNetwork });
  const answer = await askApi<{ address: string }>(`/api/agent/address?${query}`).catch(() => undefined);
  return answer?.address;
}

/** @throws ActionFailedError for input that the contract refuses or that has no effect */
export function parseDelegation({ address: text, days }: DelegationInput): {
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

/**
 * Reads a delegate of a wallet, and finds out whether the wallet has had one.
 * @throws ActionFailedError
 */
export async function readDelegate(
  walletId: string,
  address: string,
): Promise<{ isInitialized: boolean; known: KnownDelegate | undefined }> {
  const [known, field] = await Promise.all([
    findDelegate(walletId, address),
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
  return { isInitialized: field !== undefined || known !== undefined, known };
}

interface DelegatePage {
  wallet: {
    delegates: {
      pageInfo: { hasNextPage: boolean; endCursor: string | null };
      edges: { node: KnownDelegate }[];
    };
  } | null;
}

const delegatesPerPage = 50;

async function findDelegate(walletId: string, address: string): Promise<KnownDelegate | undefined> {
  let after: string | null = null;
  for (;;) {
    const page: DelegatePage = await askGraph(
      `query ($chain: Chain, $walletId: String!, $after: String) { wallet(chain: $chain, walletId: $walletId) {
        delegates(first: ${delegatesPerPage}, after: $after) { pageInfo { hasNextPage endCursor } edges { node {
          address expiresMs services { key amount unlimited } coins { key amount unlimited } truncated } } } } }`,
      { walletId, after },
    );
    if (!page.wallet) throw new ActionFailedError('The index does not know this wallet', 'Reload the page.');
    const { pageInfo, edges } = page.wallet.delegates;
    const found = edges.find(({ node }) => node.address === address);
    if (found || !pageInfo.hasNextPage) return found?.node;
    after = pageInfo.endCursor;
  }
}

interface Handlers {
  want(wanted: boolean): void;
  change(changed: Partial<DelegationInput>): void;
}

export const delegateFieldId = 'delegate';

export function delegationPart(
  { wanted, address, days, isHostAgent }: DelegationInput,
  { want, change }: Handlers,
): Html {
  const choice = html`<label class="choice"><input type="checkbox" id="delegated" checked=${wanted} onChange=${(event: Event) => want((event.currentTarget as HTMLInputElement).checked)} /> An agent may use it for me</label>`;
  if (!wanted) return choice;
  return html`${choice}
    <label for=${delegateFieldId}>Address of the agent</label><input type="text" id=${delegateFieldId} autocomplete="off" spellcheck="false" value=${address} onInput=${(event: Event) => change({ address: getInputValue(event), isHostAgent: false })} />
    <p class="hint">${isHostAgent ? 'The agent of this host acts for your wallet with this address, and for no other wallet.' : 'Who holds its key acts for you, within the budget.'}</p>
    <label for="days">Days until it expires</label><input type="text" id="days" inputmode="numeric" autocomplete="off" value=${days} onInput=${(event: Event) => change({ days: getInputValue(event) })} />
    <p class="hint">The expiry is the delegate’s: it covers all services of this address, also those that you allowed it before and that have not expired.</p>`;
}
