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

/** Words of manifests for the values; compared without case and underscores. */
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

/** Which value a manifest's name for an argument stands for; undefined where actions give none of that name. */
export const opValueOf = (name: string): OpValue | undefined =>
  meanings.get(name.toLowerCase().replaceAll('_', ''));
