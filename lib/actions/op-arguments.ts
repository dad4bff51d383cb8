import type { CallableOp } from './op-roles.ts';

/** Other words of manifests for what actions call otherwise; compared without case and underscores. */
const words: Record<string, readonly string[]> = {
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
  Object.entries(words).flatMap(([meaning, list]) => list.map((word) => [word, meaning])),
);

/** The values for the arguments that the manifest leaves open, by the manifest's names. */
export function valuesFor(
  { call }: CallableOp,
  values: Record<string, unknown> = {},
): Record<string, unknown> {
  return Object.fromEntries(
    call.args.flatMap((argument) => {
      if (argument.role !== 'pure' || argument.value !== undefined) return [];
      const name = argument.name ?? argument.type;
      const meaning = meanings.get(name.toLowerCase().replaceAll('_', '')) ?? name;
      return Object.hasOwn(values, meaning) ? [[name, values[meaning]]] : [];
    }),
  );
}
