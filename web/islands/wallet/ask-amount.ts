import { type Html, html } from '../../components/html.ts';
import type { CoinInfo } from '../../components/values.ts';
import { describeAmountInput, parseUnits } from '../../words/amount.ts';
import { nameCoins } from '../../words/coin-names.ts';
import { promptFor } from '../signing/prompt.ts';
import { loadCoinInfo, loadCoinInfos } from './balances.ts';

/** An amount from the form. */
interface EnteredAmount {
  coinType: string;
  units: bigint;
  info: CoinInfo | null;
}

/** Asks for an amount of a coin. Returns undefined if the reader closes the dialog. */
export async function askAmount(
  title: string,
  introduction: Html,
  coins: readonly string[],
): Promise<EnteredAmount | undefined> {
  const infos = await loadCoinInfos(coins);
  const names = nameCoins(coins.map((coinType) => ({ coinType, coinInfo: infos.get(coinType) ?? null })));
  return await promptFor<EnteredAmount>({
    title,
    button: 'Continue',
    fields: (fault) => html`${introduction}
      <label for="amount">Amount</label>
      <input type="text" id="amount" name="amount" inputmode="decimal" autocomplete="off" defaultValue="1" aria-describedby=${fault === undefined ? undefined : 'amount-fault'} />
      <label for="coin">Coin</label>
      <select id="coin" name="coin">${coins.map((coin, at) => html`<option value=${coin}>${names[at]}</option>`)}</select>
      ${fault === undefined ? '' : html`<p class="danger" id="amount-fault">${fault}</p>`}`,
    async read(entered) {
      const coinType = String(entered.get('coin'));
      const info = await loadCoinInfo(coinType);
      if (info === undefined)
        return { fault: 'The node does not say in which units this coin is counted. Try again in a moment.' };
      const decimals = info?.decimals ?? 0;
      const units = parseUnits(String(entered.get('amount')), decimals);
      if (units !== undefined) return { answer: { coinType, units, info } };
      return { fault: describeAmountInput(decimals) };
    },
  });
}
