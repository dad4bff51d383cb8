import type { OpCoins } from '@adaptor-marketplace/adaptor/manifest';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { PastCoin } from '../../../db/queries/canaries/due.ts';

/** SUI, as the chain spells it. */
export const suiCoin = normalizeStructTag('0x2::sui::SUI');

/** Maximum number of coins that one simulation pays into the wallet. An action of a wallet has room for 8 bounds. */
const coinsMax = 4;

/** Coins that the simulations of an op use. */
export interface CanaryCoins {
  /** Coins that it may take, the most likely first. Never empty. */
  paid: readonly string[];
  /** `true` if the objects of the op leave no choice of the coin that it takes. */
  isSettled: boolean;
  /** Returns the coin that it most likely brings if it takes `coinIn`. */
  chooseReceived(coinIn: string): string;
}

/** Chooses coins by what past actions of an entry moved, then by the manifest, and SUI last. */
export function chooseCoins(past: readonly PastCoin[], supportedCoins: readonly string[]): CanaryCoins {
  const byUse = (side: 'taken' | 'brought') =>
    past
      .filter((coin) => coin[side].length > 0)
      .toSorted((a, b) => b[side].length - a[side].length)
      .map(({ coinType }) => coinType);
  const supported = supportedCoins.flatMap((coin) => (coin === '*' ? [] : normalizeCoin(coin)));
  const paid = [...new Set([...byUse('taken'), ...supported, suiCoin])].slice(0, coinsMax);
  const received = [...byUse('brought'), ...supported, suiCoin];
  return {
    paid,
    isSettled: false,
    chooseReceived: (coinIn) => received.find((coin) => coin !== coinIn) ?? coinIn,
  };
}

/** Replaces the choice where the objects of an op settle its coins. */
export const settleCoins = (
  { paid, isSettled, chooseReceived }: CanaryCoins,
  { coinIn, coinOut }: Pick<OpCoins, 'coinIn' | 'coinOut'>,
): CanaryCoins => ({
  ...(coinIn === null ? { paid, isSettled } : { paid: [normalizeStructTag(coinIn)], isSettled: true }),
  chooseReceived: coinOut === null ? chooseReceived : () => normalizeStructTag(coinOut),
});

/** Returns the coins that any of these ops may take, those of the first ops first, as many as one simulation pays. */
export const listPaid = (choices: readonly CanaryCoins[]): string[] =>
  [...new Set(choices.flatMap(({ paid }) => paid))].slice(0, coinsMax);

/** A manifest can name anything as a coin: what is not a type is left out. */
function normalizeCoin(coin: string): string[] {
  try {
    return [normalizeStructTag(coin)];
  } catch {
    return [];
  }
}
