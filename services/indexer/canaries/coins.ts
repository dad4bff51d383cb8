import { normalizeStructTag } from '@mysten/sui/utils';
import type { PastCoin } from '../../../db/queries/canaries/due.ts';

/** SUI, as the chain spells it. */
export const suiCoin = normalizeStructTag('0x2::sui::SUI');

/** Coins that one simulation pays into the wallet, at most. An action of a wallet has room for 8 bounds. */
const coinsMax = 4;

/** Coins that the simulations of an entry use. */
export interface CanaryCoins {
  /** Coins that its ops may take, the most likely first. Never empty. */
  paid: readonly string[];
  /** Returns the coin that an op most likely brings if it takes `coinIn`. */
  chooseReceived(coinIn: string): string;
}

/** Chooses coins by what past actions moved, then by the manifest, and SUI last. */
export function chooseCoins(past: readonly PastCoin[], supportedCoins: readonly string[]): CanaryCoins {
  const byUse = (side: 'taken' | 'brought') =>
    past
      .filter((coin) => coin[side].length > 0)
      .toSorted((a, b) => b[side].length - a[side].length)
      .map(({ coinType }) => coinType);
  const supported = supportedCoins.flatMap((coin) => (coin === '*' ? [] : normalizeCoin(coin)));
  const paid = [...new Set([...byUse('taken'), ...supported, suiCoin])].slice(0, coinsMax);
  const received = [...byUse('brought'), ...supported, suiCoin];
  return { paid, chooseReceived: (coinIn) => received.find((coin) => coin !== coinIn) ?? coinIn };
}

/** A manifest can name anything as a coin: what is not a type is left out. */
function normalizeCoin(coin: string): string[] {
  try {
    return [normalizeStructTag(coin)];
  } catch {
    return [];
  }
}
