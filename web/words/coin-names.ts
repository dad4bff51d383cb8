import { formatCoinSymbol, nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import { shortened } from '../components/values.ts';

/** A coin with its symbol; null without metadata. */
interface NamedCoin {
  coinType: string;
  coinInfo: { symbol: string } | null;
}

/** Names coins so that no two names are alike: coins with one symbol have the start of their package beside it. */
export function nameCoins(coins: readonly NamedCoin[]): string[] {
  const symbols = coins.map(({ coinType, coinInfo }) => formatCoinSymbol(coinType, coinInfo));
  const counts = new Map<string, number>();
  for (const symbol of symbols) {
    const skeleton = nameSkeleton(symbol);
    counts.set(skeleton, (counts.get(skeleton) ?? 0) + 1);
  }
  return coins.map(({ coinType }, at) => {
    const symbol = symbols[at]!;
    const isShared = counts.get(nameSkeleton(symbol))! > 1;
    return isShared ? `${symbol} of ${shortened(coinType.split('::')[0]!)}` : symbol;
  });
}

/** A coin with the name that `nameCoins` gives it. */
export interface CoinName {
  coinType: string;
  name: string;
}

export function listCoinNames(coins: readonly NamedCoin[]): CoinName[] {
  const names = nameCoins(coins);
  return coins.map(({ coinType }, at) => ({ coinType, name: names[at]! }));
}
