import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { coinsOf, type ResolvedOp } from '@adaptor-marketplace/adaptor/transactions/resolve-ops';
import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import { takesCoin } from './op-roles.ts';
import type { Wanted } from './requirements.ts';

/** An op for an action, with the coins that go out of and into the wallet. */
export interface ChosenOp extends ResolvedOp {
  /** What leaves the wallet at most. */
  spends: CoinAmount[];
  /** What comes into it at least. */
  receives: CoinAmount[];
}

/** The first op that takes and brings the coins that are wanted, on the pool or market that is wanted. */
export function chooseOp(
  resolved: readonly ResolvedOp[],
  wanted: Wanted,
  supportedCoins: Manifest['supportedCoins'],
): ChosenOp | undefined {
  const supported = supportedSet(supportedCoins);
  for (const one of resolved) {
    const { objectId } = wanted;
    if (objectId !== undefined && !one.objects.some((object) => object.objectId === objectId)) continue;
    const sides = {
      coinIn: agreed(one, 'coinIn', wanted, supported),
      coinOut: agreed(one, 'coinOut', wanted, supported),
    };
    if (sides.coinIn === false || sides.coinOut === false) continue;
    const coinIn = sides.coinIn ?? onlyOther(one, 'coinIn', sides.coinOut, supported);
    const coinOut = sides.coinOut ?? onlyOther(one, 'coinOut', coinIn, supported);
    const moved = coinsMoved(one, wanted, coinIn, coinOut);
    if (moved) return { ...one, coinIn, coinOut, ...moved };
  }
  return undefined;
}

/**
 * The coin of one side: what the op's objects settle, else what is wanted where the op is open for it; undefined
 * where neither says. False where they contradict each other.
 */
function agreed(
  { op, ...settled }: ResolvedOp,
  side: 'coinIn' | 'coinOut',
  wanted: Wanted,
  supported: ReadonlySet<string> | undefined,
): string | undefined | false {
  const implied = side === 'coinIn' ? wanted.impliedIn : wanted.impliedOut;
  const [asked, own] = [wanted[side], settled[side]];
  if (asked === undefined) return own ?? implied;
  if (supported && !supported.has(asked)) return false;
  if (own !== undefined) return own === asked && asked;
  // An op that has no type argument of this side works on coins of its own, which the manifest names or not.
  return (op.call.typeArgs.includes(side) || supported?.has(asked) === true) && asked;
}

/** The coin of a side that nothing settles is the one other coin that the adaptor supports, if there is just one. */
function onlyOther(
  { op }: ResolvedOp,
  side: 'coinIn' | 'coinOut',
  otherSide: string | undefined,
  supported: ReadonlySet<string> | undefined,
): string | undefined {
  if (!op.call.typeArgs.includes(side)) return undefined;
  const [only, ...more] = [...(supported ?? [])].filter((coin) => coin !== otherSide);
  return more.length === 0 ? only : undefined;
}

/** Undefined where an op takes a coin, or is to bring one at least, of which nothing says what it is. */
function coinsMoved(
  one: ResolvedOp,
  wanted: Wanted,
  coinIn: string | undefined,
  coinOut: string | undefined,
): Pick<ChosenOp, 'spends' | 'receives'> | undefined {
  const { op, objects } = one;
  if (wanted.pair) {
    const pool = objects.find(({ objectId }) => objectId === wanted.objectId);
    const [first, second] = pool ? coinsOf(pool) : [];
    if (!first || !second) return undefined;
    const [sums, side] =
      'takes' in wanted.pair ? [wanted.pair.takes, 'spends'] : [wanted.pair.brings, 'receives'];
    const moved = [
      { coinType: first, amount: sums[0] },
      { coinType: second, amount: sums[1] },
    ].filter(({ amount }) => amount > 0n);
    return { spends: [], receives: [], [side]: moved };
  }
  const takes = takesCoin(op, wanted.role) && wanted.amount !== undefined;
  if (takes && coinIn === undefined) return undefined;
  const promises = wanted.minStated === true || op.call.args.some(({ role }) => role === 'minOut');
  // The wallet holds the op to a minimum only of a coin that is known.
  if (wanted.minStated && coinOut === undefined) return undefined;
  return {
    spends: takes ? [{ coinType: coinIn!, amount: wanted.amount! }] : [],
    receives:
      promises && coinOut !== undefined && wanted.minOut
        ? [{ coinType: coinOut, amount: wanted.minOut }]
        : [],
  };
}

/** Undefined: any. */
function supportedSet(coins: Manifest['supportedCoins']): ReadonlySet<string> | undefined {
  if (!coins || coins.includes('*')) return undefined;
  return new Set(coins.filter((coin) => isValidStructTag(coin)).map((coin) => normalizeStructTag(coin)));
}
