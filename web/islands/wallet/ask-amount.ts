import { type Html, html } from '../../components/html.ts';
import { type CoinInfo, coinName } from '../../components/values.ts';
import { openDialog } from '../signing/dialog.ts';
import { coinInfo } from './balances.ts';

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
  return units < 2n ** 64n ? units : undefined;
}

interface AmountPrompt {
  title: string;
  words: Html;
  coins: readonly string[];
  initial: string;
}

/** Asks for an amount of a coin. Returns undefined if the reader closes the dialog. */
export async function askAmount({
  title,
  words,
  coins,
  initial,
}: AmountPrompt): Promise<EnteredAmount | undefined> {
  const dialog = openDialog();
  let asked: EnteredAmount | undefined;
  let fault: Html = '';
  const submit = async (event: Event) => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget as HTMLFormElement);
    const coinType = String(entered.get('coin'));
    const info = await coinInfo(coinType);
    const units = parseUnits(String(entered.get('amount')), info?.decimals ?? 0);
    if (units === undefined) {
      fault = html`<p class="danger" id="amount-fault">Enter a number such as 1.5${info ? `, with at most ${info.decimals} decimals` : ''}.</p>`;
      return show();
    }
    asked = { coinType, units, info };
    dialog.close();
  };
  function show(): void {
    const form = html`<form id="amount-form" class="fields" onSubmit=${submit}>
      ${words}
      <label for="amount">Amount</label>
      <input type="text" id="amount" name="amount" inputmode="decimal" autocomplete="off" defaultValue=${initial} aria-describedby=${fault === '' ? undefined : 'amount-fault'} />
      <label for="coin">Coin</label>
      <select id="coin" name="coin">${coins.map((coin) => html`<option value=${coin}>${coinName(coin)}</option>`)}</select>
      ${fault}
    </form>`;
    dialog.show(
      title,
      form,
      html`<button type="submit" form="amount-form">Continue</button><button type="button" class="quiet" onClick=${dialog.close}>Cancel</button>`,
    );
  }
  show();
  await dialog.closed;
  return asked;
}
