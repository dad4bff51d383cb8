/** Components of pages, in one module for files that import many of them. */

export { formatCoinSymbol } from '@adaptor-marketplace/adaptor/names';
export { card } from './card.ts';
export { changeTable, type FieldChange } from './changes.ts';
export { code } from './code.ts';
export { type Html, html } from './html.ts';
export { adaptorPath, strangersLink } from './links.ts';
export { badge, empty, notice, peopleStat, type State, stat, tag } from './marks.ts';
export { plain, plainBlock, visibleJson } from './plain.ts';
export { table } from './table.ts';
export {
  address,
  amount,
  amountInFull,
  baseUnits,
  type CoinInfo,
  copyButton,
  count,
  counted,
  decimal,
  endTime,
  percent,
  shortened,
  sui,
  time,
  wholeId,
  wholeType,
} from './values.ts';
