import { listRequiredValues } from '@adaptor-marketplace/adaptor/manifest';
import { displayText } from '@adaptor-marketplace/adaptor/names';
import {
  type CoinInfo,
  formatCoinSymbol,
  type Html,
  html,
  plain,
  shortened,
} from '../../components/index.ts';
import { nameType } from '../../components/type-names.ts';
import { describeAmountInput, parseUnits } from '../../words/amount.ts';
import { hasRole } from '../../words/operation.ts';
import { ActionFailedError } from '../api/ask.ts';
import { getInputValue } from '../api/form.ts';
import { type CallableOp, canChooseCoin, getEntered } from './arguments.ts';

/** Fields of a form for an operation of a listing. Strangers wrote the names in them. */

/** Form input. Amounts are in units of their coins. */
export interface OperationInput {
  /** Position of the operation. */
  op: number;
  amount: string;
  minOut: string;
  coinIn: string;
  coinOut: string;
}

export type CoinInfos = ReadonlyMap<string, CoinInfo | null>;

interface OperationForm {
  ops: readonly CallableOp[];
  coins: readonly string[];
  infos: CoinInfos;
  chosen: OperationInput;
  choose(changed: Partial<OperationInput>): void;
  values: Readonly<Record<string, string>>;
  enterValue(name: string, value: string): void;
  words: {
    /** Label of the coin that goes in; absent: it is not asked for. */
    coinIn: string | undefined;
    amountHint: string;
    minOutHint: string;
  };
  /** Fields below the operation. */
  more?: Html;
}

export const amountField = (
  id: string,
  label: string,
  { value, hint, enter }: { value: string; hint: string; enter(text: string): void },
): Html =>
  html`<label for=${id}>${label}</label><input type="text" id=${id} inputmode="decimal" autocomplete="off" value=${value} onInput=${(event: Event) => enter(getInputValue(event))} /><p class="hint">${hint}</p>`;

/** Returns the input with the coins that the operation's fixed objects settle: it fails with others. */
export const withSettledCoins = (chosen: OperationInput, op: CallableOp | undefined): OperationInput => ({
  ...chosen,
  coinIn: op?.coinIn ?? chosen.coinIn,
  coinOut: op?.coinOut ?? chosen.coinOut,
});

/** The fields of an operation: itself, its coins and amounts, and the values that its caller provides. */
export function operationFields(
  op: CallableOp,
  { ops, coins, infos, chosen, choose, values, enterValue, words, more = '' }: OperationForm,
): Html {
  const coinField = (id: 'coinIn' | 'coinOut', label: string) => {
    const settled = op[id];
    const offered = settled === null ? coins : [settled];
    return html`<label for=${id}>${label}</label><select id=${id} value=${chosen[id]} onChange=${(event: Event) => choose({ [id]: getInputValue(event) })}>
      ${offered.map((coin) => html`<option value=${coin} selected=${coin === chosen[id]}>${formatCoinSymbol(coin, infos.get(coin))} (${shortened(coin.split('::')[0]!)})</option>`)}</select>`;
  };
  const entry = (id: 'amount' | 'minOut', label: string, hint: string) =>
    amountField(id, label, { value: chosen[id], hint, enter: (text) => choose({ [id]: text }) });
  return html`<label for="op">Operation</label><select id="op" onChange=${(event: Event) => choose({ op: Number(getInputValue(event)) })}>${ops.map(({ label, module, entry }, at) => html`<option value=${String(at)} selected=${at === chosen.op}>${displayText(label ?? entry)} (${module}::${entry})</option>`)}</select>
    ${more}
    ${words.coinIn === undefined ? '' : coinField('coinIn', words.coinIn)}
    ${hasRole(op, 'amount') ? entry('amount', 'Amount', words.amountHint) : ''}
    ${hasRole(op, 'minOut') || canChooseCoin(op, 'coinOut') ? coinField('coinOut', 'Coin that comes back') : ''}
    ${hasRole(op, 'minOut') ? entry('minOut', 'At least', words.minOutHint) : ''}
    ${[...listRequiredValues(op)].map(
      ([name, type]) =>
        html`<label for=${`value-${name}`}>${plain(name)}</label><input type="text" id=${`value-${name}`} autocomplete="off" value=${getEntered(values, name)} onInput=${(event: Event) => enterValue(name, getInputValue(event))} /><p class="hint"><code title=${type}>${nameType(type)}</code></p>`,
    )}`;
}

/**
 * @param info null for a coin without metadata; undefined if the node did not answer
 * @throws ActionFailedError with this title if the text is not an amount of the coin
 */
export function parseAmount(text: string, info: CoinInfo | null | undefined, title: string): bigint {
  if (info === undefined)
    throw new ActionFailedError(
      'The node does not say in which units the coin is counted',
      'Reload the page in a moment, and enter the amount again.',
    );
  const decimals = info?.decimals ?? 0;
  const units = parseUnits(text, decimals);
  if (units !== undefined) return units;
  throw new ActionFailedError(title, describeAmountInput(decimals));
}
