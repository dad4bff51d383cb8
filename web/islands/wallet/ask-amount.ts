import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { type Html, html } from '../../components/html.ts';
import type { CoinInfo } from '../../components/values.ts';
import { nameCoins } from '../../words/coin-names.ts';
import { promptFor } from '../signing/prompt.ts';
import { loadCoinInfo, loadCoinInfos } from './balances.ts';

/** An amount from the form. */
interface EnteredAmount {
  coinType: string;
  units: bigint;
  info: CoinInfo | null;
}

/** Converts a decimal number to base units; undefined if it is not an amount of a coin with these decimals. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,20})(?:\.(\d{1,18}))?$/.exec(text.trim()) ?? [];
  if (whole === '' || fraction.length > decimals) return undefined;
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  return units <= unlimitedAllowance ? units : undefined;
}

/** Asks for an amount of a coin. Returns undefined if the reader closes the dialog. */
export async function askAmount(
  title: string,
  words: Html,
  coins: readonly string[],
): Promise<EnteredAmount | undefined> {
  const infos = await loadCoinInfos(coins);
  const names = nameCoins(coins.map((coinType) => ({ coinType, coinInfo: infos.get(coinType) ?? null })));
  return await promptFor<EnteredAmount>({
    title,
    button: 'Continue',
    fields: (fault) => html`${words}
      <label for="amount">Amount</label>
      <input type="text" id="amount" name="amount" inputmode="decimal" autocomplete="off" defaultValue="1" aria-describedby=${fault === undefined ? undefined : 'amount-fault'} />
      <label for="coin">Coin</label>
      <select id="coin" name="coin">${coins.map((coin, at) => html`<option value=${coin}>${names[at]}</option>`)}</select>
      ${fault === undefined ? '' : html`<p class="danger" id="amount-fault">${fault}</p>`}`,
    async read(entered) {
      const coinType = String(entered.get('coin'));
      const info = await loadCoinInfo(coinType);
      const units = parseUnits(String(entered.get('amount')), info?.decimals ?? 0);
      if (units !== undefined) return { answer: { coinType, units, info } };
      const decimals = info ? `, with at most ${info.decimals} decimals` : '';
      return { fault: `Enter a number such as 1.5${decimals}.` };
    },
  });
}
