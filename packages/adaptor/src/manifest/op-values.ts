/** Values that actions provide besides amounts. They fill the arguments that a manifest leaves open. */
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

/** Spellings of each value in manifests, in lower case and without underscores. */
const words: Record<OpValue, readonly string[]> = {
  name: ['name', 'positionname'],
  lower: ['lower', 'ticklower', 'lowertick'],
  upper: ['upper', 'tickupper', 'uppertick'],
  amountA: ['amounta', 'maxa'],
  amountB: ['amountb', 'maxb'],
  minLiquidity: ['minliquidity'],
  liquidity: ['liquidity'],
  minA: ['mina', 'minamounta'],
  minB: ['minb', 'minamountb'],
  long: ['long', 'islong', 'isbid'],
  size: ['size', 'quantity'],
  limit: ['limit', 'limitprice', 'price'],
  reduceOnly: ['reduceonly'],
};

const meanings = new Map(
  Object.entries(words).flatMap(([meaning, list]) => list.map((word) => [word, meaning as OpValue])),
);

/**
 * Returns the value that a manifest's name for an argument stands for, without regard to case and underscores.
 * Undefined if actions provide none of that name.
 */
export const findOpValue = (name: string): OpValue | undefined =>
  meanings.get(name.toLowerCase().replaceAll('_', ''));
