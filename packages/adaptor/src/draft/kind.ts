import type { IntrospectedOp } from '../introspect/types.ts';
import type { categories } from '../manifest/manifest.ts';
import type { Op } from '../manifest/op.ts';

type OpKind = Op['kind'];

/** What the words of a name say; of a kind that stands earlier where a name has words of several. */
const wordsOf: [OpKind, RegExp][] = [
  ['custom', /^(perps?|perpetuals?|margin|order|liquidity|clmm|concentrated)$/],
  ['swap', /^(swaps?|exchange|dex|amm)$/],
  ['stake', /^(stake|staking|staked|unstake)$/],
  ['lend', /^(lend|lending|loan|borrow|repay|supply|savings?|collateral|stablecoin)$/],
];

/** Words that say it only of an op that moves the wallet's money: any package has a vault, and things to deposit. */
const wordsOfMoney: [OpKind, RegExp][] = [
  ['stake', /^vaults?$/],
  ['lend', /^(save|deposit|withdraw|redeem)$/],
];

/**
 * What kind of op it is: by the words of its module's name, else of its own, else by which coins it moves. The coins
 * alone do not tell a deposit for shares from a swap.
 */
export function kindOf(op: IntrospectedOp): OpKind {
  const meanings = op.touchesWallet ? [...wordsOf, ...wordsOfMoney] : wordsOf;
  for (const name of [op.module, op.entry]) {
    const words = wordsIn(name);
    const named = meanings.find(
      ([kind, pattern]) => isPossible(kind, op) && words.some((word) => pattern.test(word)),
    );
    if (named) return named[0];
  }
  if (op.intentMode === 'D') return 'swap';
  return op.coinsIn.length > 0 && op.coinsOut.length === 0 ? 'pay' : 'custom';
}

const wordsIn = (name: string) => name.toLowerCase().split('_');

/** Only what goes through the intent of a swap is one. */
const isPossible = (kind: OpKind, op: IntrospectedOp) => kind !== 'swap' || op.intentMode === 'D';

const tradingWords = /perp|margin|trad|order|futures/;
const guardianWords = /guard|inherit|recover|insur|custody/;

type Category = (typeof categories)[number];
type NamedOp = Pick<Op, 'kind' | 'module' | 'entry' | 'intentMode'>;

/** What two ops are about, or a module: one op alone may be an aside, such as `sort::swap`. */
type About = (words: RegExp) => boolean;

/**
 * What a package is for that was not written for wallets: it is known by what only such a package does, in this order.
 * `borrow` alone says nothing: it is a word of the language.
 */
const doneBy: [Category, (about: About, named: About) => boolean][] = [
  ['Trading', (_, named) => named(/^(perps?|perpetuals?|clearing|margin|futures|orders?|orderbook)$/)],
  [
    'Lend',
    (_, named) =>
      named(/^(borrow|lending|obligations?)$/) && named(/^(repay|liquidat\w+)$/) && !named(/^swap$/),
  ],
  ['Swap', (about) => about(/^(swap|amm|clmm|dex)$/)],
  ['Stake', (about) => about(/^(stake|unstake|staking|staked)$/)],
];

/**
 * The category of a listing whose publisher names none: by the names of its modules, else that of most of its ops. Of a
 * package that uses no intent, by what it does, and `Other` if that is open.
 */
export function categoryOf(ops: readonly NamedOp[]): Category {
  if (ops.every(({ intentMode }) => intentMode === undefined)) {
    const withWord = (name: 'module' | 'entry', pattern: RegExp) =>
      ops.filter((op) => wordsIn(op[name]).some((word) => pattern.test(word))).length;
    const about: About = (words) => withWord('module', words) > 0 || withWord('entry', words) > 1;
    const named: About = (words) => withWord('module', words) + withWord('entry', words) > 0;
    return doneBy.find(([, matches]) => matches(about, named))?.[0] ?? 'Other';
  }
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
