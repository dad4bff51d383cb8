import type { IntrospectedOp } from '../introspect/types.ts';
import type { Manifest } from '../manifest.ts';

export type OpKind = Manifest['ops'][number]['kind'];

/** What the words of a name say. A module's word comes before a function's: a market's `open_position` lends. */
const wordsOf: [OpKind, RegExp][] = [
  ['custom', /^(perp|perps|perpetual|perpetuals|margin|order|liquidity|clmm|concentrated)$/],
  ['swap', /^(swap|swaps|exchange|dex|amm)$/],
  ['stake', /^(stake|staking|staked|unstake|vault|vaults)$/],
  [
    'lend',
    /^(lend|lending|loan|borrow|repay|supply|savings?|save|deposit|withdraw|redeem|collateral|obligation)$/,
  ],
];

/**
 * What kind of op it is, by which coins it moves, and by the words of its names where that leaves a choice: a deposit
 * for shares takes and brings coins just as a swap does.
 */
export function kindOf(op: IntrospectedOp): OpKind {
  const [takes, brings] = [op.coinsIn.length > 0, op.coinsOut.length > 0];
  if (!takes && !brings) return 'custom';
  for (const name of [op.module, op.entry]) {
    const words = name.toLowerCase().split('_');
    const named = wordsOf.find(
      ([kind, pattern]) => fits(kind, op) && words.some((word) => pattern.test(word)),
    );
    if (named) return named[0];
  }
  if (op.intentMode === 'D') return 'swap';
  return takes && !brings ? 'pay' : 'custom';
}

const fits = (kind: OpKind, op: IntrospectedOp) => kind !== 'swap' || op.intentMode === 'D';

const tradingWords = /perp|margin|trad|order|liquidity|clmm|concentrated|option|futures/;
const guardianWords = /guard|inherit|recover|insur|custody/;

/** The category of a listing whose publisher names none: that of most of its ops. */
export function categoryOf(
  ops: readonly { kind: OpKind; intentMode?: string | undefined; module: string }[],
): Manifest['category'] {
  const modules = ops.map(({ module }) => module.toLowerCase()).join(' ');
  if (tradingWords.test(modules)) return 'Trading';
  if (guardianWords.test(modules)) return 'Guardian';
  const counted = (['swap', 'lend', 'stake'] as const)
    .map((kind) => ({ kind, count: ops.filter((op) => op.kind === kind).length }))
    .sort((a, b) => b.count - a.count);
  const [most] = counted;
  if (most && most.count > 0) return ({ swap: 'Swap', lend: 'Lend', stake: 'Stake' } as const)[most.kind];
  // Money that is taken while its owner is away.
  return ops.some(({ intentMode }) => intentMode === 'B' || intentMode === 'C') ? 'Recurring' : 'Other';
}
