/** What actions give besides amounts: the arguments that a manifest leaves open are filled with these. */
export const opValues = [
  'name',
  'lower',
  'upper',
  'amountA',
  'amountB',
  'minLiquidity',
  'liquidity',
  'minA',
  'minB',
  'long',
  'size',
  'limit',
  'reduceOnly',
] as const;
export type OpValue = (typeof opValues)[number];
