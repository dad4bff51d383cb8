import { amount, type CoinInfo, formatCoinSymbol, type Html, html } from '../../components/index.ts';
import { isUnlimited } from '../../words/allowance.ts';
import { askGraph } from '../signing/index.ts';

/** A grant that a wallet has. */
export interface PresentGrant {
  serviceType: string;
  coin: string;
  coinInfo: CoinInfo | null;
  /** Base units. Null: the wallet's package does not limit grants. */
  allowance: string | null;
  adaptor: { manifest: { name: string } } | null;
}

/** Reads the grants of a wallet, by service and coin: the first 200. */
export async function readGrants(walletId: string): Promise<readonly PresentGrant[]> {
  const { wallet } = await askGraph<{ wallet: { grants: PresentGrant[] } | null }>(
    `query ($chain: Chain, $walletId: String!) { wallet(chain: $chain, walletId: $walletId) {
      grants { serviceType coin coinInfo { symbol decimals } allowance adaptor { manifest { name } } } } }`,
    { walletId },
  );
  return wallet?.grants ?? [];
}

/** Lists how much of each coin these grants let a service take. */
export const listAllowances = (grants: readonly PresentGrant[]): Html =>
  html`<ul>${grants.map(({ coin, coinInfo, allowance }) =>
    isUnlimited(allowance)
      ? html`<li>all ${formatCoinSymbol(coin, coinInfo)}, without limit</li>`
      : html`<li>up to ${amount(allowance!, coin, coinInfo)}</li>`,
  )}</ul>`;
