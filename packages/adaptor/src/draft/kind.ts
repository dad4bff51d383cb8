import type { IntrospectedOp } from '../introspect/types.ts';
import type { categories } from '../manifest/manifest.ts';
import type { Op } from '../manifest/op.ts';

type OpKind = Op['kind'];

/**
 * Words in names that indicate a kind of op. If a name has words of several kinds, the first kind in this list counts.
 */
const kindWords: [OpKind, RegExp][] = [
  ['custom', /^(perps?|perpetuals?|margin|order|liquidity|clmm|concentrated)$/],
  ['swap', /^(swaps?|exchange|dex|amm)$/],
  ['stake', /^(stake|staking|staked|unstake)$/],
  ['lend', /^(lend|lending|loan|borrow|repay|supply|savings?|collateral|stablecoin)$/],
];

/**
 * Words that indicate a kind only for ops that move the wallet's money, since any package may have a vault or deposits.
 */
const moneyWords: [OpKind, RegExp][] = [
  ['stake', /^vaults?$/],
  ['lend', /^(save|deposit|withdraw|redeem)$/],
];

/**
 * Classifies an op by the words of its module's name, else of its own name, else by the coins that it moves. The coins
 * come last because they cannot distinguish a deposit for shares from a swap.
 */
export function classifyOp(op: IntrospectedOp): OpKind {
  const meanings = op.touchesWallet ? [...kindWords, ...moneyWords] : kindWords;
  for (const name of [op.module, op.entry]) {
    const words = splitIntoWords(name);
    const named = meanings.find(
      ([kind, pattern]) => isPossible(kind, op) && words.some((word) => pattern.test(word)),
    );
    if (named) return named[0];
  }
  if (op.intentMode === 'D') return 'swap';
  return op.coinsIn.length > 0 && op.coinsOut.length === 0 ? 'pay' : 'custom';
}

const splitIntoWords = (name: string) => name.toLowerCase().split('_');

/** Only an op that uses the swap intent can be a swap. */
const isPossible = (kind: OpKind, op: IntrospectedOp) => kind !== 'swap' || op.intentMode === 'D';

const tradingWords = /perp|margin|trad|order|futures/;
const guardianWords = /guard|inherit|recover|insur|custody/;

type Category = (typeof categories)[number];
type NamedOp = Pick<Op, 'kind' | 'module' | 'entry' | 'intentMode'>;

/**
 * Searches the names of modules and ops. One op with a word is not enough (`sort::swap`), but two ops or a module are.
 */
type NameMatcher = (words: RegExp) => boolean;

/**
 * Categories of packages that were not written for wallets, in order of precedence. Each matches words that only such a
 * package has. `borrow` alone matches nothing, because it is a word of the language.
 */
const doneBy: [Category, (about: NameMatcher, named: NameMatcher) => boolean][] = [
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
 * Chooses a listing's category if the publisher names none: from the names of its modules, else the most frequent of
 * the kinds swap, lend and stake among its ops, else `Recurring` or `Other`. For a package without intents, `doneBy`
 * decides, and the default is `Other`.
 */
export function chooseCategory(ops: readonly NamedOp[]): Category {
  if (ops.every(({ intentMode }) => intentMode === undefined)) {
    const withWord = (name: 'module' | 'entry', pattern: RegExp) =>
      ops.filter((op) => splitIntoWords(op[name]).some((word) => pattern.test(word))).length;
    const about: NameMatcher = (words) => withWord('module', words) > 0 || withWord('entry', words) > 1;
    const named: NameMatcher = (words) => withWord('module', words) + withWord('entry', words) > 0;
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
  // These intents take money while the owner is away.
  return ops.some(({ intentMode }) => intentMode === 'B' || intentMode === 'C') ? 'Recurring' : 'Other';
}
