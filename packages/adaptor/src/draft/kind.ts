import type { IntrospectedOp } from '../introspect/types.ts';
import type { categories } from '../manifest/manifest.ts';
import type { Op } from '../manifest/op.ts';

type OpKind = Op['kind'];

/** What the words of a name say; of a kind that stands earlier where a name has words of several. */
const wordsOf: [OpKind, RegExp][] = [
  ['custom', /^(perps?|perpetuals?|margin|order|liquidity|clmm|concentrated)$/],
  ['swap', /^(swaps?|exchange|dex|amm)$/],
  ['stake', /^(stake|staking|staked|unstake|vaults?)$/],
  [
    'lend',
    /^(lend|lending|loan|borrow|repay|supply|savings?|save|deposit|withdraw|redeem|collateral|stablecoin)$/,
  ],
];

/**
 * What kind of op it is: by the words of its module's name, else of its own, else by which coins it moves. The coins
 * alone do not tell a deposit for shares from a swap.
 */
export function kindOf(op: IntrospectedOp): OpKind {
  for (const name of [op.module, op.entry]) {
    const words = name.toLowerCase().split('_');
    const named = wordsOf.find(
      ([kind, pattern]) => isPossible(kind, op) && words.some((word) => pattern.test(word)),
    );
    if (named) return named[0];
  }
  if (op.intentMode === 'D') return 'swap';
  return op.coinsIn.length > 0 && op.coinsOut.length === 0 ? 'pay' : 'custom';
}

/** Only what goes through the intent of a swap is one. */
const isPossible = (kind: OpKind, op: IntrospectedOp) => kind !== 'swap' || op.intentMode === 'D';

const tradingWords = /perp|margin|trad|order|futures/;
const guardianWords = /guard|inherit|recover|insur|custody/;

/** The category of a listing whose publisher names none: by the names of its modules, else that of most of its ops. */
export function categoryOf(
  ops: readonly Pick<Op, 'kind' | 'module' | 'intentMode'>[],
): (typeof categories)[number] {
  const modules = ops.map(({ module }) => module.toLowerCase()).join(' ');
  if (tradingWords.test(modules)) return 'Trading';
  if (guardianWords.test(modules)) return 'Guardian';
  const [most] = (['Swap', 'Lend', 'Stake'] as const)
    .map((category) => ({
      category,
      count: ops.filter(({ kind }) => kind === category.toLowerCase()).length,
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  if (most) return most.category;
  // Money that is taken while its owner is away.
  return ops.some(({ intentMode }) => intentMode === 'B' || intentMode === 'C') ? 'Recurring' : 'Other';
}
