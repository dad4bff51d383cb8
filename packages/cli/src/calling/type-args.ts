import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { canonicalType } from '@adaptor-marketplace/adaptor/move-types';
import { UsageError } from '../io.ts';
import type { CoinOptions, Coins } from './bounds.ts';

type Op = Manifest['ops'][number];

/** @throws UsageError where there are not as many types as the function has type parameters */
export function requireTypeArgs(
  op: Pick<Op, 'module' | 'entry'>,
  count: number,
  given: readonly string[],
): void {
  if (given.length === count) return;
  const name = `${op.module}::${op.entry}`;
  if (count === 0) throw new UsageError(`--type-arg: ${name} takes no type arguments. Leave it out.`);
  const takes = `${count} type ${count === 1 ? 'argument' : 'arguments'}`;
  throw new UsageError(
    `--type-arg: ${name} takes ${takes}, not ${given.length}. Give one for each, in their order, ` +
      'for example --type-arg 0x2::sui::SUI.',
  );
}

/**
 * The coins of a call whose type arguments are given in the function's order.
 * @throws UsageError where they differ from what the op fixes, or from --coin-in and --coin-out
 */
export function coinsByTypeArgs(
  op: Op,
  given: readonly string[] | undefined,
  { coinIn, coinOut }: Pick<CoinOptions, 'coinIn' | 'coinOut'>,
): Coins {
  const coins: Coins = { ...(coinIn !== undefined && { coinIn }), ...(coinOut !== undefined && { coinOut }) };
  if (given === undefined || !op.call) return coins;
  requireTypeArgs(op, op.call.typeArgs.length, given);
  op.call.typeArgs.forEach((spelled, index) => {
    const isCoin = spelled === 'coinIn' || spelled === 'coinOut';
    const fixed = isCoin ? coins[spelled] : (canonicalType(spelled) ?? spelled);
    const type = given[index]!;
    if (fixed !== undefined && fixed !== type) {
      const by = isCoin ? `--${spelled === 'coinIn' ? 'coin-in' : 'coin-out'} says` : 'the op is for';
      throw new UsageError(`--type-arg ${type}: as type argument ${index + 1} ${by} ${fixed}.`);
    }
    if (isCoin) coins[spelled] = type;
  });
  return coins;
}
