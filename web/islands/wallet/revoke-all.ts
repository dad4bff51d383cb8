import { delegate, policy, wallet } from '@adaptor-marketplace/adaptor/transactions';
import { counted, type Html, html } from '../../components/index.ts';
import { grantsMax, revokedMax } from '../../words/allowance.ts';
import { ActionFailedError, askGraph, type Request, showRefusal, sign } from '../signing/index.ts';

interface WalletGrants {
  services: string[];
  delegates: string[];
  hasPolicy: boolean;
  /** `true` if the wallet may have more than one transaction can revoke. */
  hasMore: boolean;
}

/**
 * Revokes all grants and delegates that the index knows, and all caps, in as many transactions as it takes. They are read
 * for each transaction, because the page shows only a part of a long list.
 * @returns `true` if the wallet may have changed
 */
export async function revokeAll(
  target: { packageId: string; wallet: string },
  signer: string | undefined,
): Promise<boolean> {
  for (let round = 1; ; round += 1) {
    try {
      const allowed = await readAllowed(target.wallet);
      // The wallet still has its policy, but the first transaction already made all caps void.
      if (round > 1) allowed.hasPolicy = false;
      if (round > 1 && allowed.services.length + allowed.delegates.length === 0) return true;
      if (!(await sign({ ...buildRequest(allowed, target), signer }))) return round > 1;
    } catch (error) {
      await showRefusal(error);
      return round > 1;
    }
  }
}

async function readAllowed(walletId: string): Promise<WalletGrants> {
  const { wallet } = await askGraph<{
    wallet: {
      grants: { serviceType: string }[];
      delegates: { totalCount: number; edges: { node: { address: string } }[] };
      policy: { version: number } | null;
    } | null;
  }>(
    `query ($chain: Chain, $walletId: String!) { wallet(chain: $chain, walletId: $walletId) {
      grants { serviceType } delegates(first: ${revokedMax}) { totalCount edges { node { address } } } policy { version } } }`,
    { walletId },
  );
  if (!wallet) throw new ActionFailedError('The index does not know this wallet', 'Reload the page.');
  const { grants, delegates, policy } = wallet;
  const services = [...new Set(grants.map(({ serviceType }) => serviceType))];
  return {
    services: services.slice(0, revokedMax),
    delegates: delegates.edges.map(({ node }) => node.address),
    hasPolicy: policy !== null,
    hasMore: services.length > revokedMax || delegates.totalCount > revokedMax || grants.length >= grantsMax,
  };
}

/** @throws ActionFailedError if there is nothing to revoke */
function buildRequest(
  { services, delegates, hasPolicy, hasMore }: WalletGrants,
  target: { packageId: string; wallet: string },
): Omit<Request, 'signer'> {
  const effects: Html[] = [
    services.length > 0
      ? html`<li>${counted(services.length, 'service')} can no longer take anything.</li>`
      : '',
    delegates.length > 0
      ? html`<li>${counted(delegates.length, 'delegate')} cannot act for you any longer.</li>`
      : '',
    hasPolicy ? html`<li>All caps are void, in every hand.</li>` : '',
  ];
  if (effects.every((line) => line === ''))
    throw new ActionFailedError('Nothing is allowed', 'There is nothing to revoke.');
  const rest = html`<p><strong>More is allowed than one transaction can revoke.</strong> You sign another one for the rest.</p>`;
  return {
    title: 'Revoke everything',
    consequence: html`<ul class="list">${effects}</ul>${hasMore ? rest : ''}<p>Your coins stay in the wallet. What services keep for you elsewhere stays there.</p>`,
    append: (tx) => {
      for (const service of services) wallet.revokeService(tx, target, service);
      for (const address of delegates) delegate.remove(tx, target, address);
      if (hasPolicy) policy.revokeAll(tx, target);
    },
    after: hasMore
      ? html`<p>Not everything is revoked yet. Close this, and sign the next transaction.</p>`
      : html`<p>Only you can take anything from this wallet.</p>`,
  };
}
