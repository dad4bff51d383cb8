import type { ActionRequest } from '../../../lib/actions/request.ts';
import type { WalletFlows } from '../chain/wallet-flows.ts';
import { flowOf, namedSpends, stepsOf } from '../run/flows.ts';
import { refusal } from './refusal.ts';

/**
 * Holds what a transaction does, as the chain itself says in a simulation, against the request. Answers what it takes
 * beyond the coins that the request names, by coin.
 * @throws RunFailure `unexpected_transaction`
 */
export function checkFlows(
  request: ActionRequest,
  { paid, received, others }: WalletFlows,
): Map<string, bigint> {
  if (others.length > 0) throw refusal(`it touches the wallet ${others[0]}`);
  const named = namedSpends(request);
  const steps = stepsOf(request).map(flowOf);
  const beyond = new Map<string, bigint>();
  for (const [coinType, amount] of paid) {
    const excess = amount - (named.get(coinType) ?? 0n);
    if (excess > 0n) beyond.set(coinType, excess);
  }
  const unnamed = steps.flatMap(({ pays }) => pays.filter(({ coinType }) => coinType === undefined));
  cover(
    beyond,
    unnamed.map(({ amount }) => amount),
  );
  const wanted = new Map<string, bigint>();
  for (const { coinType, amount } of steps.flatMap(({ gets }) => gets)) {
    wanted.set(coinType, (wanted.get(coinType) ?? 0n) + amount);
  }
  for (const [coinType, amount] of wanted) {
    if ((received.get(coinType) ?? 0n) < amount)
      throw refusal(`it brings less than ${amount} of ${coinType}`);
  }
  return beyond;
}

/** Each amount that the request names without a coin stands for one coin; the largest go first. */
function cover(beyond: ReadonlyMap<string, bigint>, unnamed: readonly bigint[]): void {
  const bounds = unnamed.toSorted(descending);
  for (const [coinType, amount] of [...beyond].toSorted(([, a], [, b]) => descending(a, b))) {
    let left = amount;
    while (left > 0n) {
      const bound = bounds.shift();
      if (bound === undefined) throw refusal(`it takes ${amount} more of ${coinType}`);
      left -= bound;
    }
  }
}

const descending = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0);
