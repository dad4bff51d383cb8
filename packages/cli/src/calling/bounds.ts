import { canonicalType } from '@adaptor-marketplace/adaptor/move-types';
import type { ActionBounds, CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import type { ResolvedOp } from '@adaptor-marketplace/adaptor/transactions/resolve-ops';
import { UsageError } from '../io.ts';

/** What the words of a call say of coins. Amounts are in base units. */
export interface CoinOptions {
  amount?: bigint;
  minOut?: bigint;
  coinIn?: string;
  coinOut?: string;
  /** What may leave, in place of `amount`; empty: nothing. */
  take?: CoinAmount[];
  /** What must come, in place of `minOut`; empty: nothing. */
  bring?: CoinAmount[];
}

export interface Coins {
  coinIn?: string;
  coinOut?: string;
}

/**
 * The coin of each side: as the op's fixed objects settle it, else as it is given.
 * @throws UsageError where the two differ
 */
export function coinsFor(resolved: ResolvedOp, given: CoinOptions): Coins {
  const coinIn = sideOf('--coin-in', resolved.coinIn, given.coinIn);
  const coinOut = sideOf('--coin-out', resolved.coinOut, given.coinOut);
  return { ...(coinIn !== undefined && { coinIn }), ...(coinOut !== undefined && { coinOut }) };
}

function sideOf(option: string, settled: string | undefined, given: string | undefined): string | undefined {
  if (settled === undefined) return given;
  const own = canonicalType(settled) ?? settled;
  if (given === undefined || given === own) return own;
  throw new UsageError(`${option}: the op's objects are for ${own}.`);
}

/**
 * What a call may take out of the wallet, and what it must bring: as stated, else the amount in the coin that goes out
 * and the minimum in the one that comes in. Without any of these nothing leaves.
 * @throws UsageError where it is not known which coin an amount counts
 */
export function boundsOf(
  { op }: Pick<ResolvedOp, 'op'>,
  { coinIn, coinOut }: Coins,
  { amount, minOut, take, bring }: CoinOptions,
): Pick<ActionBounds, 'takes' | 'brings'> {
  const pays = op.intentMode !== undefined || op.call.typeArgs.includes('coinIn');
  const takes = (): CoinAmount[] => {
    if (!amount) return [];
    if (coinIn !== undefined) return [{ coinType: coinIn, amount }];
    // What it counts is the coin that comes in: nothing leaves for it.
    if (!pays && coinOut !== undefined) return [];
    throw new UsageError(
      'It is not known which coin --amount counts. Give --coin-in if it leaves the wallet, or say with ' +
        '--take <coin=units> what may leave; --take none: nothing.',
    );
  };
  const brings = (): CoinAmount[] => {
    if (!minOut) return [];
    if (coinOut !== undefined) return [{ coinType: coinOut, amount: minOut }];
    throw new UsageError(
      'It is not known which coin --min-out counts. Give --coin-out, or say with --bring <coin=units> what must ' +
        'come into the wallet; --bring none: nothing.',
    );
  };
  return { takes: take ?? takes(), brings: bring ?? brings() };
}
