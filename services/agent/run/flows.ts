import type { ActionRequest, ActionStep } from '../../../lib/actions/request.ts';
import { wantedOf } from '../../../lib/actions/wanted.ts';

/** What a step may take out of the wallet, and what it must bring. Amounts in base units. */
export interface Flow {
  /** At most; `coinType` undefined where the request does not name the coin. */
  pays: { coinType?: string | undefined; amount: bigint }[];
  /** At least. */
  gets: { coinType: string; amount: bigint }[];
}

/** The steps of a request: those of a `compose`, or itself. */
export function stepsOf(request: ActionRequest): readonly ActionStep[] {
  return request.action === 'compose' ? request.steps : [request];
}

/** What one step moves, by the request's own words. */
export function flowOf(step: ActionStep): Flow {
  if (step.action === 'spend') {
    return { pays: [{ coinType: step.coinType, amount: BigInt(step.amount) }], gets: [] };
  }
  const { coinIn, impliedIn, amount, coinOut, impliedOut, minOut, pair } = wantedOf(step);
  const [coinPaid, coinGot] = [coinIn ?? impliedIn, coinOut ?? impliedOut];
  const taken = pair && 'takes' in pair ? pair.takes : [];
  return {
    pays: amount === undefined ? taken.map((most) => ({ amount: most })) : [{ coinType: coinPaid, amount }],
    gets: coinGot === undefined || minOut === undefined ? [] : [{ coinType: coinGot, amount: minOut }],
  };
}

/** What the request itself names of the coins it takes: the sum for each coin. */
export function namedSpends(request: ActionRequest): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of stepsOf(request).flatMap((step) => flowOf(step).pays)) {
    if (coinType !== undefined) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  }
  return sums;
}
