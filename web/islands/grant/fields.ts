import type { ExecutableOp } from '@adaptor-marketplace/adaptor/manifest';
import {
  type CoinInfo,
  formatCoinSymbol,
  type Html,
  html,
  plain,
  shortened,
  visibleText,
} from '../../components/index.ts';
import { asked, type OpenArgument } from './arguments.ts';

/** Fields of a form for an operation of a listing. Strangers wrote the names in them. */

export const operationOptions = (ops: readonly ExecutableOp[], chosen: number): Html =>
  ops.map(
    ({ label, module, entry }, at) =>
      html`<option value=${String(at)} selected=${at === chosen}>${visibleText(label ?? entry)} (${module}::${entry})</option>`,
  );

export const coinOptions = (
  coins: readonly string[],
  infos: ReadonlyMap<string, CoinInfo | null>,
  chosen: string,
): Html =>
  coins.map(
    (coin) =>
      html`<option value=${coin} selected=${coin === chosen}>${formatCoinSymbol(coin, infos.get(coin))} (${shortened(coin.split('::')[0]!)})</option>`,
  );

/** A field for each value that the caller of an operation provides. */
export const valueFields = (
  op: ExecutableOp,
  values: Readonly<Record<string, string>>,
  enter: (name: OpenArgument['name'], value: string) => void,
): Html =>
  asked(op).map(
    ({ name, type }) =>
      html`<label for=${`value-${name}`}>${plain(name)}</label><input type="text" id=${`value-${name}`} autocomplete="off" value=${values[name] ?? ''} onInput=${(
        event: Event,
      ) =>
        enter(
          name,
          (event.currentTarget as HTMLInputElement).value,
        )} /><p class="hint"><code>${type.replace(/^0x0*1::string::/, '')}</code></p>`,
  );
