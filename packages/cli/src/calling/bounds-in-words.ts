import { amountInWords, type CoinUnit } from '@adaptor-marketplace/adaptor/chain/coin-units';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { type ActionBounds, byCoin } from '@adaptor-marketplace/adaptor/transactions/lock';

/** The bounds of a call, a line for each. A coin's symbol is its publisher's choice, so its type is shown too. */
export function boundsInWords(
  { service, takes, brings }: ActionBounds,
  units: ReadonlyMap<string, CoinUnit>,
): string[] {
  const lines = (verb: string, bound: string, amounts: readonly CoinAmount[]) =>
    amounts.map(({ coinType, amount }) => {
      const sum = amountInWords(coinType, String(amount), units.get(coinType));
      return `${verb.padEnd(8)} ${bound} ${sum}, coin ${coinType}`;
    });
  const [most, least] = [byCoin(takes), byCoin(brings)];
  return [
    `acts     only ${service}`,
    ...(most.length === 0 ? ['takes    nothing out of the wallet'] : lines('takes', 'at most', most)),
    ...lines('brings', 'at least', least),
  ];
}
