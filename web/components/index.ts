/** Components of pages, in one module for files that import many of them. */

export { card } from './card.ts';
export { changeTable, type FieldChange } from './changes.ts';
export { code } from './code.ts';
export { type Html, html } from './html.ts';
export { adaptorPath, strangersLink } from './links.ts';
export { badge, empty, notice, type State, stat, tag } from './marks.ts';
export { plain, visibleJson } from './plain.ts';
export { table } from './table.ts';
export {
  address,
  amount,
  amountInFull,
  type CoinInfo,
  coinName,
  copyButton,
  count,
  counted,
  decimal,
  endTime,
  formatCoinSymbol,
  percent,
  shortened,
  sui,
  time,
  wholeId,
  wholeType,
} from './values.ts';
